// ILP independent chains of dependent steps, `turns` times; one value per thread is stored at the end.
#if KIND == 0
#define TYPE float
#define STEP(v) v = v * p + q
#elif KIND == 1
#define TYPE float
#define STEP(v) v = __sinf(v) + q
#elif KIND == 2
#define TYPE float
#define STEP(v) v = rsqrtf(v) * __expf(-v) + q
#elif KIND == 3
#define TYPE unsigned
#define STEP(v) v = (v ^ (v >> 15)) * 0x85ebca6bu + (v << 3)
#elif KIND == 4
#define TYPE double
#define STEP(v) v = v * p + q
#elif KIND == 5
#define TYPE unsigned
#define STEP(v) v = __popc(v) + (v & 0xff0f) + __clz(v)
#elif KIND == 6
#define TYPE float
#define STEP(v) v = (float)(int)(v * p) + q
#endif
extern "C" __global__ void k(const TYPE* __restrict__ x, TYPE* __restrict__ y, int turns) {
  extern __shared__ float unused[];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  TYPE p = x[0], q = x[1], v[ILP];
#pragma unroll
  for (int i = 0; i < ILP; ++i) v[i] = x[(t + 32 * i) % 4096];
#pragma unroll 1
  for (int n = 0; n < turns; ++n) {
#pragma unroll
    for (int u = 0; u < 8; ++u)
#pragma unroll
      for (int i = 0; i < ILP; ++i) STEP(v[i]);
  }
  TYPE s = v[0];
#pragma unroll
  for (int i = 1; i < ILP; ++i) s += v[i];
  y[t] = s;
}
