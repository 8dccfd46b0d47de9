// Tiles in shared memory with rows of W elements, read in the ways that padding is chosen for.
#include <cuda_fp16.h>
template <class T, int ROWS, int W>
__device__ void fill(T (&tile)[ROWS][W], const T* a) {
  int threads = blockDim.x * blockDim.y;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < ROWS * W; i += threads) (&tile[0][0])[i] = a[i];
  __syncthreads();
}

// 16 x 16 threads store rows and read columns: a warp has two of each.
template <class T, int W>
__global__ void transposed(const T* a, T* out) {
  __shared__ T tile[16][W];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = a[16 * y + x];
  __syncthreads();
  out[16 * y + x] = tile[x][y];  // read
}

// 32 lanes read one column of 32 rows.
template <class T, int W>
__global__ void column(const T* a, T* out) {
  __shared__ T tile[32][W];
  fill(tile, a);
  out[32 * threadIdx.y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // read
}

// 32 lanes read one row.
template <class T>
__global__ void row(const T* a, T* out) {
  __shared__ T tile[4][32];
  fill(tile, a);
  out[32 * threadIdx.y + threadIdx.x] = tile[threadIdx.y][threadIdx.x];  // read
}

// Rows of W halves read as vectors: every row must start at a multiple of the vector's size.
template <class V, int W>
__global__ void vectors(const half* a, V* out) {
  __shared__ __align__(16) half tile[16][W];
  fill(tile, a);
  out[threadIdx.x] = *reinterpret_cast<V*>(&tile[threadIdx.x % 16][0]);  // read
}

// Four 8 x 8 matrices of a tile with rows of W halves.
template <int W>
__global__ void matrices(const half* a, uint4* out) {
  __shared__ __align__(16) half tile[16][W];
  fill(tile, a);
  unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x % 16][8 * (threadIdx.x / 16)]);
  uint4 v;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"  // read
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(at));
  out[threadIdx.x] = v;
}

// The product of two tiles without padding: one operand is broadcast, the other read in rows.
__global__ void product(const float* a, float* out) {
  __shared__ float left[16][16], right[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  left[y][x] = a[16 * y + x];
  right[y][x] = a[256 + 16 * y + x];
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < 16; ++k) sum += left[y][k] * right[k][x];
  out[16 * y + x] = sum;
}

// A step of 16 words through 1024, the formula that is passed on as its cure, and one more word per lane.
__global__ void step16(const float* a, float* out) {
  __shared__ float s[1024];
  s[threadIdx.x * 16] = a[threadIdx.x];  // write
  __syncthreads();
  out[threadIdx.x] = s[0];
}
__global__ void formula(const float* a, float* out) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  s[t / 16 * 1024 + t % 16] = a[t];  // write
  __syncthreads();
  out[t] = s[t % 16];
}
__global__ void step17(const float* a, float* out) {
  __shared__ float s[64 * 17];
  s[threadIdx.x * 17] = a[threadIdx.x];  // write
  __syncthreads();
  out[threadIdx.x] = s[0];
}
