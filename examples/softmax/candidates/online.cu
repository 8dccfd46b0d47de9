// The maximum and the sum in one pass: a thread that meets a new maximum scales what it has summed so far down to it.
// x is read twice instead of three times.
#include <cuda_fp16.h>

#include "reduce.h"

extern "C" __global__ void __launch_bounds__(THREADS)
    softmax(const __half* __restrict__ x, __half* __restrict__ y, int cols) {
  __shared__ float s[THREADS / 32];
  x += (long long)blockIdx.x * cols;
  y += (long long)blockIdx.x * cols;

  float high = -INFINITY, sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += THREADS) {
    float v = __half2float(x[c]);
    float higher = fmaxf(high, v);
    sum = sum * __expf(high - higher) + __expf(v - higher);
    high = higher;
  }
  // A thread without an element brings nothing: its sum is 0, and exp(-inf - top) is 0.
  float top = block_max(high, s);
  sum = block_sum(sum * __expf(high - top), s);

  for (int c = threadIdx.x; c < cols; c += THREADS)
    y[c] = __float2half(__expf(__half2float(x[c]) - top) / sum);
}
