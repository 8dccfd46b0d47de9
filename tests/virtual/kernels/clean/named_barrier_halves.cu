// Each half of the block meets at a barrier of its own, in divergent code, with its own count.
/* launch
entry = "halves"
grid = [1, 1, 1]
block = [128, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [128], init = "arange" },
  { name = "out", dtype = "i32", shape = [128] },
]
*/
extern "C" __global__ void halves(const int* in, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[t];
  if (t < 64) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[t] = s[63 - t];
  } else {
    asm volatile("bar.sync 2, 64;" ::: "memory");
    out[t] = s[191 - t] * 2;
  }
}
