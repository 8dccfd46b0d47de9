// The part of one element of C that comes from k0 <= k < k1: tiles of A and B in shared memory, edges filled with
// zeros.
#pragma once

__device__ inline float partial_sum(const float* __restrict__ A, const float* __restrict__ B, int M, int N, int K,
                                    int row, int col, int k0, int k1) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;

  float sum = 0.0f;
  for (int k = k0; k < k1; k += TILE) {
    As[ty][tx] = row < M && k + tx < k1 ? A[row * K + k + tx] : 0.0f;
    Bs[ty][tx] = k + ty < k1 && col < N ? B[(k + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int j = 0; j < TILE; ++j) sum += As[ty][j] * Bs[j][tx];
    __syncthreads();
  }
  return sum;
}
