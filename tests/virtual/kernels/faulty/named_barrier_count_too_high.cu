// The barrier expects three warps; the block has two.
/* launch
entry = "meet"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [64], init = "arange" },
  { name = "out", dtype = "i32", shape = [64] },
]
*/
extern "C" __global__ void meet(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  asm volatile("bar.sync 1, 96;" ::: "memory");  // expect: SAF611|SAF609
  out[t] = s[63 - t];
}
