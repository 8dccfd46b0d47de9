// Tiled GEMM with both barriers, ragged edges filled with zeros.
/* launch
entry = "gemm"
grid = [3, 2, 1]
block = [16, 16, 1]
args = [
  { name = "A", dtype = "f32", shape = [30, 40], init = "normal" },
  { name = "B", dtype = "f32", shape = [40, 45], init = "normal" },
  { name = "C", dtype = "f32", shape = [30, 45] },
  { dtype = "i32", value = 30 },
  { dtype = "i32", value = 45 },
  { dtype = "i32", value = 40 },
]
*/
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[16][16], Bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 16) {
    As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
    Bs[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
