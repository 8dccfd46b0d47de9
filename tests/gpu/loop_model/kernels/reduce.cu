// Sum of x: grid-stride loads of V floats, UNROLL of them under way, then shuffles, then one atomic per warp.
#if V == 4
using Vec = float4;
#else
using Vec = float;
#endif
extern "C" __global__ void k(const float* __restrict__ x, float* __restrict__ sum, int n) {
  const Vec* in = (const Vec*)x;
  int stride = gridDim.x * blockDim.x;
  float s = 0.f;
#pragma unroll UNROLL
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / V; i += stride) {
    Vec v = in[i];
    float* f = (float*)&v;
#pragma unroll
    for (int j = 0; j < V; ++j) s += f[j];
  }
#pragma unroll
  for (int o = 16; o >= 1; o /= 2) s += __shfl_down_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, s);
}
