// Block and warp sorts of CUB.
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cuda/std/limits>

// A tile per block; the places past `n` hold the greatest key.
template <class K, int THREADS, int ITEMS, int BITS>
__global__ void radix_sort(const K* in, K* out, int n) {
  using Sort = cub::BlockRadixSort<K, THREADS, ITEMS, cub::NullType, BITS>;
  __shared__ typename Sort::TempStorage storage;
  const int first = blockIdx.x * THREADS * ITEMS;
  K keys[ITEMS];
  cub::LoadDirectBlocked(threadIdx.x, in + first, keys, n - first, cuda::std::numeric_limits<K>::max());
  Sort(storage).Sort(keys);
  cub::StoreDirectBlocked(threadIdx.x, out + first, keys, n - first);
}

template <class K, class V, int THREADS, int ITEMS>
__global__ void radix_sort_pairs(const K* in, K* out, V* order) {
  using Sort = cub::BlockRadixSort<K, THREADS, ITEMS, V>;
  __shared__ typename Sort::TempStorage storage;
  const int first = blockIdx.x * THREADS * ITEMS;
  K keys[ITEMS];
  V values[ITEMS];
  cub::LoadDirectBlocked(threadIdx.x, in + first, keys);
  for (int i = 0; i < ITEMS; ++i) values[i] = threadIdx.x * ITEMS + i;
  Sort(storage).SortDescendingBlockedToStriped(keys, values);
  cub::StoreDirectStriped<THREADS>(threadIdx.x, out + first, keys);
  cub::StoreDirectStriped<THREADS>(threadIdx.x, order + first, values);
}

// The place of every key of the block among keys ordered by one digit; equal digits keep their order.
template <int THREADS, int ITEMS, int BITS>
__global__ void radix_rank(const unsigned* in, int* ranks, int bit) {
  using Rank = cub::BlockRadixRank<THREADS, BITS, false>;
  __shared__ typename Rank::TempStorage storage;
  unsigned keys[ITEMS];
  int places[ITEMS];
  cub::LoadDirectBlocked(threadIdx.x, in, keys);
  Rank(storage).RankKeys(keys, places, cub::BFEDigitExtractor<unsigned>(bit, BITS));
  cub::StoreDirectBlocked(threadIdx.x, ranks, places);
}

// The same by __match_any_sync: each thread's keys lie a warp apart.
template <int THREADS, int ITEMS, int BITS>
__global__ void radix_rank_match(const unsigned* in, int* ranks, int bit) {
  using Rank = cub::BlockRadixRankMatch<THREADS, BITS, false>;
  __shared__ typename Rank::TempStorage storage;
  unsigned keys[ITEMS];
  int places[ITEMS];
  cub::LoadDirectWarpStriped(threadIdx.x, in, keys);
  Rank(storage).RankKeys(keys, places, cub::BFEDigitExtractor<unsigned>(bit, BITS));
  cub::StoreDirectWarpStriped(threadIdx.x, ranks, places);
}

template <class K, int THREADS, int ITEMS>
__global__ void merge_sort(const K* in, K* out, int n) {
  using Sort = cub::BlockMergeSort<K, THREADS, ITEMS>;
  __shared__ typename Sort::TempStorage storage;
  const int first = blockIdx.x * THREADS * ITEMS;
  const K last = cuda::std::numeric_limits<K>::max();
  K keys[ITEMS];
  cub::LoadDirectBlocked(threadIdx.x, in + first, keys, n - first, last);
  Sort(storage).StableSort(keys, cuda::std::less<>{}, min(n - first, THREADS * ITEMS), last);
  cub::StoreDirectBlocked(threadIdx.x, out + first, keys, n - first);
}

template <class K, int THREADS, int ITEMS, int LOGICAL>
__global__ void warp_merge_sort(const K* in, K* out) {
  using Sort = cub::WarpMergeSort<K, ITEMS, LOGICAL>;
  __shared__ typename Sort::TempStorage storage[THREADS / LOGICAL];
  const int at = blockIdx.x * THREADS + threadIdx.x;
  K keys[ITEMS];
  cub::LoadDirectBlocked(at, in, keys);
  Sort(storage[threadIdx.x / LOGICAL]).Sort(keys, cuda::std::greater<>{});
  cub::StoreDirectBlocked(at, out, keys);
}
