// Both sums in one pass, and the variance as E[x^2] - E[x]^2: the difference of two numbers that agree in most of their
// digits, which is what rounding has left of the variance.
#include <cuda_fp16.h>

#include "reduce.h"

extern "C" __global__ void __launch_bounds__(THREADS)
    layernorm(const __half* __restrict__ x, const float* __restrict__ scale, const float* __restrict__ shift,
              __half* __restrict__ y, int cols, float epsilon) {
  __shared__ float s[THREADS / 32];
  x += (long long)blockIdx.x * cols;
  y += (long long)blockIdx.x * cols;

  float sum = 0.0f, squares = 0.0f;
  for (int c = threadIdx.x; c < cols; c += THREADS) {
    float v = __half2float(x[c]);
    sum += v;
    squares += v * v;
  }
  float mean = block_sum(sum, s) / cols;
  float variance = block_sum(squares, s) / cols - mean * mean;
  float factor = rsqrtf(variance + epsilon);

  for (int c = threadIdx.x; c < cols; c += THREADS)
    y[c] = __float2half((__half2float(x[c]) - mean) * factor * scale[c] + shift[c]);
}
