// Each load gives the address of the next. FORM 0: in shared memory; 1: in global memory, within `n` words.
extern "C" __global__ void k(const unsigned* __restrict__ x, unsigned* __restrict__ y, int n, int turns) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
#if FORM == 0
  __shared__ unsigned s[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = (i * 33 + x[0] % 2) % 1024;
  __syncthreads();
  at %= 1024;
#pragma unroll 1
  for (int i = 0; i < turns; ++i) at = s[at];
#else
  at %= n;
#pragma unroll 1
  for (int i = 0; i < turns; ++i) at = (__ldcg(x + at) + at * 1664525u + 1013904223u) % (unsigned)n;
#endif
  y[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
