// Gradient of a bias, the sum over rows, in two launches with a workspace of partial sums. Bad: blocks without rows leave
// early, and the second launch adds up their slots of the workspace although nobody wrote them (only when there are few rows).
namespace ml {

template <int CHUNKS, int GRANULE>
__device__ int rows_per_chunk(int rows) {
  return (rows + CHUNKS * GRANULE - 1) / (CHUNKS * GRANULE) * GRANULE;
}

template <int CHUNKS, int GRANULE>
__global__ void __launch_bounds__(128)
    partial_sums(const float* __restrict__ grad, float* __restrict__ workspace, int rows, int cols) {
  const int per_chunk = rows_per_chunk<CHUNKS, GRANULE>(rows);
  const int begin = blockIdx.y * per_chunk, end = min(rows, begin + per_chunk);
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (begin >= rows) return;  // nothing to add
  if (col >= cols) return;

  float sum = 0.0f;
#pragma unroll 4
  for (int r = begin; r < end; ++r) sum += grad[r * cols + col];
  workspace[blockIdx.y * cols + col] = sum;
}

template <int CHUNKS>
__global__ void __launch_bounds__(128) final_sums(const float* __restrict__ workspace, float* __restrict__ bias_grad, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < CHUNKS; ++i)
    sum += workspace[i * cols + col];
  bias_grad[col] = sum;
}

}  // namespace ml
