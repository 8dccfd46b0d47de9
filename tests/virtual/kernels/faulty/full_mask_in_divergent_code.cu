// The mask names all 32 lanes; only the lower half comes, the upper waits further down.
/* launch
entry = "half_warp"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [32], init = "arange" },
  { name = "out", dtype = "i32", shape = [32] },
]
*/
extern "C" __global__ void half_warp(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  if (v < 16) {
    v += __shfl_xor_sync(0xffffffffu, v, 1);  // expect: SAF608
  } else {
    v = -v;
  }
  v += __shfl_down_sync(0xffffffffu, v, 1);
  out[t] = v;
}
