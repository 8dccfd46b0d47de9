// Copies with cp.async whose waits are missing, too weak or in the wrong place. One kernel per launch.
/* launch none
entry = "no_wait"
grid = [2, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [1024], init = "arange" }, { name = "out", dtype = "f32", shape = [1024] }]
*/
/* launch uncommitted
entry = "no_commit"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [1024], init = "arange" }, { name = "out", dtype = "f32", shape = [1024] }]
*/
/* launch weak
entry = "wait_count_too_large"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [1024], init = "arange" }, { name = "out", dtype = "f32", shape = [1024] }]
*/
/* launch late
entry = "wait_after_barrier"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [1024], init = "arange" }, { name = "out", dtype = "f32", shape = [1024] }]
*/
/* launch unordered
entry = "no_barrier"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [1024], init = "arange" }, { name = "out", dtype = "f32", shape = [1024] }]
*/
/* launch reused
entry = "stage_still_read"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [1024], init = "arange" }, { name = "out", dtype = "f32", shape = [1024] }]
*/
/* launch twice
entry = "two_copies_to_one_place"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [1024], init = "arange" }, { name = "out", dtype = "f32", shape = [1024] }]
*/
/* launch uneven
entry = "only_some_commit"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [1024], init = "arange" }, { name = "out", dtype = "f32", shape = [1024] }]
*/
/* launch matrix
entry = "ldmatrix_too_early"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [1024], init = "arange" }, { name = "out", dtype = "f32", shape = [1024] }]
*/
/* launch many
entry = "one_of_a_hundred"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [4000], init = "arange" }, { name = "out", dtype = "f32", shape = [4000] }]
*/
#include <cuda_pipeline.h>

extern "C" __global__ void no_wait(const float4* in, float4* out) {
  __shared__ float4 tile[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  __pipeline_memcpy_async(&tile[t], &in[i], 16);  // related@none: SAF615
  __pipeline_commit();
  __syncthreads();
  out[i] = tile[63 - t];  // expect@none: SAF615
}

extern "C" __global__ void no_commit(const float4* in, float4* out) {
  __shared__ float4 tile[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], 16);  // related@uncommitted: SAF615
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[63 - t];  // expect@uncommitted: SAF615
}

extern "C" __global__ void wait_count_too_large(const float4* in, float4* out) {
  __shared__ float4 stage[3][64];
  int t = threadIdx.x;
  for (int s = 0; s < 2; s++) {
    __pipeline_memcpy_async(&stage[s][t], &in[64 * s + t], 16);  // related@weak: SAF615
    __pipeline_commit();
  }
  for (int s = 0; s < 4; s++) {
    if (s + 2 < 4) __pipeline_memcpy_async(&stage[(s + 2) % 3][t], &in[64 * (s + 2) + t], 16);  // related@weak: SAF615
    __pipeline_commit();
    __pipeline_wait_prior(3);  // related@weak: SAF615
    __syncthreads();
    out[64 * s + t] = stage[s % 3][63 - t];  // expect@weak: SAF615
    __syncthreads();
  }
}

extern "C" __global__ void wait_after_barrier(const float4* in, float4* out) {
  __shared__ float4 tile[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], 16);  // related@late: SAF601
  __pipeline_commit();
  __syncthreads();
  __pipeline_wait_prior(0);
  out[t] = tile[63 - t];  // expect@late: SAF601|SAF615
}

extern "C" __global__ void no_barrier(const float4* in, float4* out) {
  __shared__ float4 tile[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], 16);  // related@unordered: SAF601
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = tile[t ^ 1];  // expect@unordered: SAF601
}

extern "C" __global__ void stage_still_read(const float4* in, float4* out) {
  __shared__ float4 tile[64];
  int t = threadIdx.x;
  for (int s = 0; s < 3; s++) {
    __pipeline_memcpy_async(&tile[t], &in[64 * s + t], 16);  // expect@reused: SAF601
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[64 * s + t] = tile[63 - t];  // related@reused: SAF601
  }
}

extern "C" __global__ void two_copies_to_one_place(const float4* in, float4* out) {
  __shared__ float4 tile[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], 16);  // related@twice: SAF615
  __pipeline_commit();
  __pipeline_memcpy_async(&tile[t], &in[64 + t], 16);  // expect@twice: SAF615
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[63 - t];
}

// A wait counts the groups of its own thread: odd threads have committed one group less.
extern "C" __global__ void only_some_commit(const float4* in, float4* out) {
  __shared__ float4 first[64], second[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&first[t], &in[t], 16);  // related@uneven: SAF615
  if (t % 2 == 0) __pipeline_commit();
  __pipeline_memcpy_async(&second[t], &in[64 + t], 16);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  out[t] = first[63 - t];  // expect@uneven: SAF615 // also@uneven: SAF601
  __pipeline_wait_prior(0);
  __syncthreads();
  out[64 + t] = second[63 - t];
}

extern "C" __global__ void ldmatrix_too_early(const float4* in, float* out) {
  __shared__ float4 tile[32];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], 16);  // related@matrix: SAF615
  __pipeline_commit();
  unsigned row = (unsigned)__cvta_generic_to_shared(&tile[t]), a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"  // expect@matrix: SAF615
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(row));
  __pipeline_wait_prior(0);
  out[t] = __uint_as_float(a ^ b ^ c ^ d);
}

extern "C" __global__ void one_of_a_hundred(const float* in, float* out) {
  __shared__ float tile[100][32];
  int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < 100; k++) {
    __pipeline_memcpy_async(&tile[k][t], &in[32 * k + t], 4);  // related@many: SAF615
    __pipeline_commit();
  }
  asm volatile("cp.async.wait_group 50;" ::: "memory");  // related@many: SAF615
  for (int k = 0; k < 51; k++) out[32 * k + t] = tile[k][t];  // expect@many: SAF615
  __pipeline_wait_prior(0);
}
