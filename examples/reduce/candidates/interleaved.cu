// The tree with interleaved addresses: the distance between partners grows. Without STRIDED a remainder picks the
// threads that add, which leaves gaps in every warp; with it they are packed together, and their addresses move apart
// instead. A second launch of the same kernel adds up the sums of the blocks.
extern "C" __global__ void __launch_bounds__(THREADS)
    reduce(const float* __restrict__ x, float* __restrict__ sums, int n) {
  __shared__ float s[THREADS];

  int t = threadIdx.x;
  int i = blockIdx.x * THREADS + t;
  s[t] = i < n ? x[i] : 0.0f;
  __syncthreads();

  for (int d = 1; d < THREADS; d *= 2) {
    if (STRIDED) {
      int at = 2 * d * t;
      if (at < THREADS) s[at] += s[at + d];
    } else {
      if (t % (2 * d) == 0) s[t] += s[t + d];
    }
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}
