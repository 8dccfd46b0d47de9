// Waits for a flag that no thread of the launch writes.
/* launch
entry = "wait"
grid = [2, 1, 1]
block = [32, 1, 1]
args = [
  { name = "flag", dtype = "i32", shape = [1], init = "zeros" },
  { name = "out", dtype = "i32", shape = [64] },
]
*/
extern "C" __global__ void wait(volatile int* flag, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (*flag == 0) {  // expect: SAF612|SAF611
  }
  out[i] = i;
}
