// Only the grid's first thread clears the block's counter: right with one block, wrong with more.
/* launch n1024
entry = "count_positive"
grid = [1, 1, 1]
block = [1024, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [1024], init = "normal" },
  { name = "out", dtype = "i32", shape = [1] },
  { dtype = "i32", value = 1024 },
]
*/
/* launch n100000
entry = "count_positive"
grid = [98, 1, 1]
block = [1024, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [100000], init = "normal" },
  { name = "out", dtype = "i32", shape = [98] },
  { dtype = "i32", value = 100000 },
]
*/
extern "C" __global__ void count_positive(const float* in, int* out, int n) {
  __shared__ int count;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) count = 0;
  __syncthreads();
  if (i < n && in[i] > 0.0f) atomicAdd(&count, 1);  // expect@n100000: SAF605
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = count;  // also@n100000: SAF605
}
