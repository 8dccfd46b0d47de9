// A table with one place for each warp of 1024 elements, indexed by the element's warp number.
/* launch n1024
entry = "warp_sums"
grid = [1, 1, 1]
block = [1024, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [1024], init = "normal" },
  { name = "out", dtype = "f32", shape = [32] },
  { dtype = "i32", value = 1024 },
]
*/
/* launch n100000
entry = "warp_sums"
grid = [98, 1, 1]
block = [1024, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [100000], init = "normal" },
  { name = "out", dtype = "f32", shape = [3136] },
  { dtype = "i32", value = 100000 },
]
*/
extern "C" __global__ void warp_sums(const float* in, float* out, int n) {
  __shared__ float table[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.0f;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (i % 32 == 0) table[i / 32] = v;  // expect@n100000: SAF604
  __syncthreads();
  if (threadIdx.x < 32) out[blockIdx.x * 32 + threadIdx.x] = table[threadIdx.x];  // also@n100000: SAF605
}
