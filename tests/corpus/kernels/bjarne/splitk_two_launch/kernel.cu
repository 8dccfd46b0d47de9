// Split-K matrix product: each z-slice of the grid writes its partial product to a workspace of its own, and a second
// launch adds the slices in a fixed order.
namespace gemm {

struct Range {
  int begin, end;
};

// The slice's part of K; may be empty, in which case the slice still writes zeros.
__device__ inline Range slice(int k, int slices, int index) {
  const int chunk = (k + slices - 1) / slices;
  return {min(k, index * chunk), min(k, (index + 1) * chunk)};
}

template <typename T, int TILE, int SLICES>
__global__ void __launch_bounds__(TILE * TILE)
    partial_products(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ workspace, int m, int n, int k) {
  __shared__ T as[TILE][TILE];
  __shared__ T bs[TILE][TILE];

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  const Range ks = slice(k, SLICES, blockIdx.z);

  T sum = T(0);
  for (int k0 = ks.begin; k0 < ks.end; k0 += TILE) {
    as[ty][tx] = row < m && k0 + tx < ks.end ? a[row * k + k0 + tx] : T(0);
    bs[ty][tx] = col < n && k0 + ty < ks.end ? b[(k0 + ty) * n + col] : T(0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) workspace[(static_cast<size_t>(blockIdx.z) * m + row) * n + col] = sum;
}

template <typename T, int SLICES>
__global__ void __launch_bounds__(256) add_slices(const T* __restrict__ workspace, T* __restrict__ c, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  T sum = T(0);
#pragma unroll
  for (int s = 0; s < SLICES; ++s) sum += workspace[static_cast<size_t>(s) * size + i];
  c[i] = sum;
}

}  // namespace gemm
