// One attention head, softmax(Q K^T / sqrt(D)) V with D = 32: a warp per query, tiles of 32 keys in shared memory, lanes
// over keys for the scores and over channels for the output. Softmax is online.
namespace attn {

constexpr int kDim = 32;
constexpr int kKeys = 32;
constexpr float kLowest = -3.402823466e38f;

template <typename Op>
__device__ float warp_reduce(float v, Op op) {
#pragma unroll
  for (int m = 16; m > 0; m /= 2) v = op(v, __shfl_xor_sync(0xffffffffu, v, m));
  return v;
}

template <int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
    head(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ out,
         int seq, float scale) {
  __shared__ float qs[WARPS][kDim];
  __shared__ float ks[kKeys][kDim + 1];  // read along columns: lane j takes row j
  __shared__ float vs[kKeys][kDim];      // read along rows

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int query = blockIdx.x * WARPS + warp;
  // Warps without a query stay for the barriers and compute on zeros.
  qs[warp][lane] = query < seq ? q[query * kDim + lane] * scale : 0.0f;

  float best = kLowest, denominator = 0.0f, acc = 0.0f;
  for (int k0 = 0; k0 < seq; k0 += kKeys) {
    for (int r = warp; r < kKeys; r += WARPS) {
      const bool valid = k0 + r < seq;
      ks[r][lane] = valid ? k[(k0 + r) * kDim + lane] : 0.0f;
      vs[r][lane] = valid ? v[(k0 + r) * kDim + lane] : 0.0f;
    }
    __syncthreads();

    float score = 0.0f;
#pragma unroll
    for (int d = 0; d < kDim; ++d) score = fmaf(qs[warp][d], ks[lane][d], score);
    const bool valid = k0 + lane < seq;
    if (!valid) score = kLowest;

    const float m = fmaxf(best, warp_reduce(score, [](float a, float b) { return fmaxf(a, b); }));
    const float shrink = expf(best - m);
    const float p = valid ? expf(score - m) : 0.0f;
    denominator = denominator * shrink + warp_reduce(p, [](float a, float b) { return a + b; });
    acc *= shrink;
#pragma unroll
    for (int j = 0; j < kKeys; ++j) acc = fmaf(__shfl_sync(0xffffffffu, p, j), vs[j][lane], acc);
    best = m;
    __syncthreads();  // the next round overwrites both tiles
  }
  if (query < seq) out[query * kDim + lane] = acc / denominator;
}

}  // namespace attn
