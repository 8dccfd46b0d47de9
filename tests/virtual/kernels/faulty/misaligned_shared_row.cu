// Rows of 17 halves put every odd row two bytes off a four-byte boundary.
/* launch
entry = "rows"
grid = [1, 1, 1]
block = [16, 16, 1]
args = [
  { name = "in", dtype = "f16", shape = [16, 16], init = "normal" },
  { name = "out", dtype = "f16", shape = [16, 16] },
]
*/
#include <cuda_fp16.h>
extern "C" __global__ void rows(const half* in, half2* out) {
  __shared__ __align__(16) half s[16][17];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = in[y * 16 + x];
  __syncthreads();
  if (x < 8) out[y * 8 + x] = *reinterpret_cast<half2*>(&s[y][2 * x]);  // expect: SAF607
}
