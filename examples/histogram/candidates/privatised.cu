// Each block counts in its own bins in shared memory and adds them to the global ones once. Lanes whose bytes differ
// can still meet in one bank.
extern "C" __global__ void __launch_bounds__(THREADS)
    histogram(const unsigned char* __restrict__ data, unsigned* counts, int n, int bins) {
  __shared__ unsigned own[BINS];
  for (int b = threadIdx.x; b < bins; b += THREADS) own[b] = 0;
  __syncthreads();

  int stride = gridDim.x * THREADS;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += stride)
    atomicAdd(&own[data[i]], 1u);
  __syncthreads();

  for (int b = threadIdx.x; b < bins; b += THREADS) atomicAdd(&counts[b], own[b]);
}
