// The kernel's own check stops it.
/* launch
entry = "checked_sqrt"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [64], init = "arange" },
  { name = "out", dtype = "f32", shape = [64] },
]
*/
extern "C" __global__ void checked_sqrt(const int* in, float* out) {
  int t = threadIdx.x, v = in[t] - 5;
  if (v < -4) __trap();  // expect: SAF613
  out[t] = sqrtf((float)(v + 5));
}
