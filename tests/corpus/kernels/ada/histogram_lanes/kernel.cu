// Histogram of the upper four bits of bytes: a counter column per thread in shared memory, so that no bin is shared and no bank is hit twice.
#define FULL 0xffffffffu
#define NT 128
#define BINS 16

extern "C" __global__ void clear(unsigned* hist) {
  if (threadIdx.x < BINS) hist[threadIdx.x] = 0u;
}

extern "C" __global__ void __launch_bounds__(NT) hist16(const unsigned char* __restrict__ in, unsigned* hist, int n) {
  __shared__ unsigned s[BINS][NT];  // bank = thread % 32 whatever the bin
  const int t = threadIdx.x, lane = t & 31, w = t >> 5;
  const unsigned* in4 = (const unsigned*)in;

  for (int b = 0; b < BINS; ++b) s[b][t] = 0u;  // its own column only: no barrier needed yet
  for (int i = blockIdx.x * NT + t; i < (n >> 2); i += gridDim.x * NT) {
    const unsigned v = in4[i];
    s[(v >> 4) & 15][t]++;
    s[(v >> 12) & 15][t]++;
    s[(v >> 20) & 15][t]++;
    s[v >> 28][t]++;
  }
  if (blockIdx.x == 0 && t < (n & 3)) s[in[(n & ~3) + t] >> 4][t]++;  // up to three bytes behind the last word
  __syncthreads();

  for (int b = w; b < BINS; b += NT / 32) {
    unsigned c = 0;
    for (int k = lane; k < NT; k += 32) c += s[b][k];
#pragma unroll
    for (int o = 16; o; o >>= 1) c += __shfl_xor_sync(FULL, c, o);
    if (lane == 0) atomicAdd(&hist[b], c);
  }
}
