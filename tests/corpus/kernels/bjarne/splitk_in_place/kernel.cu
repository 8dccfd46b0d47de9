// Split-K matrix product that accumulates in the output itself, which a first launch clears. Bad: blocks of different
// slices add to the same element with an ordinary read and write instead of an atomic addition.
// consequence: wrong-result
// consequence: order-dependent
namespace gemm {

template <typename T>
__global__ void __launch_bounds__(256) clear(T* __restrict__ c, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) c[i] = T(0);
}

template <typename T, int TILE>
__global__ void __launch_bounds__(TILE * TILE)
    splitk(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, int m, int n, int k) {
  __shared__ T as[TILE][TILE];
  __shared__ T bs[TILE][TILE];

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  const int chunk = (k + gridDim.z - 1) / gridDim.z;
  const int begin = blockIdx.z * chunk, end = min(k, begin + chunk);

  T sum = T(0);
  for (int k0 = begin; k0 < end; k0 += TILE) {
    as[ty][tx] = row < m && k0 + tx < end ? a[row * k + k0 + tx] : T(0);
    bs[ty][tx] = col < n && k0 + ty < end ? b[(k0 + ty) * n + col] : T(0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < m && col < n)
    c[row * n + col] += sum;  // defect: race-global
}

}  // namespace gemm
