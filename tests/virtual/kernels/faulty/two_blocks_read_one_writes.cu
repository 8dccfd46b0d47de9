// Both blocks read v[0]; the second then changes it.
/* launch
entry = "update"
grid = [2, 1, 1]
block = [32, 1, 1]
args = [
  { name = "v", dtype = "f32", shape = [1], init = "normal" },
  { name = "out", dtype = "f32", shape = [2] },
]
*/
extern "C" __global__ void update(float* v, float* out) {
  if (threadIdx.x != 0) return;
  float old = v[0];
  out[blockIdx.x] = old;
  if (blockIdx.x == 1) v[0] = 2.0f * old + 1.0f;  // expect: SAF602
}
