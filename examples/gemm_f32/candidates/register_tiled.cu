// 256 threads compute a 64 x 64 tile of C; each holds 4 x 4 sums in registers and reads shared memory 16 bytes a lane.
constexpr int THREADS = 256;
constexpr int TM = 4, TN = 4;  // sums per thread
static_assert(BM * BN == THREADS * TM * TN, "one register tile for each thread");
static_assert(BM * BK == 4 * THREADS && BK * BN == 4 * THREADS, "one float4 of each operand for each thread");

// Four neighbours of a row. One 16-byte load where the row pitch keeps it aligned; else element by element, with zeros
// beyond the edges. Rows start at 16-byte boundaries exactly when `cols` is a multiple of 4.
__device__ float4 load4(const float* __restrict__ m, int row, int col, int rows, int cols) {
  if (row >= rows) return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const float* p = m + row * cols + col;
  if (cols % 4 == 0 && col < cols) return *reinterpret_cast<const float4*>(p);
  return make_float4(col < cols ? p[0] : 0.0f, col + 1 < cols ? p[1] : 0.0f, col + 2 < cols ? p[2] : 0.0f,
                     col + 3 < cols ? p[3] : 0.0f);
}

__device__ void store4(float* __restrict__ m, float4 v, int row, int col, int rows, int cols) {
  if (row >= rows) return;
  float* p = m + row * cols + col;
  if (cols % 4 == 0 && col < cols) {
    *reinterpret_cast<float4*>(p) = v;
  } else {
    if (col < cols) p[0] = v.x;
    if (col + 1 < cols) p[1] = v.y;
    if (col + 2 < cols) p[2] = v.z;
    if (col + 3 < cols) p[3] = v.w;
  }
}

__device__ void axpy(float4& y, float a, float4 x) {
  y.x += a * x.x;
  y.y += a * x.y;
  y.z += a * x.z;
  y.w += a * x.w;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float4 As[BM][BK / 4];
  __shared__ float4 Bs[BK][BN / 4];

  const int t = threadIdx.x;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  // Who fetches what: rows of both tiles are covered by neighbouring lanes.
  const int a_row = t / (BK / 4), a_vec = t % (BK / 4);
  const int b_row = t / (BN / 4), b_vec = t % (BN / 4);
  // Who computes what: half a warp shares a row of threads, so that As is read by broadcast and Bs along its rows.
  const int tx = t % (BN / TN), ty = t / (BN / TN);

  float4 sum[TM] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    As[a_row][a_vec] = load4(A, row0 + a_row, k0 + 4 * a_vec, M, K);
    Bs[b_row][b_vec] = load4(B, k0 + b_row, col0 + 4 * b_vec, K, N);
    __syncthreads();

#pragma unroll
    for (int kv = 0; kv < BK / 4; ++kv) {
      float4 b[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) b[j] = Bs[4 * kv + j][tx];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
        float4 a = As[ty * TM + i][kv];
        axpy(sum[i], a.x, b[0]);
        axpy(sum[i], a.y, b[1]);
        axpy(sum[i], a.z, b[2]);
        axpy(sum[i], a.w, b[3]);
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) store4(C, sum[i], row0 + ty * TM + i, col0 + TN * tx, M, N);
}
