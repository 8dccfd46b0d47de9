// Four warps of each block write the four bytes of the same words, and two blocks share words in global memory.
/* launch
entry = "bytes"
grid = [2, 1, 1]
block = [128, 1, 1]
args = [
  { name = "in", dtype = "u8", shape = [256], init = "arange" },
  { name = "out", dtype = "u8", shape = [256] },
]
*/
extern "C" __global__ void bytes(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char s[128];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  s[4 * lane + warp] = in[blockIdx.x * 128 + t];
  __syncthreads();
  out[2 * t + blockIdx.x] = s[t];
}
