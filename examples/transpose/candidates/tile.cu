// A block turns one T x T tile round in shared memory, so that loads and stores both run along rows. P pads each row
// of the tile: with T = 32, P = 0 puts a column into one bank, P = 1 spreads it over all 32.
template <int T, int P>
__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int rows, int cols) {
  __shared__ float tile[T][T + P];

  int x = blockIdx.x * T + threadIdx.x;
  int y = blockIdx.y * T + threadIdx.y;
  for (int j = 0; j < T; j += blockDim.y) {
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
  }
  __syncthreads();

  // The tile's place in `out` is mirrored; within it a lane still moves along the row.
  x = blockIdx.y * T + threadIdx.x;
  y = blockIdx.x * T + threadIdx.y;
  for (int j = 0; j < T; j += blockDim.y) {
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}
