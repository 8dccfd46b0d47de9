// Lanes, and then warps, write different halves of the same words.
/* launch
entry = "interleave"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f16", shape = [64], init = "normal" },
  { name = "out", dtype = "f16", shape = [128] },
]
*/
#include <cuda_fp16.h>
extern "C" __global__ void interleave(const half* in, half* out) {
  __shared__ half lanes[64], warps[64];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  lanes[t] = in[t];
  warps[2 * lane + warp] = in[t];
  __syncthreads();
  out[t] = lanes[63 - t];
  out[64 + t] = warps[t];
}
