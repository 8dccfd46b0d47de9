// C = A B with the element offsets of all three as macros: A_AT(m, k), B_AT(k, n), C_AT(m, n).
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
  int m = blockIdx.y * 4 + threadIdx.y, n = blockIdx.x * 32 + threadIdx.x;
  if (m >= M || n >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    float a = A[A_AT(m, k)];  // A
    float b = B[B_AT(k, n)];  // B
    sum += a * b;
  }
  C[C_AT(m, n)] = sum;  // C
}
