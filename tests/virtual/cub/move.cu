// Collectives of CUB that move data: loads and stores, exchanges, shuffles.
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_store.cuh>
#include <cuda_fp16.h>

// Every thread doubles its own items and adds its number: a wrong arrangement shows.
template <class T, int THREADS, int ITEMS, cub::BlockLoadAlgorithm LOAD, cub::BlockStoreAlgorithm STORE>
__global__ void load_store(const T* in, T* out, int n) {
  using Load = cub::BlockLoad<T, THREADS, ITEMS, LOAD>;
  using Store = cub::BlockStore<T, THREADS, ITEMS, STORE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
  } storage;
  const int first = blockIdx.x * THREADS * ITEMS;
  T items[ITEMS];
  if (n - first >= THREADS * ITEMS) {
    Load(storage.load).Load(in + first, items);
  } else {
    Load(storage.load).Load(in + first, items, n - first);
  }
  for (T& item : items) item = item + item + T(static_cast<int>(threadIdx.x));
  __syncthreads();
  if (n - first >= THREADS * ITEMS) {
    Store(storage.store).Store(out + first, items);
  } else {
    Store(storage.store).Store(out + first, items, n - first);
  }
}

// Blocked to striped and to an order given by ranks.
template <class T, int THREADS, int ITEMS, bool SLICED>
__global__ void exchange(const T* in, const int* ranks, T* striped, T* scattered) {
  using Exchange = cub::BlockExchange<T, THREADS, ITEMS, SLICED>;
  __shared__ typename Exchange::TempStorage storage;
  const int first = blockIdx.x * THREADS * ITEMS;
  T items[ITEMS], moved[ITEMS];
  int places[ITEMS];
  cub::LoadDirectBlocked(threadIdx.x, in + first, items);
  cub::LoadDirectBlocked(threadIdx.x, ranks + first, places);
  Exchange(storage).BlockedToStriped(items, moved);
  cub::StoreDirectStriped<THREADS>(threadIdx.x, striped + first, moved);
  __syncthreads();
  Exchange(storage).ScatterToStriped(items, moved, places);
  cub::StoreDirectStriped<THREADS>(threadIdx.x, scattered + first, moved);
}

template <class T, int THREADS, int ITEMS, int LOGICAL>
__global__ void warp_exchange(const T* in, T* out) {
  using Load = cub::WarpLoad<T, ITEMS, cub::WARP_LOAD_TRANSPOSE, LOGICAL>;
  using Exchange = cub::WarpExchange<T, ITEMS, LOGICAL>;
  using Store = cub::WarpStore<T, ITEMS, cub::WARP_STORE_DIRECT, LOGICAL>;
  __shared__ union Storage {
    typename Load::TempStorage load;
    typename Exchange::TempStorage exchange;
    typename Store::TempStorage store;
  } storage[THREADS / LOGICAL];
  Storage& own = storage[threadIdx.x / LOGICAL];
  const int first = (blockIdx.x * THREADS + threadIdx.x / LOGICAL * LOGICAL) * ITEMS;
  T items[ITEMS];
  Load(own.load).Load(in + first, items);
  __syncwarp();
  Exchange(own.exchange).BlockedToStriped(items, items);
  __syncwarp();
  Store(own.store).Store(out + first, items);
}

template <class T, int THREADS>
__global__ void shuffle(const T* in, T* offset, T* rotated, int distance) {
  using Shuffle = cub::BlockShuffle<T, THREADS>;
  __shared__ typename Shuffle::TempStorage storage;
  const int i = blockIdx.x * THREADS + threadIdx.x;
  T moved = in[i];
  Shuffle(storage).Offset(in[i], moved, distance);
  offset[i] = moved;
  __syncthreads();
  Shuffle(storage).Rotate(in[i], moved, distance);
  rotated[i] = moved;
}

// Runs of one block, decoded a window at a time.
template <class T, int THREADS, int RUNS, int DECODED>
__global__ void run_length_decode(const T* values, const unsigned* lengths, T* out, int room) {
  using Decode = cub::BlockRunLengthDecode<T, THREADS, RUNS, DECODED>;
  __shared__ typename Decode::TempStorage storage;
  T own[RUNS];
  unsigned counts[RUNS], total = 0;
  cub::LoadDirectBlocked(threadIdx.x, values, own);
  cub::LoadDirectBlocked(threadIdx.x, lengths, counts);
  Decode decode(storage, own, counts, total);
  for (unsigned from = 0; from < total; from += THREADS * DECODED) {
    T items[DECODED];
    decode.RunLengthDecode(items, from);
    cub::StoreDirectBlocked(threadIdx.x, out + from, items, room - static_cast<int>(from));
  }
}
