// y = x^T on n x n. PAD < 0: straight from and to global memory; else through a 32 x (32 + PAD) tile.
extern "C" __global__ void k(const float* __restrict__ x, float* __restrict__ y, int n) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
#if PAD < 0
#pragma unroll
  for (int i = 0; i < 32; i += 8) y[c * n + r + i] = x[(r + i) * n + c];
#else
  __shared__ float tile[32][32 + PAD];
#pragma unroll
  for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = x[(r + i) * n + c];
  __syncthreads();
  int tc = blockIdx.y * 32 + threadIdx.x, tr = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
  for (int i = 0; i < 32; i += 8) y[(tr + i) * n + tc] = tile[threadIdx.x][threadIdx.y + i];
#endif
}
