// A full warp with the full mask, in all four directions.
/* launch
entry = "shuffles"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [64], init = "normal" },
  { name = "out", dtype = "f32", shape = [64] },
]
*/
extern "C" __global__ void shuffles(const float* in, float* out) {
  const unsigned full = 0xffffffffu;
  int t = threadIdx.x;
  float v = in[t];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(full, v, d);
  v += __shfl_up_sync(full, v + t, 1);
  v += __shfl_down_sync(full, v, 4, 8);
  out[t] = v + __shfl_sync(full, v, 0);
}
