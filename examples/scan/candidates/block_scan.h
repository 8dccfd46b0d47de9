// Inclusive prefix sums over a block of THREADS threads, by shuffles within warps and once more over the warps' totals.
#pragma once

__device__ inline float warp_scan(float v) {
  int lane = threadIdx.x % 32;
  for (int d = 1; d < 32; d *= 2) {
    float before = __shfl_up_sync(0xffffffffu, v, d);  // every lane takes part; the first d have nobody before them
    if (lane >= d) v += before;
  }
  return v;
}

// Called once in a kernel: `totals` (a float for each warp) is not protected against a second call.
__device__ inline float block_scan(float v, float* totals) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  v = warp_scan(v);
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  if (warp == 0) {
    float t = warp_scan(lane < THREADS / 32 ? totals[lane] : 0.0f);
    if (lane < THREADS / 32) totals[lane] = t;
  }
  __syncthreads();
  return warp > 0 ? v + totals[warp - 1] : v;
}
