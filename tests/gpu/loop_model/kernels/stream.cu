// y = 2 x + 1 with a grid-stride loop over vectors of V floats, UNROLL of them under way.
#if V == 4
using Vec = float4;
#elif V == 2
using Vec = float2;
#else
using Vec = float;
#endif
extern "C" __global__ void k(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float unused[];
  const Vec* in = (const Vec*)x;
  Vec* out = (Vec*)y;
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / V; i += stride * UNROLL) {
    Vec v[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
      if (i + u * stride < n / V) v[u] = in[i + u * stride];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      float* f = (float*)&v[u];
#pragma unroll
      for (int j = 0; j < V; ++j) f[j] = 2.f * f[j] + 1.f;
      if (i + u * stride < n / V) out[i + u * stride] = v[u];
    }
  }
}
