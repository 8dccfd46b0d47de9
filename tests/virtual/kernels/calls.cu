#include <cstdio>
#include <cassert>
__device__ __noinline__ float poly(float x, int n) { float s = 0; for (int i = 0; i < n; i++) s = s * x + i; return s; }
struct S { double a; int b[5]; };
__device__ __noinline__ S mk(int i, double d) { S s; s.a = d * i; for (int k = 0; k < 5; k++) s.b[k] = i + k; return s; }
__device__ __noinline__ double use(S s, int k) { return s.a + s.b[k % 5]; }
extern "C" __global__ void k1(float* out, const float* in, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = poly(in[i], i & 7) + poly(in[i], 3); }
extern "C" __global__ void k2(double* out, int n) { int i = threadIdx.x; S s = mk(i, 0.5); out[i] = use(s, i); }
extern "C" __global__ void k3(double* out, const double* x) { int i = threadIdx.x; out[i] = pow(x[i], 2.5) + sin(x[i] * 1e6); }
extern "C" __global__ void k4(int* out, int n) { int i = threadIdx.x; assert(i < n); if (i < 3) printf("hello %d %f %s\n", i, i * 0.5, "str"); out[i] = i; }
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void k5(int* out) { out[threadIdx.x] = fib(threadIdx.x % 8); }
__device__ float fa(float x) { return x + 1; } __device__ float fb(float x) { return x * 2; }
typedef float (*F)(float); __device__ F table[2] = {fa, fb};
extern "C" __global__ void k6(float* out, const int* sel) { out[threadIdx.x] = table[sel[threadIdx.x] & 1](threadIdx.x); }
__device__ int deeper(const volatile int* p, int n) { return p[0] == 1 ? n : deeper(p, n + 1) * 3 ^ deeper(p, n + 2); }
extern "C" __global__ void k7(int* out) { out[threadIdx.x + 1] = deeper(out, threadIdx.x); }
