// y = A x in f16 with f32 sums, a warp per row: pairs of halves where rows start at even elements, single ones where they do not.
#include <cuda_fp16.h>
#define FULL 0xffffffffu
#define WARPS 8

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    matvec(const __half* __restrict__ A, const __half* __restrict__ x, __half* __restrict__ y, int M, int K) {
  __shared__ __half ys[WARPS];  // two warps write the two halves of one word
  const int t = threadIdx.x, lane = t & 31, w = t >> 5, row = blockIdx.x * WARPS + w;

  float acc = 0.f;
  if (row < M) {  // the same for all lanes of a warp
    const __half* a = A + row * K;
    if ((K & 1) == 0) {
      for (int k = lane; k < K / 2; k += 32) {
        const float2 p = __half22float2(((const __half2*)a)[k]);
        const float2 q = __half22float2(((const __half2*)x)[k]);
        acc += p.x * q.x;
        acc += p.y * q.y;
      }
    } else {
      for (int k = lane; k < K; k += 32) acc += __half2float(a[k]) * __half2float(x[k]);
    }
  }
#pragma unroll
  for (int o = 16; o; o >>= 1) acc += __shfl_down_sync(FULL, acc, o);
  if (lane == 0) ys[w] = __float2half(acc);
  __syncthreads();
  if (t < WARPS && blockIdx.x * WARPS + t < M) y[blockIdx.x * WARPS + t] = ys[t];
}
