// Reductions over a block of THREADS threads; every thread gets the result.
#pragma once

__device__ inline float warp_max(float v) {
  for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
  return v;
}

__device__ inline float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}

// `s` holds a value for each warp. The first barrier protects what an earlier call left there for slower warps to read.
__device__ inline float block_max(float v, float* s) {
  v = warp_max(v);
  __syncthreads();
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = s[0];
  for (int w = 1; w < THREADS / 32; ++w) v = fmaxf(v, s[w]);
  return v;
}

__device__ inline float block_sum(float v, float* s) {
  v = warp_sum(v);
  __syncthreads();
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = s[0];
  for (int w = 1; w < THREADS / 32; ++w) v += s[w];
  return v;
}
