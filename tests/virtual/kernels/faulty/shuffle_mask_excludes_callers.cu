// A mask of six lanes, used by a full warp.
/* launch
entry = "sum"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [32], init = "normal" },
  { name = "out", dtype = "f32", shape = [32] },
]
*/
extern "C" __global__ void sum(const float* in, float* out) {
  float v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0x3f, v, d);  // expect: SAF608
  out[threadIdx.x] = v;
}
