// C[M, N] = A[M, K] B[K, N] in tiles of 16 x 16. FAULT picks what is wrong with it.
#define CORRECT 0
#define DROPPED_TILE 1      // the last tile of K, full or not, is left out
#define UNWRITTEN 2         // the last element of the last row has no thread
#define LARGE_UNWRITTEN 3   // sums beyond 1e6 are not stored
#define TAKEN_FOR_NOISE 4   // a sum that is small beside its terms is stored as zero
#define TRUNCATED 5         // factors lose the lower half of their significand
#define SMALL_UNWRITTEN 6   // edge tiles of a small matrix lose their last row

__device__ float factor(float v) {
  return FAULT == TRUNCATED ? __int_as_float(__float_as_int(v) & 0xfffff000) : v;
}

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[16][16], Bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  int tiles = (K + 15) / 16 - (FAULT == DROPPED_TILE ? 1 : 0);
  float sum = 0.0f, size = 0.0f;
  for (int tile = 0; tile < tiles; ++tile) {
    int k = tile * 16;
    As[ty][tx] = row < M && k + tx < K ? factor(A[row * K + k + tx]) : 0.0f;
    Bs[ty][tx] = k + ty < K && col < N ? factor(B[(k + ty) * N + col]) : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      sum += As[ty][i] * Bs[i][tx];
      size += fabsf(As[ty][i] * Bs[i][tx]);
    }
    __syncthreads();
  }
  if (row >= M || col >= N) return;
  if (FAULT == UNWRITTEN && row == M - 1 && col == N - 1) return;
  if (FAULT == LARGE_UNWRITTEN && fabsf(sum) > 1e6f) return;
  if (FAULT == SMALL_UNWRITTEN && M < 16 && row == M - 1) return;
  if (FAULT == TAKEN_FOR_NOISE && fabsf(sum) < 1.5e-5f * size) sum = 0.0f;
  C[row * N + col] = sum;
}
