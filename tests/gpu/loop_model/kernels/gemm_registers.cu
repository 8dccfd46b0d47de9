// C = A * B, row-major and square; TM x TN outputs per thread, tiles of BM x BK and BK x BN in shared memory.
// A's tile is kept transposed, with PAD extra columns.
extern "C" __global__ void k(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  constexpr int THREADS = (BM / TM) * (BN / TN);
  __shared__ float as[BK][BM + PAD], bs[BK][BN];
  int t = threadIdx.x, tx = t % (BN / TN), ty = t / (BN / TN), row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < n; k0 += BK) {
#pragma unroll
    for (int i = 0; i < BM * BK / THREADS; ++i) {
      int e = t + i * THREADS;
      as[e % BK][e / BK] = a[(row0 + e / BK) * n + k0 + e % BK];
    }
#pragma unroll
    for (int i = 0; i < BK * BN / THREADS; ++i) {
      int e = t + i * THREADS;
      bs[e / BN][e % BN] = b[(k0 + e / BN) * n + col0 + e % BN];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; ++kk) {
      float x[TM], y[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) x[i] = as[kk][ty * TM + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) y[j] = bs[kk][tx + j * (BN / TN)];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j) c[(row0 + ty * TM + i) * n + col0 + tx + j * (BN / TN)] = sum[i][j];
}
