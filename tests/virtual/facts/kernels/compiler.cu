// What source becomes in machine code.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void read_only(const float* a, float* out) { out[threadIdx.x] = __ldg(a + threadIdx.x); }

// Every space, and a local array that is indexed at run time.
extern "C" __global__ void spaces(const float* a, float* out, int n) {
  __shared__ float tile[32];
  float mine[64];
  for (int k = 0; k < 64; ++k) mine[(k * n) & 63] = a[k];
  tile[threadIdx.x] = mine[n & 63];
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

extern "C" __global__ void contracted(const float* a, float* out) { out[0] = a[0] * a[1] + a[2]; }
extern "C" __global__ void rounded_to_zero(const float* a, float* out) { out[0] = __fmaf_rz(a[0], a[1], a[2]); }

extern "C" __global__ void warp_product(const half* a, const half* b, half* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> fc;
  wmma::fill_fragment(fc, __float2half(0.0f));
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

// A bound that never changes.
extern "C" __global__ void local_bound(const float* a, float* out, int pitch) {
  int tile = 16;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < tile; ++k) sum += a[k * pitch + threadIdx.x];
  out[threadIdx.x] = sum;
}

// The same loop, not unrolled.
extern "C" __global__ void rolled(const float* a, float* out, int pitch) {
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 16; ++k) sum += a[k * pitch + threadIdx.x];
  out[threadIdx.x] = sum;
}

// Bounds that are known when running.
extern "C" __global__ void run_time_bound(const float* a, float* out, int pitch, int n) {
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < n; ++k) sum += a[k * pitch + threadIdx.x];
  out[threadIdx.x] = sum;
}

extern "C" __global__ void run_time_bound_by_four(const float* a, float* out, int pitch, int n) {
  float sum = 0.0f;
#pragma unroll 4
  for (int k = 0; k < n; ++k) sum += a[k * pitch + threadIdx.x];
  out[threadIdx.x] = sum;
}
