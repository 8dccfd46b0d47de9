// C = A * B, row-major and square; one output per thread from tiles of T x T in shared memory.
// PAD: extra columns of a tile. UNROLL: of the inner loop. TRANSPOSED: A's tile is stored by columns.
extern "C" __global__ void k(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float as[T][T + PAD], bs[T][T + PAD];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float sum = 0.f;
  for (int k0 = 0; k0 < n; k0 += T) {
#if TRANSPOSED
    as[x][y] = a[row * n + k0 + x];
#else
    as[y][x] = a[row * n + k0 + x];
#endif
    bs[y][x] = b[(k0 + y) * n + col];
    __syncthreads();
#pragma unroll UNROLL
    for (int i = 0; i < T; ++i)
#if TRANSPOSED
      sum += as[i][y] * bs[i][x];
#else
      sum += as[y][i] * bs[i][x];
#endif
    __syncthreads();
  }
  c[row * n + col] = sum;
}
