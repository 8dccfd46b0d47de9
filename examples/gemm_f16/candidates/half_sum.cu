// The tiled kernel with the sum in f16: every addition rounds it to 11 bits.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(TILE * TILE)
    gemm(const __half* __restrict__ A, const __half* __restrict__ B, __half* __restrict__ C, int M, int N, int K) {
  __shared__ __half As[TILE][TILE];
  __shared__ __half Bs[TILE][TILE];

  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int col = blockIdx.x * TILE + tx;
  const __half zero = __float2half(0.0f);

  __half sum = zero;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : zero;
    Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : zero;
    __syncthreads();  // both tiles are complete

    for (int k = 0; k < TILE; ++k) sum = __hfma(As[ty][k], Bs[k][tx], sum);
    __syncthreads();  // nobody reads them any more
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
