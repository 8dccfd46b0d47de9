// C = A * B^T of halves with f32 sums, row-major and square, by mma.sync; BM x BN x BK tiles, WM x WN of C per warp.
#include <cuda_fp16.h>
extern "C" __global__ void k(const __half* __restrict__ a, const __half* __restrict__ b, float* __restrict__ c, int n) {
  constexpr int THREADS = (BM / WM) * (BN / WN) * 32, ROW = BK / 8;
  __shared__ __align__(16) __half as[BM][BK + PAD], bs[BN][BK + PAD];
  int t = threadIdx.x, warp = t / 32, group = t % 32 / 4, pair = t % 4 * 2;
  int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  float sum[WM / 16][WN / 8][4] = {};
  for (int k0 = 0; k0 < n; k0 += BK) {
#pragma unroll
    for (int i = 0; i < BM * ROW / THREADS; ++i) {
      int e = t + i * THREADS;
      *(uint4*)&as[e / ROW][e % ROW * 8] = *(const uint4*)&a[(row0 + e / ROW) * n + k0 + e % ROW * 8];
    }
#pragma unroll
    for (int i = 0; i < BN * ROW / THREADS; ++i) {
      int e = t + i * THREADS;
      *(uint4*)&bs[e / ROW][e % ROW * 8] = *(const uint4*)&b[(col0 + e / ROW) * n + k0 + e % ROW * 8];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      unsigned x[WM / 16][4], y[WN / 8][2];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          x[i][j] = *(unsigned*)&as[wm + i * 16 + group + j % 2 * 8][kk + pair + j / 2 * 8];
#pragma unroll
      for (int i = 0; i < WN / 8; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) y[i][j] = *(unsigned*)&bs[wn + i * 8 + group][kk + pair + j * 8];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j)
          asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
              : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
              : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]), "r"(y[j][0]), "r"(y[j][1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        c[(row0 + wm + i * 16 + group + e / 2 * 8) * n + col0 + wn + j * 8 + pair + e % 2] = sum[i][j][e];
}
