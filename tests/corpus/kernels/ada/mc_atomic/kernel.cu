// Monte-Carlo sum of sqrt(1 - u^2), u from an LCG per path. Bad: f32 block sums meet in one atomic, so the bits depend on the blocks' order.
#define FULL 0xffffffffu
#define NT 256

extern "C" __global__ void clear(float* sum) {
  if (threadIdx.x == 0) *sum = 0.f;
}

extern "C" __global__ void __launch_bounds__(NT)
    paths_sum(const unsigned* __restrict__ seeds, float* sum, int paths, int draws) {
  __shared__ float ws[NT / 32];
  const int t = threadIdx.x, lane = t & 31, w = t >> 5, i = blockIdx.x * NT + t;

  float acc = 0.f;
  if (i < paths) {
    unsigned s = seeds[i];
    for (int k = 0; k < draws; ++k) {
      s = s * 1664525u + 1013904223u;
      const float u = (float)(s >> 8) * (1.f / 16777216.f);
      acc += sqrtf(1.f - u * u);
    }
  }
#pragma unroll
  for (int o = 16; o; o >>= 1) acc += __shfl_down_sync(FULL, acc, o);
  if (lane == 0) ws[w] = acc;
  __syncthreads();
  if (t == 0) {
    for (int k = 1; k < NT / 32; ++k) acc += ws[k];
    atomicAdd(sum, acc);  // defect: order-dependent
  }
}
