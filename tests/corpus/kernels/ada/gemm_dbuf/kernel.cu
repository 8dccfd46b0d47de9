// C = A B in f32 with 32 x 32 tiles, double-buffered in shared memory: one barrier per tile; any sizes.
#define T 32
#define BY 8
#define R (T / BY)

extern "C" __global__ void __launch_bounds__(T* BY)
    gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[2][T][T], Bs[2][T][T];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row0 = blockIdx.y * T, col = blockIdx.x * T + tx;

  auto load = [&](int buf, int k0) {
#pragma unroll
    for (int i = 0; i < R; ++i) {
      const int r = ty + BY * i;
      As[buf][r][tx] = row0 + r < M && k0 + tx < K ? A[(row0 + r) * K + k0 + tx] : 0.f;
      Bs[buf][r][tx] = k0 + r < K && col < N ? B[(k0 + r) * N + col] : 0.f;
    }
  };

  float acc[R] = {};
  load(0, 0);
  __syncthreads();
  int buf = 0;
  for (int k0 = 0; k0 < K; k0 += T, buf ^= 1) {
    if (k0 + T < K) load(buf ^ 1, k0 + T);  // the other buffer: its readers passed the last barrier
#pragma unroll 8
    for (int k = 0; k < T; ++k) {
      const float b = Bs[buf][k][tx];
#pragma unroll
      for (int i = 0; i < R; ++i) acc[i] += As[buf][ty + BY * i][k] * b;  // a broadcast: a warp is one ty
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < R; ++i) {
    const int row = row0 + ty + BY * i;
    if (row < M && col < N) C[row * N + col] = acc[i];
  }
}
