// A vector load that starts one float late.
/* launch
entry = "copy4"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [132], init = "normal" },
  { name = "out", dtype = "f32", shape = [128] },
]
*/
extern "C" __global__ void copy4(const float* in, float* out) {
  int t = threadIdx.x;
  float4 v = *reinterpret_cast<const float4*>(in + 1 + 4 * t);  // expect: SAF607
  reinterpret_cast<float4*>(out)[t] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}
