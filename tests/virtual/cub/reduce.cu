// Block and warp reductions of CUB: one aggregate per block or warp, over full and partial tiles.
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda_fp16.h>

template <class T, int THREADS, int ITEMS, cub::BlockReduceAlgorithm HOW>
__global__ void block_sum(const T* in, T* out, int n) {
  using Reduce = cub::BlockReduce<T, THREADS, HOW>;
  __shared__ typename Reduce::TempStorage storage;
  const int first = blockIdx.x * THREADS * ITEMS;
  T items[ITEMS];
  cub::LoadDirectBlocked(threadIdx.x, in + first, items, n - first, T(0));
  const T sum = Reduce(storage).Sum(items);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// The partial form: only the first `n` threads of the last block bring a value.
template <class T, int THREADS, cub::BlockReduceAlgorithm HOW>
__global__ void block_max(const T* in, T* out, int n) {
  using Reduce = cub::BlockReduce<T, THREADS, HOW>;
  __shared__ typename Reduce::TempStorage storage;
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const T mine = i < n ? in[i] : T(0);
  const int valid = min(n - static_cast<int>(blockIdx.x) * THREADS, THREADS);
  const T most = Reduce(storage).Reduce(mine, cuda::maximum<>{}, valid);
  if (threadIdx.x == 0) out[blockIdx.x] = most;
}

template <class T, int THREADS, int LOGICAL>
__global__ void warp_sum(const T* in, T* out, int n) {
  using Reduce = cub::WarpReduce<T, LOGICAL>;
  constexpr int GROUPS = THREADS / LOGICAL;
  __shared__ typename Reduce::TempStorage storage[GROUPS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int group = threadIdx.x / LOGICAL;
  const int valid = min(max(n - (i - static_cast<int>(threadIdx.x) % LOGICAL), 0), LOGICAL);
  const T mine = i < n ? in[i] : T(0);
  const T sum = Reduce(storage[group]).Sum(mine, valid);
  if (threadIdx.x % LOGICAL == 0 && valid > 0) out[blockIdx.x * GROUPS + group] = sum;
}

// Segments that begin where `head` is set.
template <class T, int THREADS>
__global__ void warp_segments(const T* in, const unsigned char* head, T* out) {
  using Reduce = cub::WarpReduce<T>;
  __shared__ typename Reduce::TempStorage storage[THREADS / 32];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const T sum = Reduce(storage[threadIdx.x / 32]).HeadSegmentedSum(in[i], head[i]);
  out[i] = head[i] || threadIdx.x % 32 == 0 ? sum : T(0);
}
