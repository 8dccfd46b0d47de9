// The tree with sequential addresses: the distance between partners halves, the threads that add are the first ones,
// and neighbours read neighbours. A second launch of the same kernel adds up the sums of the blocks.
extern "C" __global__ void __launch_bounds__(THREADS)
    reduce(const float* __restrict__ x, float* __restrict__ sums, int n) {
  __shared__ float s[THREADS];

  int t = threadIdx.x;
  int i = blockIdx.x * THREADS + t;
  s[t] = i < n ? x[i] : 0.0f;
  __syncthreads();

  for (int d = THREADS / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}
