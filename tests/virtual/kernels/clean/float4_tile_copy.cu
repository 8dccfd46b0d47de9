// The block copies a tile through shared memory, 16 bytes a lane, and writes its rows in reverse order.
/* launch
entry = "flip_rows"
grid = [2, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [32, 32], init = "normal" },
  { name = "out", dtype = "f32", shape = [32, 32] },
]
*/
extern "C" __global__ void flip_rows(const float4* in, float4* out) {
  __shared__ float4 tile[16][8];
  const float4* src = in + blockIdx.x * 128;
  float4* dst = out + blockIdx.x * 128;
  for (int v = threadIdx.x; v < 128; v += blockDim.x) tile[v / 8][v % 8] = src[v];
  __syncthreads();
  for (int v = threadIdx.x; v < 128; v += blockDim.x) dst[v] = tile[15 - v / 8][v % 8];
}
