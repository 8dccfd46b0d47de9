// C = A B in f32 with 32 x 32 tiles. Bad: B is read as if it were row-major, but the problem stores it by columns.
#define T 32
#define BY 8
#define R (T / BY)

extern "C" __global__ void __launch_bounds__(T* BY)
    gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[T][T], Bs[T][T];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row0 = blockIdx.y * T, col = blockIdx.x * T + tx;

  float acc[R] = {};
  for (int k0 = 0; k0 < K; k0 += T) {
#pragma unroll
    for (int i = 0; i < R; ++i) {
      const int r = ty + BY * i;
      As[r][tx] = row0 + r < M && k0 + tx < K ? A[(row0 + r) * K + k0 + tx] : 0.f;
      Bs[r][tx] = k0 + r < K && col < N ? B[(k0 + r) * N + col] : 0.f;  // defect: layout
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < T; ++k) {
      const float b = Bs[k][tx];
#pragma unroll
      for (int i = 0; i < R; ++i) acc[i] += As[ty + BY * i][k] * b;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < R; ++i) {
    const int row = row0 + ty + BY * i;
    if (row < M && col < N) C[row * N + col] = acc[i];
  }
}
// consequence: wrong-result
