// The grid is rounded up to whole tiles, but the last column of tiles has no guard.
/* launch
entry = "gemm"
grid = [2, 2, 1]
block = [16, 16, 1]
args = [
  { name = "A", dtype = "f32", shape = [32, 16], init = "normal" },
  { name = "B", dtype = "f32", shape = [16, 32], init = "normal" },
  { name = "C", dtype = "f32", shape = [31, 32] },
  { dtype = "i32", value = 32 },
  { dtype = "i32", value = 16 },
]
*/
/* detail
code = "SAF603"
buffer = "C"
index = 992
block = [0, 1, 0]
thread = [0, 15, 0]
*/
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int N, int K) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;  // expect: SAF603
}
