// K^T of attention: [B, H, S, D] to [B, H, D, S] by tiles in shared memory; a padding column keeps both the rows that are
// written and the columns that are read free of bank conflicts.
namespace layout {

// A row-major matrix inside a bigger buffer.
template <typename T>
struct Matrix {
  T* data;
  int rows, cols;
  __device__ bool contains(int r, int c) const { return r < rows && c < cols; }
  __device__ T& operator()(int r, int c) const { return data[static_cast<size_t>(r) * cols + c]; }
};

template <typename T, int TILE, int STEP>
__global__ void __launch_bounds__(TILE * STEP)
    transpose_last_two(const T* __restrict__ in, T* __restrict__ out, int s, int d) {
  static_assert(TILE == 32 && TILE % STEP == 0, "a warp handles one row of the tile");
  __shared__ T tile[TILE][TILE + 1];

  const size_t offset = static_cast<size_t>(blockIdx.z) * s * d;
  const Matrix<const T> src{in + offset, s, d};
  const Matrix<T> dst{out + offset, d, s};
  const int s0 = blockIdx.x * TILE, d0 = blockIdx.y * TILE;

#pragma unroll
  for (int i = threadIdx.y; i < TILE; i += STEP) {
    const int r = s0 + i, c = d0 + threadIdx.x;
    if (src.contains(r, c)) tile[i][threadIdx.x] = src(r, c);
  }
  __syncthreads();
#pragma unroll
  for (int i = threadIdx.y; i < TILE; i += STEP) {
    const int r = d0 + i, c = s0 + threadIdx.x;
    if (dst.contains(r, c)) dst(r, c) = tile[threadIdx.x][i];  // exactly the elements that were filled above
  }
}

}  // namespace layout
