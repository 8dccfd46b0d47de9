// Every second lane goes past a shuffle that names all 32, works on and ends without ever coming to it.
/* launch
entry = "pairs"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [32], init = "normal" },
  { name = "out", dtype = "f32", shape = [32] },
]
*/
extern "C" __global__ void pairs(const float* in, float* out) {
  int t = threadIdx.x;
  float v = in[t];
  if (t % 2) v += __shfl_xor_sync(0xffffffffu, v, 2);  // expect: SAF608
  out[t] = v;
}
