// C = A B with B indexed in one of two forms, and lanes that run over n or over k. C and A are row-major.
#if INDEX == 0
#define B_AT(k, n) B[(k) * ld + (n)]
#else
#define B_AT(k, n) B[(n) * ld + (k)]
#endif

extern "C" __global__ void lanes_over_n(const float* A, const float* B, float* C, int M, int N, int K, int ld) {
  int m = blockIdx.y * 4 + threadIdx.y, n = blockIdx.x * 32 + threadIdx.x;
  if (m >= M || n >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    float b = B_AT(k, n);  // B
    sum += A[m * K + k] * b;
  }
  C[m * N + n] = sum;
}

extern "C" __global__ void lanes_over_k(const float* A, const float* B, float* C, int M, int N, int K, int ld) {
  int m = blockIdx.y * 4 + threadIdx.y, n = blockIdx.x;
  if (m >= M) return;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < K; k += 32) {
    float b = B_AT(k, n);  // B
    sum += A[m * K + k] * b;
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x == 0) C[m * N + n] = sum;
}
