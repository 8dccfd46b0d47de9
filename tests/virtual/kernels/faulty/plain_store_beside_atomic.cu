// The reset is an ordinary store while other blocks already add atomically.
/* launch
entry = "reset_and_add"
grid = [4, 1, 1]
block = [32, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [128], init = "arange" },
  { name = "total", dtype = "i32", shape = [1], init = "zeros" },
]
*/
extern "C" __global__ void reset_and_add(const int* in, int* total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) *total = 0;       // related: SAF602
  atomicAdd(total, in[i]);  // expect: SAF602
}
