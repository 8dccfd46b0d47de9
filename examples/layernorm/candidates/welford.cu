// One pass that keeps its digits: count, mean and sum of squared distances are carried on together (Welford), and those
// of two parts are merged by the formula of Chan, Golub and LeVeque. A warp for each row needs no barrier.
#include <cuda_fp16.h>

struct Moments {
  float n, mean, squares;  // squares: sum of squared distances from the mean
};

__device__ Moments merge(Moments a, Moments b) {
  float n = a.n + b.n;
  if (n == 0.0f) return a;
  float d = b.mean - a.mean;
  return {n, a.mean + d * (b.n / n), a.squares + b.squares + d * d * (a.n * b.n / n)};
}

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    layernorm(const __half* __restrict__ x, const float* __restrict__ scale, const float* __restrict__ shift,
              __half* __restrict__ y, int rows, int cols, float epsilon) {
  int lane = threadIdx.x % 32;
  int row = blockIdx.x * WARPS + threadIdx.x / 32;
  if (row >= rows) return;  // whole warps
  x += (long long)row * cols;
  y += (long long)row * cols;

  Moments m = {0.0f, 0.0f, 0.0f};
  for (int c = lane; c < cols; c += 32) {
    float v = __half2float(x[c]);
    float d = v - m.mean;
    m.n += 1.0f;
    m.mean += d / m.n;
    m.squares += d * (v - m.mean);
  }
  for (int d = 16; d > 0; d /= 2) {
    Moments other = {__shfl_xor_sync(0xffffffffu, m.n, d), __shfl_xor_sync(0xffffffffu, m.mean, d),
                     __shfl_xor_sync(0xffffffffu, m.squares, d)};
    m = merge(m, other);
  }
  float factor = rsqrtf(m.squares / cols + epsilon);

  for (int c = lane; c < cols; c += 32)
    y[c] = __float2half((__half2float(x[c]) - m.mean) * factor * scale[c] + shift[c]);
}
