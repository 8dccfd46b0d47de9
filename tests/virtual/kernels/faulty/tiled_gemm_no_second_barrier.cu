// Tiled GEMM that overwrites its tiles while other warps still read them.
/* launch
entry = "gemm"
grid = [2, 2, 1]
block = [16, 16, 1]
args = [
  { name = "A", dtype = "f32", shape = [32, 48], init = "normal" },
  { name = "B", dtype = "f32", shape = [48, 32], init = "normal" },
  { name = "C", dtype = "f32", shape = [32, 32] },
  { dtype = "i32", value = 32 },
  { dtype = "i32", value = 48 },
]
*/
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int N, int K) {
  __shared__ float As[16][16], Bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 16) {
    As[ty][tx] = A[row * K + k0 + tx];    // also: SAF601
    Bs[ty][tx] = B[(k0 + ty) * N + col];  // expect: SAF601
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      float a = As[ty][k];  // also: SAF601
      float b = Bs[k][tx];  // related: SAF601
      sum += a * b;
    }
  }
  C[row * N + col] = sum;
}
