// The naive kernel with the roles of x and y exchanged: lanes run down the rows, so that A is read and C is written
// with a stride of a whole row between neighbours.
extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M,
                                int N, int K) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    float a = A[row * K + k];
    float b = B[k * N + col];
    sum += a * b;
  }
  C[row * N + col] = sum;
}
