// Sums of pairs and quads: one access of 8 or 16 bytes, each element an atomic by itself.
/* launch
entry = "sums"
grid = [3, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [192], init = "arange" },
  { name = "pairs", dtype = "f32", shape = [8], init = "zeros" },
  { name = "quads", dtype = "f32", shape = [8], init = "zeros" },
]
*/
extern "C" __global__ void sums(const float* in, float2* pairs, float4* quads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  float2 before = atomicAdd(&pairs[i % 4], make_float2(v, 1.0f));
  if (before.y >= 0.0f) atomicAdd(&quads[i % 2], make_float4(v, 1.0f, 2.0f * v, before.y));
}
