// Scaled attention scores Q K^T / sqrt(64), lanes over keys. Bad: rows of the tile of keys are 64 words apart, so all lanes
// of a warp read the same bank.
namespace attn {

template <int KEYS, int QUERIES, int DIM>
__global__ void __launch_bounds__(KEYS * QUERIES)
    scores(const float* __restrict__ q, const float* __restrict__ k, float* __restrict__ out, int queries, int keys,
           float scale) {
  static_assert(KEYS == 32 && DIM % 32 == 0, "a warp per query");
  __shared__ float qs[QUERIES][DIM];
  __shared__ float ks[KEYS][DIM];

  const int lane = threadIdx.x, warp = threadIdx.y;
  const int k0 = blockIdx.x * KEYS, q0 = blockIdx.y * QUERIES;

  for (int r = warp; r < KEYS; r += QUERIES)
#pragma unroll
    for (int d = lane; d < DIM; d += 32) ks[r][d] = k0 + r < keys ? k[(k0 + r) * DIM + d] : 0.0f;
#pragma unroll
  for (int d = lane; d < DIM; d += 32) qs[warp][d] = q0 + warp < queries ? q[(q0 + warp) * DIM + d] : 0.0f;
  __syncthreads();

  float sum = 0.0f;
#pragma unroll 8
  for (int d = 0; d < DIM; ++d) {
    const float a = qs[warp][d];
    const float b = ks[lane][d];  // defect: bank-conflict
    sum = fmaf(a, b, sum);
  }
  if (q0 + warp < queries && k0 + lane < keys) out[(q0 + warp) * keys + k0 + lane] = sum * scale;
}

}  // namespace attn
