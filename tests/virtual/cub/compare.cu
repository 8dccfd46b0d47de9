// Collectives of CUB that look at neighbours or count values.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>

template <int THREADS, int ITEMS, int BINS, cub::BlockHistogramAlgorithm HOW>
__global__ void histogram(const unsigned char* in, unsigned* out) {
  using Histogram = cub::BlockHistogram<unsigned char, THREADS, ITEMS, BINS, HOW>;
  __shared__ typename Histogram::TempStorage storage;
  __shared__ unsigned bins[BINS];
  unsigned char items[ITEMS];
  cub::LoadDirectStriped<THREADS>(threadIdx.x, in + blockIdx.x * THREADS * ITEMS, items);
  Histogram(storage).Histogram(items, bins);
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += THREADS) out[blockIdx.x * BINS + b] = bins[b];
}

// Flags at both ends of every run of equal items; a block's first and last item are ends.
template <class T, int THREADS, int ITEMS>
__global__ void run_ends(const T* in, int* heads, int* tails) {
  using Discontinuity = cub::BlockDiscontinuity<T, THREADS>;
  __shared__ typename Discontinuity::TempStorage storage;
  const int first = blockIdx.x * THREADS * ITEMS;
  T items[ITEMS];
  int head[ITEMS], tail[ITEMS];
  cub::LoadDirectBlocked(threadIdx.x, in + first, items);
  Discontinuity(storage).FlagHeadsAndTails(head, tail, items, cuda::std::not_equal_to<>{});
  cub::StoreDirectBlocked(threadIdx.x, heads + first, head);
  cub::StoreDirectBlocked(threadIdx.x, tails + first, tail);
}

// The first `n` items: each minus the one before it, the first as it is.
template <class T, int THREADS, int ITEMS>
__global__ void differences(const T* in, T* out, int n) {
  using Difference = cub::BlockAdjacentDifference<T, THREADS>;
  __shared__ typename Difference::TempStorage storage;
  T items[ITEMS], result[ITEMS];
  cub::LoadDirectBlocked(threadIdx.x, in, items, n, T(0));
  Difference(storage).SubtractLeftPartialTile(items, result, cuda::std::minus<>{}, n);
  cub::StoreDirectBlocked(threadIdx.x, out, result, n);
}
