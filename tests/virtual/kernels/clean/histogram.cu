// Shared atomics within the block, global atomics between blocks.
/* launch
entry = "histogram"
grid = [4, 1, 1]
block = [128, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [2000], init = "arange" },
  { name = "bins", dtype = "i32", shape = [256], init = "zeros" },
  { dtype = "i32", value = 2000 },
]
*/
extern "C" __global__ void histogram(const int* in, int* bins, int n) {
  __shared__ int local[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i] % 256], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (local[b] > 0) atomicAdd(&bins[b], local[b]);
}
