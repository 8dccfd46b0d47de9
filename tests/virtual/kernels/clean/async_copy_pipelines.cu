// The right ways to wait for cp.async: a pipeline of three stages with a ragged end, groups that differ between lanes.
/* launch stages
entry = "three_stages"
grid = [3, 1, 1]
block = [96, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [4097], init = "arange" },
  { name = "out", dtype = "f32", shape = [4097] },
  { dtype = "i32", value = 4097 },
]
*/
/* launch divergent
entry = "half_of_the_lanes"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [512], init = "arange" },
  { name = "out", dtype = "f32", shape = [512] },
]
*/
/* launch many
entry = "a_hundred_in_flight"
grid = [2, 1, 1]
block = [40, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [8000], init = "arange" },
  { name = "out", dtype = "f32", shape = [8000] },
]
*/
#include <cuda_pipeline.h>

__device__ void fetch(float4* to, const float* in, int at, int n) {
  // No byte behind the end is read: what is missing becomes zero.
  int bytes = at + 4 <= n ? 16 : at < n ? 4 * (n - at) : 0;
  unsigned target = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(in + at), "r"(bytes));
}

extern "C" __global__ void three_stages(const float* in, float* out, int n) {
  __shared__ float4 stage[3][96];
  int t = threadIdx.x, step = 4 * 96 * gridDim.x, first = 4 * 96 * blockIdx.x;
  int rounds = (n + step - 1) / step;
  for (int s = 0; s < 2; s++) {
    if (s < rounds) fetch(&stage[s][t], in, first + s * step + 4 * t, n);
    __pipeline_commit();
  }
  for (int s = 0; s < rounds; s++) {
    __pipeline_wait_prior(1);
    __syncthreads();
    if (s + 2 < rounds) fetch(&stage[(s + 2) % 3][t], in, first + (s + 2) * step + 4 * t, n);
    __pipeline_commit();
    float4 v = stage[s % 3][95 - t];
    int at = first + s * step + 4 * (95 - t);
    float values[4] = {v.x, v.y, v.z, v.w};
    for (int k = 0; k < 4; k++)
      if (at + k < n) out[at + k] = values[k];
  }
}

// Even lanes copy once more and wait for all; odd lanes have one group less and wait as well.
extern "C" __global__ void half_of_the_lanes(const float* in, float* out) {
  __shared__ float first[64], second[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&first[t], &in[t], 4);
  __pipeline_commit();
  if (t % 2 == 0) {
    __pipeline_memcpy_async(&second[t], &in[64 + t], 8);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    out[t] = first[t];
    __pipeline_wait_prior(0);
  } else {
    __pipeline_wait_prior(0);
  }
  __syncthreads();
  out[64 + t] = first[63 - t] + second[63 - t];
}

extern "C" __global__ void a_hundred_in_flight(const float* in, float* out) {
  __shared__ float tile[100][40];
  int t = threadIdx.x;
  in += 4000 * blockIdx.x, out += 4000 * blockIdx.x;
#pragma unroll 1
  for (int k = 0; k < 100; k++) {
    __pipeline_memcpy_async(&tile[k][t], &in[40 * k + t], 4);
    __pipeline_commit();
  }
  asm volatile("cp.async.wait_group 50;" ::: "memory");
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 50; k++) sum += tile[k][39 - t];
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int k = 0; k < 100; k++) out[40 * k + t] = tile[k][39 - t] + sum;
}
