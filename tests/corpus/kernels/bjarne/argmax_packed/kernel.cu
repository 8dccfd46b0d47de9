// Top-1 of int8 logits per row; equal logits go to the smallest index. Value and index travel in one 64-bit key, so a
// plain maximum decides both.
namespace topk {

using Key = unsigned long long;

__device__ constexpr Key pack(signed char value, int index) {
  return (static_cast<Key>(static_cast<int>(value) + 128) << 32) | (0xffffffffu - static_cast<unsigned>(index));
}

__device__ constexpr int index_of(Key key) {
  return static_cast<int>(0xffffffffu - static_cast<unsigned>(key & 0xffffffffu));
}

template <int LANES>
__device__ Key warp_max(Key v) {
#pragma unroll
  for (int d = LANES / 2; d > 0; d /= 2) {
    const Key other = __shfl_down_sync(0xffffffffu, v, d);
    v = other > v ? other : v;
  }
  return v;
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) argmax_rows(const signed char* __restrict__ logits, int* __restrict__ best, int cols) {
  constexpr int kWarps = BLOCK / 32;
  __shared__ Key partial[kWarps];

  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const signed char* row = logits + static_cast<size_t>(blockIdx.x) * cols;

  Key key = 0;  // below every real key: the index part of a real one is not 0
  for (int c = t; c < cols; c += BLOCK) {
    const Key k = pack(row[c], c);
    key = k > key ? k : key;
  }
  key = warp_max<32>(key);
  if (lane == 0) partial[warp] = key;
  __syncthreads();

  if (warp == 0) {  // a whole warp: all 32 lanes take part in the shuffles
    key = lane < kWarps ? partial[lane] : 0;
    key = warp_max<kWarps>(key);
    if (lane == 0) best[blockIdx.x] = index_of(key);
  }
}

}  // namespace topk
