// Each row is smoothed with its left neighbour, y = (x[c-1] + x[c]) / 2, then lowered by the maximum of the smoothed row.
// Bad: the barriers stand in a loop whose number of rounds differs between threads unless cols is a multiple of BLOCK.
// consequence: deadlock
// consequence: race-shared
// consequence: uninitialised-shared
// consequence: wrong-result
// consequence: warp-mask
namespace ml {

__device__ inline float warp_max(float v) {
#pragma unroll
  for (int m = 16; m > 0; m /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, m));
  return v;
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    smooth_minus_max(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float tile[BLOCK + 1];  // tile[t + 1] is the element of thread t, tile[0] the one before the chunk
  __shared__ float partial[BLOCK / 32];

  const int t = threadIdx.x;
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;

  float best = -3.402823466e38f;
  for (int c = t; c < cols; c += BLOCK) {
    tile[t + 1] = in[c];
    if (t == 0) tile[0] = c > 0 ? in[c - 1] : in[0];
    __syncthreads();  // defect: barrier
    const float v = 0.5f * (tile[t] + tile[t + 1]);
    out[c] = v;
    best = fmaxf(best, v);
    __syncthreads();  // defect-also: barrier
  }

  best = warp_max(best);
  if (t % 32 == 0) partial[t / 32] = best;
  __syncthreads();  // defect-also: barrier
  float top = partial[0];
#pragma unroll
  for (int w = 1; w < BLOCK / 32; ++w) top = fmaxf(top, partial[w]);

  for (int c = t; c < cols; c += BLOCK) out[c] -= top;  // its own elements
}

}  // namespace ml
