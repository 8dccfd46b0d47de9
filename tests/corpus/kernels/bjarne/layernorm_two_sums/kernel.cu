// Layer normalisation with two block-wide sums. Bad: the second sum reuses the scratch of the first without a barrier, so a
// fast warp overwrites partial sums that slower warps still have to read.
// consequence: wrong-result
// consequence: order-dependent
namespace ml {

template <int BLOCK>
__device__ float block_sum(float v, float* scratch) {
#pragma unroll
  for (int m = 16; m > 0; m /= 2) v += __shfl_xor_sync(0xffffffffu, v, m);
  if (threadIdx.x % 32 == 0)
    scratch[threadIdx.x / 32] = v;  // defect: race-shared
  __syncthreads();
  float total = 0.0f;
#pragma unroll
  for (int w = 0; w < BLOCK / 32; ++w)
    total += scratch[w];  // defect-also: race-shared
  return total;
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    layernorm(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
              float* __restrict__ y, int cols, float eps) {
  __shared__ float scratch[BLOCK / 32];
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;
  const float inv_cols = 1.0f / static_cast<float>(cols);

  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += BLOCK) sum += in[c];
  const float mean = block_sum<BLOCK>(sum, scratch) * inv_cols;

  float squares = 0.0f;
  for (int c = threadIdx.x; c < cols; c += BLOCK) {
    const float d = in[c] - mean;
    squares += d * d;
  }
  const float rstd = rsqrtf(block_sum<BLOCK>(squares, scratch) * inv_cols + eps);

  for (int c = threadIdx.x; c < cols; c += BLOCK) out[c] = (in[c] - mean) * rstd * gamma[c] + beta[c];
}

}  // namespace ml
