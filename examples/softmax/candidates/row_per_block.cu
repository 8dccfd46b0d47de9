// A block for each row: the maximum, then the sum of exp(x - maximum), then the quotients. The largest exponential is
// exp(0) = 1, so nothing overflows, and the sum is at least 1.
#include <cuda_fp16.h>

#include "reduce.h"

extern "C" __global__ void __launch_bounds__(THREADS)
    softmax(const __half* __restrict__ x, __half* __restrict__ y, int cols) {
  __shared__ float s[THREADS / 32];
  x += (long long)blockIdx.x * cols;
  y += (long long)blockIdx.x * cols;

  float high = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += THREADS) high = fmaxf(high, __half2float(x[c]));
  high = block_max(high, s);

  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += THREADS) sum += __expf(__half2float(x[c]) - high);
  sum = block_sum(sum, s);

  for (int c = threadIdx.x; c < cols; c += THREADS)
    y[c] = __float2half(__expf(__half2float(x[c]) - high) / sum);
}
