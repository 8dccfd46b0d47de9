// Tiled GEMM in which the last column of one tile is left out.
/* launch
entry = "gemm"
grid = [2, 2, 1]
block = [16, 16, 1]
args = [
  { name = "A", dtype = "f32", shape = [32, 32], init = "normal" },
  { name = "B", dtype = "f32", shape = [32, 32], init = "normal" },
  { name = "C", dtype = "f32", shape = [32, 32] },
  { dtype = "i32", value = 32 },
  { dtype = "i32", value = 32 },
]
*/
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int N, int K) {
  __shared__ float As[16][16], Bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 16) {
    if (tx < 15) As[ty][tx] = A[row * K + k0 + tx];
    Bs[ty][tx] = B[(k0 + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      sum += As[ty][k] * Bs[k][tx];  // expect: SAF605
    __syncthreads();
  }
  C[row * N + col] = sum;
}
