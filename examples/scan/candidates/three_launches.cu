// Blocks scan their parts and leave their totals; one block scans the totals; then every element gets the total of what
// lies before its block. The launches are the grid-wide barriers. y is written, read and written again.
#include "block_scan.h"

extern "C" __global__ void __launch_bounds__(THREADS)
    scan_blocks(const float* __restrict__ x, float* __restrict__ y, float* __restrict__ totals, int n) {
  __shared__ float s[THREADS / 32];
  int i = blockIdx.x * THREADS + threadIdx.x;
  float v = block_scan(i < n ? x[i] : 0.0f, s);
  if (i < n) y[i] = v;
  if (threadIdx.x == THREADS - 1) totals[blockIdx.x] = v;
}

// One block, in place: enough for THREADS totals.
extern "C" __global__ void __launch_bounds__(THREADS) scan_totals(float* totals, int blocks) {
  __shared__ float s[THREADS / 32];
  int i = threadIdx.x;
  float v = block_scan(i < blocks ? totals[i] : 0.0f, s);
  if (i < blocks) totals[i] = v;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    add_totals(float* __restrict__ y, const float* __restrict__ totals, int n) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (blockIdx.x > 0 && i < n) y[i] += totals[blockIdx.x - 1];
}
