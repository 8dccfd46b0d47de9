// Shared-memory loads: READS of them under way, lanes STRIDE vectors of V floats apart.
#if V == 4
using Vec = float4;
#else
using Vec = float;
#endif
extern "C" __global__ void k(const float* __restrict__ x, float* __restrict__ y, int turns) {
  __shared__ float s[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = x[i];
  __syncthreads();
  const Vec* in = (const Vec*)s;
  int at = threadIdx.x * STRIDE;
  float sum = 0.f;
#pragma unroll 1
  for (int n = 0; n < turns; ++n) {
    Vec v[READS];
#pragma unroll
    for (int u = 0; u < READS; ++u) v[u] = in[(at + u * 64) % (8192 / V)];
#pragma unroll
    for (int u = 0; u < READS; ++u) {
      float* f = (float*)&v[u];
#pragma unroll
      for (int j = 0; j < V; ++j) sum += f[j];
    }
    at += 32 + (__float_as_int(sum) == 0x7fc12345);
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
