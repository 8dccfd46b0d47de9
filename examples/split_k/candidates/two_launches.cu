// The blocks of one tile of C share its K: each leaves its part in a workspace of its own, and a second launch adds the
// parts up, always in the same order.
#include "partial.h"

extern "C" __global__ void __launch_bounds__(TILE * TILE)
    gemm_parts(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ parts, int M, int N,
               int K) {
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  int length = (K + SPLITS - 1) / SPLITS;  // rounded up: the last part may be shorter, or empty
  int k0 = blockIdx.z * length;
  float sum = partial_sum(A, B, M, N, K, row, col, k0, min(k0 + length, K));
  if (row < M && col < N) parts[(blockIdx.z * M + row) * N + col] = sum;
}

extern "C" __global__ void add_parts(const float* __restrict__ parts, float* __restrict__ C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float sum = 0.0f;
  for (int s = 0; s < SPLITS; ++s) sum += parts[s * size + i];
  C[i] = sum;
}
