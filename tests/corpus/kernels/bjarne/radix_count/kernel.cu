// Counting pass of a radix sort: the digits of each block's keys, counted in one small table per warp. A table has 16
// neighbouring words, so lanes that hit different counters always hit different banks.
#include <cstdint>

namespace radix {

template <int BITS>
struct Digit {
  static constexpr int kValues = 1 << BITS;
  int shift;
  __device__ unsigned operator()(uint32_t key) const { return (key >> shift) & (kValues - 1); }
};

template <int BLOCK, int KEYS_PER_THREAD, int BITS>
__global__ void __launch_bounds__(BLOCK)
    count_digits(const uint32_t* __restrict__ keys, uint32_t* __restrict__ counts, int n, int shift) {
  constexpr int kWarps = BLOCK / 32;
  constexpr int kDigits = Digit<BITS>::kValues;
  static_assert(kDigits <= 32, "a table must fit into one row of banks");
  static_assert(kWarps * kDigits <= BLOCK, "one thread clears one counter");
  __shared__ uint32_t tables[kWarps][kDigits];

  const int t = threadIdx.x, warp = t / 32;
  if (t < kWarps * kDigits) tables[t / kDigits][t % kDigits] = 0;
  __syncthreads();

  const Digit<BITS> digit{shift};
  const int begin = blockIdx.x * (BLOCK * KEYS_PER_THREAD);
#pragma unroll 4
  for (int j = 0; j < KEYS_PER_THREAD; ++j) {
    const int i = begin + j * BLOCK + t;
    if (i < n) atomicAdd(&tables[warp][digit(keys[i])], 1u);
  }
  __syncthreads();

  if (t < kDigits) {
    uint32_t total = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) total += tables[w][t];
    counts[blockIdx.x * kDigits + t] = total;
  }
}

}  // namespace radix
