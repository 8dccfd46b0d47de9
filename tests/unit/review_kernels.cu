// Kernels for the tests of the review, bad and good ones.
#define INDEX int i = blockIdx.x * 256 + threadIdx.x

extern "C" __global__ void run_time_bound(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0;
#pragma unroll  // here
  for (int k = 0; k < n; ++k) {
    s += x[k * 33];
  }
  y[threadIdx.x] = s;
}
extern "C" __global__ void factor(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0;
#pragma unroll 4
  for (int k = 0; k < n; ++k) s += x[k * 33];
  y[threadIdx.x] = s;
}
extern "C" __global__ void from_the_thread(const float* __restrict__ x, float* __restrict__ y) {
  float s = 0;
#pragma unroll
  for (int k = threadIdx.y; k < 32; k += 8) s += x[k * 33];
  y[threadIdx.x] = s;
}
extern "C" __global__ void while_loop(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0;
  int k = threadIdx.x;
#pragma unroll
  while (k < n) {
    s += x[k * 33];
    k += 64;
  }
  y[threadIdx.x] = s;
}
extern "C" __global__ void outer_of_two(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0;
#pragma unroll
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int j = 0; j < 4; ++j) s += x[k * 33 + 5 * j];
  y[threadIdx.x] = s;
}
extern "C" __global__ void unrolled(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0;
  int bound = 16;
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int j = 0; j < bound; ++j) s += x[k + 33 * j];
  }
  y[threadIdx.x] = s;
}
template <int N>
__device__ float sum(const float* x) {
  float s = 0;
#pragma unroll
  for (int k = 0; k < N; ++k) s += x[k * 33];
  return s;
}
extern "C" __global__ void by_template(const float* __restrict__ x, float* __restrict__ y) {
  y[threadIdx.x] = sum<8>(x) + sum<24>(x + 1);
}
extern "C" __global__ void constant_factor(const float* __restrict__ x, float* __restrict__ y) {
  float s = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) s += x[k * 33];
  y[threadIdx.x] = s;
}
extern "C" __global__ void own_remainder(const float* __restrict__ x, float* __restrict__ y, int n) {
  float s = 0;
  for (int k = 0; k < n / 4 * 4; k += 4)
#pragma unroll
    for (int j = 0; j < 4; ++j) s += x[(k + j) * 33];
  y[threadIdx.x] = s;
}

extern "C" __global__ void four_floats(const float* __restrict__ x, float* __restrict__ y) {
  INDEX;
  float s = 0;
  for (int k = 0; k < 4; ++k) s += x[4 * i + k] * k;
  y[i] = s;
}
extern "C" __global__ void four_floats_in_place(float* __restrict__ x) {
  INDEX;
  for (int k = 0; k < 4; ++k) x[4 * i + k] = 2 * x[4 * i + k];
}
// A window that slides by one: no lane's first address is a multiple of 16 but by chance.
extern "C" __global__ void neighbours(const float* __restrict__ x, float* __restrict__ y) {
  INDEX;
  y[i] = x[i] + x[i + 1] + x[i + 2] + x[i + 3];
}
struct Three {
  float a, b, c;
};
extern "C" __global__ void three_floats(const Three* __restrict__ x, float* __restrict__ y) {
  INDEX;
  Three t = x[i];
  y[i] = t.a + t.b * t.c;
}
extern "C" __global__ void run_time_pitch(const float* __restrict__ x, float* __restrict__ y, int pitch) {
  INDEX;
  float s = 0;
  for (int k = 0; k < 4; ++k) s += x[i * pitch + k];
  y[i] = s;
}
extern "C" __global__ void same_for_all_lanes(const float* __restrict__ x, float* __restrict__ y) {
  float s = 0;
  for (int k = 0; k < 4; ++k) s += x[4 * blockIdx.x + k];
  y[threadIdx.x] = s;
}
extern "C" __global__ void already_wide(const float4* __restrict__ x, float* __restrict__ y) {
  INDEX;
  float4 v = x[i];
  y[i] = v.x + v.y + v.z + v.w;
}

extern "C" __global__ void big_tile(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float tile[11500];
  INDEX;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = tile[255 - threadIdx.x];
}
