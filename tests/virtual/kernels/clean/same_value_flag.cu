// Any thread that finds something stores the same flag value, in shared and in global memory.
/* launch
entry = "find"
grid = [3, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [192], init = "arange" },
  { name = "block_found", dtype = "i32", shape = [3] },
  { name = "found", dtype = "i32", shape = [1], init = "zeros" },
]
*/
extern "C" __global__ void find(const int* in, int* block_found, int* found) {
  __shared__ int any;
  int t = threadIdx.x;
  if (t == 0) any = 0;
  __syncthreads();
  if (in[blockIdx.x * 64 + t] % 5 == 0) {
    any = 1;
    *found = 1;
  }
  __syncthreads();
  if (t == 0) block_found[blockIdx.x] = any;
}
