// What promises and arrays cost in registers, loads and stack.
#ifdef PROMISE
#define RESTRICT __restrict__
#else
#define RESTRICT
#endif

// Without the promise every store may change what the next line reads, so it is loaded again.
extern "C" __global__ void reloads(float* RESTRICT x, float* RESTRICT y, const float* RESTRICT a,
                                   const float* RESTRICT b, const float* RESTRICT c) {
  int i = threadIdx.x;
  x[i] = a[i] * b[i];
  y[i] = a[i] * b[i];
  x[i + 32] = a[i] * b[i] * c[i];
  y[i + 32] = a[i] * b[i] * c[i];
}

// With the promise all loads may be issued before the first store, and all values wait in registers.
extern "C" __global__ void gathers(float* RESTRICT out, const float* RESTRICT a, int pitch) {
  int i = threadIdx.x;
#pragma unroll
  for (int k = 0; k < 16; ++k) out[i + k * pitch] = a[i + k * pitch] * 2.0f;
}

// Indices known when compiling.
extern "C" __global__ void fixed(float* out, const float* a) {
  float v[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) v[k] = a[32 * threadIdx.x + k];
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 32; ++k) sum += v[31 - k] * v[k];
  out[threadIdx.x] = sum;
}

// Indices known when running.
extern "C" __global__ void indexed(float* out, const float* a, const int* where) {
  float v[100];
  for (int k = 0; k < 100; ++k) v[k] = a[100 * threadIdx.x + k];
  float sum = 0.0f;
  for (int k = 0; k < 100; ++k) sum += v[where[k]];
  out[threadIdx.x] = sum;
}
