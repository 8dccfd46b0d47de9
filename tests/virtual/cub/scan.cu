// Block and warp scans of CUB.
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_scan.cuh>

// What one block carries from tile to tile; only the first warp calls it.
template <class T>
struct Running {
  T total;
  __device__ T operator()(T tile) {
    const T before = total;
    total += tile;
    return before;
  }
};

// One block walks over all tiles: the prefix callback brings the sum of those before.
template <class T, int THREADS, int ITEMS, cub::BlockScanAlgorithm HOW>
__global__ void scan_with_prefix(const T* in, T* out, int n) {
  using Load = cub::BlockLoad<T, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<T, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
  using Scan = cub::BlockScan<T, THREADS, HOW>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } storage;
  Running<T> running{T(0)};
  for (int first = 0; first < n; first += THREADS * ITEMS) {
    T items[ITEMS];
    const int valid = min(n - first, THREADS * ITEMS);
    Load(storage.load).Load(in + first, items, valid, T(0));
    __syncthreads();
    Scan(storage.scan).ExclusiveSum(items, items, running);
    __syncthreads();
    Store(storage.store).Store(out + first, items, valid);
    __syncthreads();
  }
}

// A tile per block, inclusive, with the block's total.
template <class T, int THREADS, cub::BlockScanAlgorithm HOW>
__global__ void scan_tiles(const T* in, T* out, T* totals) {
  using Scan = cub::BlockScan<T, THREADS, HOW>;
  __shared__ typename Scan::TempStorage storage;
  const int i = blockIdx.x * THREADS + threadIdx.x;
  T total;
  T mine = in[i];
  Scan(storage).InclusiveScan(mine, mine, cuda::maximum<>{}, total);
  out[i] = mine;
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

template <class T, int THREADS, int LOGICAL>
__global__ void warp_scan(const T* in, T* inclusive, T* exclusive) {
  using Scan = cub::WarpScan<T, LOGICAL>;
  __shared__ typename Scan::TempStorage storage[THREADS / LOGICAL];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  T a, b;
  Scan(storage[threadIdx.x / LOGICAL]).Scan(in[i], a, b, T(0), cuda::std::plus<>{});
  inclusive[i] = a;
  exclusive[i] = b;
}

// Two collectives that share one storage; CUB asks for a barrier between them.
template <bool BARRIER>
__global__ void reused(const int* in, int* out) {
  using Scan = cub::BlockScan<int, 128>;
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ union {
    Scan::TempStorage scan;
    Reduce::TempStorage reduce;
  } storage;
  int before, mine = in[threadIdx.x];
  Scan(storage.scan).ExclusiveSum(mine, before);
  if constexpr (BARRIER) __syncthreads();
  int most = Reduce(storage.reduce).Reduce(before, cuda::maximum<>{});
  if (threadIdx.x == 0) *out = most;
}
