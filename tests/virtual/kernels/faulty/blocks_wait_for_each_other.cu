// Each block waits for the other one's signal before it gives its own.
/* launch
entry = "after_you"
grid = [2, 1, 1]
block = [32, 1, 1]
args = [
  { name = "flags", dtype = "i32", shape = [2], init = "zeros" },
  { name = "out", dtype = "i32", shape = [2] },
]
*/
extern "C" __global__ void after_you(volatile int* flags, int* out) {
  if (threadIdx.x != 0) return;
  int me = blockIdx.x, other = 1 - me;
  while (flags[other] == 0) {  // expect: SAF612|SAF611
  }
  __threadfence();
  flags[me] = 1;
  out[me] = me;
}
