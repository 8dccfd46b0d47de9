// C[M, N] = A[M, K] B[K, N] in half precision, one thread for each element. FAULT picks where its sum is kept.
#include <cuda_fp16.h>
#define CORRECT 0
#define HALF_SUM 1

extern "C" __global__ void matmul(const half* A, const half* B, half* C, int M, int N, int K) {
  int row = blockIdx.y * 4 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  if (row >= M || col >= N) return;
#if FAULT == HALF_SUM
  half sum = __float2half(0.0f);
  for (int k = 0; k < K; ++k) sum = __hfma(A[row * K + k], B[k * N + col], sum);
  C[row * N + col] = sum;
#else
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
  C[row * N + col] = __float2half(sum);
#endif
}
