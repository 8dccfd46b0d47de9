// Row-wise softmax with a running maximum and sum (one warp per row); partial states of the lanes are merged by shuffles.
#include <cuda_runtime.h>

namespace ml {

constexpr unsigned kFullWarp = 0xffffffffu;

// Softmax state of a set of numbers: their maximum, and the sum of exp(x - maximum). The empty set has the lowest finite
// maximum instead of -infinity, so that the difference of two empty maxima is 0 and not a NaN.
struct MaxSum {
  float max = -3.402823466e38f;
  float sum = 0.0f;

  __device__ void push(float x) {
    const float m = fmaxf(max, x);
    sum = sum * expf(max - m) + expf(x - m);
    max = m;
  }

  __device__ friend MaxSum operator+(const MaxSum& a, const MaxSum& b) {
    MaxSum r;
    r.max = fmaxf(a.max, b.max);
    r.sum = a.sum * expf(a.max - r.max) + b.sum * expf(b.max - r.max);
    return r;
  }

  __device__ MaxSum shuffled(int lane_mask) const {
    MaxSum r;
    r.max = __shfl_xor_sync(kFullWarp, max, lane_mask);
    r.sum = __shfl_xor_sync(kFullWarp, sum, lane_mask);
    return r;
  }
};

template <int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
    softmax_rows(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * WARPS + threadIdx.x / 32;
  if (row >= rows) return;  // whole warps leave: the shuffles below always have 32 lanes

  const float* __restrict__ in = x + static_cast<size_t>(row) * cols;
  float* __restrict__ out = y + static_cast<size_t>(row) * cols;

  MaxSum state;
  for (int c = lane; c < cols; c += 32) state.push(in[c]);

#pragma unroll
  for (int m = 16; m > 0; m /= 2) state = state + state.shuffled(m);

  const float inv = 1.0f / state.sum;
  for (int c = lane; c < cols; c += 32) out[c] = expf(in[c] - state.max) * inv;
}

}  // namespace ml
