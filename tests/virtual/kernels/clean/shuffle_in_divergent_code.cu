// The mask is taken from the vote before the branch, so that it names exactly the lanes inside.
/* launch
entry = "partial_warp"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [32], init = "arange" },
  { name = "out", dtype = "i32", shape = [32] },
]
*/
extern "C" __global__ void partial_warp(const int* in, int* out) {
  int t = threadIdx.x, v = in[t];
  bool low = v < 16;
  unsigned mask = __ballot_sync(0xffffffffu, low);
  if (low) {
    for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(mask, v, d);
  } else {
    v = -v;
  }
  out[t] = v;
}
