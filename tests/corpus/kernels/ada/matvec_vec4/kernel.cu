// y = A x, a warp per row, float4 loads and a scalar tail. Bad: unless K is a multiple of 4, rows do not start at 16-byte boundaries.
#define FULL 0xffffffffu
#define WARPS 8

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    matvec(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y, int M, int K) {
  const int lane = threadIdx.x & 31, row = blockIdx.x * WARPS + (threadIdx.x >> 5);
  if (row >= M) return;

  const float* a = A + row * K;
  const int K4 = K >> 2;
  float acc = 0.f;
  for (int k = lane; k < K4; k += 32) {
    const float4 p = ((const float4*)a)[k];  // defect: misaligned
    const float4 q = ((const float4*)x)[k];
    acc += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  for (int k = (K4 << 2) + lane; k < K; k += 32) acc += a[k] * x[k];
#pragma unroll
  for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(FULL, acc, o);
  if (lane == 0) y[row] = acc;
}
// consequence: wrong-result
// consequence: unwritten
