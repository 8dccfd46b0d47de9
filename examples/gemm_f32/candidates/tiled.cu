// A block computes a TILE x TILE piece of C from tiles of A and B in shared memory. Edge tiles are filled up with
// zeros, which add nothing to the sums. As is read by broadcast and Bs along rows: no padding is needed.
extern "C" __global__ void __launch_bounds__(TILE * TILE)
    gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];

  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int col = blockIdx.x * TILE + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
    Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
    __syncthreads();  // both tiles are complete

    for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();  // nobody reads them any more
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
