// Each thread computes two neighbours of a row of C and moves B and C as half2, 4 bytes a lane. That needs rows that
// start on a word: `gemm2` runs where N is even, the plain `gemm` where it is not (see the .toml).
#include <cuda_fp16.h>

template <bool PAIRS>
__device__ __half2 load(const __half* __restrict__ m, int row, int col, int rows, int cols) {
  const __half zero = __float2half(0.0f);
  if (row >= rows || col >= cols) return __halves2half2(zero, zero);
  const __half* p = m + row * cols + col;
  if (PAIRS) return *reinterpret_cast<const __half2*>(p);
  return __halves2half2(p[0], col + 1 < cols ? p[1] : zero);
}

template <bool PAIRS>
__device__ void product(const __half* __restrict__ A, const __half* __restrict__ B, __half* __restrict__ C, int M,
                        int N, int K) {
  __shared__ __half As[TILE][TILE];
  __shared__ __half2 Bs[TILE][TILE];

  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int col = 2 * (blockIdx.x * TILE + tx);

  float2 sum = {0.0f, 0.0f};
  for (int k0 = 0; k0 < K; k0 += TILE) {
    As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : __float2half(0.0f);
    Bs[ty][tx] = load<PAIRS>(B, k0 + ty, col, K, N);
    __syncthreads();

    for (int k = 0; k < TILE; ++k) {
      float a = __half2float(As[ty][k]);
      float2 b = __half22float2(Bs[k][tx]);
      sum.x += a * b.x;
      sum.y += a * b.y;
    }
    __syncthreads();
  }

  if (row >= M || col >= N) return;
  __half* p = C + row * N + col;
  if (PAIRS) {
    *reinterpret_cast<__half2*>(p) = __float22half2_rn(sum);
  } else {
    p[0] = __float2half(sum.x);
    if (col + 1 < N) p[1] = __float2half(sum.y);
  }
}

extern "C" __global__ void __launch_bounds__(TILE * TILE)
    gemm2(const __half* __restrict__ A, const __half* __restrict__ B, __half* __restrict__ C, int M, int N, int K) {
  product<true>(A, B, C, M, N, K);
}

extern "C" __global__ void __launch_bounds__(TILE * TILE)
    gemm(const __half* __restrict__ A, const __half* __restrict__ B, __half* __restrict__ C, int M, int N, int K) {
  product<false>(A, B, C, M, N, K);
}
