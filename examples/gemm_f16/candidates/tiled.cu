// A block computes a TILE x TILE piece of C from tiles of A and B in shared memory. Operands stay f16 until they are
// multiplied; a product of two f16 values is exact in f32, and the sum is kept there.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(TILE * TILE)
    gemm(const __half* __restrict__ A, const __half* __restrict__ B, __half* __restrict__ C, int M, int N, int K) {
  __shared__ __half As[TILE][TILE];
  __shared__ __half Bs[TILE][TILE];

  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int col = blockIdx.x * TILE + tx;
  const __half zero = __float2half(0.0f);

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : zero;
    Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : zero;
    __syncthreads();  // both tiles are complete

    for (int k = 0; k < TILE; ++k) sum += __half2float(As[ty][k]) * __half2float(Bs[k][tx]);
    __syncthreads();  // nobody reads them any more
  }
  if (row < M && col < N) C[row * N + col] = __float2half(sum);
}
