// Monte-Carlo pi in integers: points of 16-bit coordinates from xorshift32, counts hits inside the quarter circle; exact in any order.
#define FULL 0xffffffffu
#define NT 256

__device__ __forceinline__ unsigned draw(unsigned& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s >> 16;
}

extern "C" __global__ void clear(unsigned* hits) {
  if (threadIdx.x == 0) *hits = 0u;
}

extern "C" __global__ void __launch_bounds__(NT)
    count_hits(const unsigned* __restrict__ seeds, unsigned* hits, int paths, int draws) {
  __shared__ unsigned ws[NT / 32];
  const int t = threadIdx.x, lane = t & 31, w = t >> 5, i = blockIdx.x * NT + t;

  unsigned c = 0;
  if (i < paths) {  // no early return: the reductions below want all 32 lanes
    unsigned s = seeds[i];
    for (int k = 0; k < draws; ++k) {
      const unsigned x = draw(s), y = draw(s);
      const unsigned xx = x * x, rr = xx + y * y;
      c += rr >= xx;  // no carry out of bit 31: x^2 + y^2 < 2^32
    }
  }
#pragma unroll
  for (int o = 16; o; o >>= 1) c += __shfl_xor_sync(FULL, c, o);
  if (lane == 0) ws[w] = c;
  __syncthreads();
  if (t < NT / 32) {  // eight lanes, and a mask of just these
    c = ws[t];
#pragma unroll
    for (int o = NT / 64; o; o >>= 1) c += __shfl_xor_sync((1u << (NT / 32)) - 1u, c, o);
    if (t == 0) atomicAdd(hits, c);
  }
}
