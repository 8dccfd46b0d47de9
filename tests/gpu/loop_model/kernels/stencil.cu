// Five-point stencil on n x n. FORM 0: every point loads its neighbours; 1: from a tile in shared memory;
// 2: each thread goes down a column of ROWS points and keeps three of them in registers.
#ifndef ROWS
#define ROWS 1
#endif
extern "C" __global__ void k(const float* __restrict__ x, float* __restrict__ y, int n) {
  int c = blockIdx.x * 32 + threadIdx.x + 1;
#if FORM == 2
  int r = (blockIdx.y * 8 + threadIdx.y) * ROWS + 1;
  if (c >= n - 1) return;
  float up = x[(r - 1) * n + c], mid = x[r * n + c];
  for (int i = 0; i < ROWS && r < n - 1; ++i, ++r) {
    float down = x[(r + 1) * n + c];
    y[r * n + c] = 0.2f * (up + mid + down + x[r * n + c - 1] + x[r * n + c + 1]);
    up = mid;
    mid = down;
  }
#else
  int r = blockIdx.y * 8 + threadIdx.y + 1;
#if FORM == 1
  __shared__ float tile[10][34];
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += 256) {
    int rr = blockIdx.y * 8 + i / 34, cc = blockIdx.x * 32 + i % 34;
    if (rr < n && cc < n) tile[i / 34][i % 34] = x[rr * n + cc];
  }
  __syncthreads();
#endif
  if (r >= n - 1 || c >= n - 1) return;
#if FORM == 1
  int i = threadIdx.y + 1, j = threadIdx.x + 1;
  y[r * n + c] = 0.2f * (tile[i][j] + tile[i - 1][j] + tile[i + 1][j] + tile[i][j - 1] + tile[i][j + 1]);
#else
  y[r * n + c] =
      0.2f * (x[r * n + c] + x[(r - 1) * n + c] + x[(r + 1) * n + c] + x[r * n + c - 1] + x[r * n + c + 1]);
#endif
#endif
}
