// A block for each row: the mean first, then the mean of the squared distances from it. The distances are small
// numbers, so nothing cancels.
#include <cuda_fp16.h>

#include "reduce.h"

extern "C" __global__ void __launch_bounds__(THREADS)
    layernorm(const __half* __restrict__ x, const float* __restrict__ scale, const float* __restrict__ shift,
              __half* __restrict__ y, int cols, float epsilon) {
  __shared__ float s[THREADS / 32];
  x += (long long)blockIdx.x * cols;
  y += (long long)blockIdx.x * cols;

  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += THREADS) sum += __half2float(x[c]);
  float mean = block_sum(sum, s) / cols;

  float squares = 0.0f;
  for (int c = threadIdx.x; c < cols; c += THREADS) {
    float d = __half2float(x[c]) - mean;
    squares += d * d;
  }
  float factor = rsqrtf(block_sum(squares, s) / cols + epsilon);

  for (int c = threadIdx.x; c < cols; c += THREADS)
    y[c] = __float2half((__half2float(x[c]) - mean) * factor * scale[c] + shift[c]);
}
