// A copy of the bins for each lane, so arranged that a lane's copy lies in a bank of its own: no two lanes of a warp
// ever meet, whatever the data. Warps share the copies, so that the additions stay atomic.
extern "C" __global__ void __launch_bounds__(THREADS)
    histogram(const unsigned char* __restrict__ data, unsigned* counts, int n, int bins) {
  __shared__ unsigned own[BINS][32];
  int lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < bins * 32; i += THREADS) own[i / 32][i % 32] = 0;
  __syncthreads();

  int stride = gridDim.x * THREADS;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += stride)
    atomicAdd(&own[data[i]][lane], 1u);
  __syncthreads();

  // A thread adds up one bin. Each lane starts at its own column: together they read all banks, not one.
  for (int b = threadIdx.x; b < bins; b += THREADS) {
    unsigned sum = 0;
    for (int j = 0; j < 32; ++j) sum += own[b][(lane + j) % 32];
    atomicAdd(&counts[b], sum);
  }
}
