// Causal depthwise convolution along time with 9 taps; a block stages its 128 steps and the 8 before them in shared memory.
// Bad: the tile has room for only 4 of the 8 extra steps.
// consequence: wrong-result
namespace conv {

template <int TAPS>
struct Taps {
  float w[TAPS];
  __device__ explicit Taps(const float* __restrict__ weights) {
#pragma unroll
    for (int j = 0; j < TAPS; ++j) w[j] = weights[j];
  }
};

template <int BLOCK, int TAPS>
__global__ void __launch_bounds__(BLOCK)
    causal(const float* __restrict__ x, const float* __restrict__ weights, float* __restrict__ y, int steps) {
  constexpr int kHistory = TAPS - 1;
  __shared__ float tile[BLOCK + TAPS / 2];

  const int t = threadIdx.x, start = blockIdx.x * BLOCK;
  const float* in = x + static_cast<size_t>(blockIdx.y) * steps;
  const Taps<TAPS> taps(weights + blockIdx.y * TAPS);

  for (int i = t; i < BLOCK + kHistory; i += BLOCK) {
    const int s = start + i - kHistory;
    const float v = s >= 0 && s < steps ? in[s] : 0.0f;
    tile[i] = v;  // defect: out-of-bounds-shared
  }
  __syncthreads();

  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < TAPS; ++j)
    sum = fmaf(taps.w[j], tile[t + j], sum);  // defect-also: out-of-bounds-shared
  if (start + t < steps) y[static_cast<size_t>(blockIdx.y) * steps + start + t] = sum;
}

}  // namespace conv
