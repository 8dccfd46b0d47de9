// Dropout with the counter-based generator Philox4x32-10: counter q yields the four random words of elements 4q..4q+3,
// so a thread loads and stores 16 bytes; the thread with the last, incomplete group goes element by element.
#include <cstdint>

namespace rng {

struct Philox {
  uint32_t key0, key1;

  __device__ uint4 operator()(uint64_t counter) const {
    uint32_t c0 = static_cast<uint32_t>(counter), c1 = static_cast<uint32_t>(counter >> 32), c2 = 0, c3 = 0;
    uint32_t k0 = key0, k1 = key1;
#pragma unroll
    for (int round = 0; round < 10; ++round) {
      const uint32_t lo0 = 0xD2511F53u * c0, hi0 = __umulhi(0xD2511F53u, c0);
      const uint32_t lo1 = 0xCD9E8D57u * c2, hi1 = __umulhi(0xCD9E8D57u, c2);
      c0 = hi1 ^ c1 ^ k0;
      c1 = lo1;
      c2 = hi0 ^ c3 ^ k1;
      c3 = lo0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    return make_uint4(c0, c1, c2, c3);
  }
};

}  // namespace rng

namespace ml {

struct Dropout {
  uint32_t threshold;  // drop below: probability * 2^32
  float scale;
  __device__ float operator()(float x, uint32_t random) const { return random < threshold ? 0.0f : x * scale; }
};

template <uint32_t SEED_LO, uint32_t SEED_HI>
__global__ void __launch_bounds__(256)
    dropout(const float* __restrict__ x, float* __restrict__ y, unsigned threshold, float scale, int n) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = 4 * q;
  if (first >= n) return;

  const Dropout drop{threshold, scale};
  const uint4 r = rng::Philox{SEED_LO, SEED_HI}(q);
  if (first + 4 <= n) {
    const float4 v = reinterpret_cast<const float4*>(x)[q];
    reinterpret_cast<float4*>(y)[q] = make_float4(drop(v.x, r.x), drop(v.y, r.y), drop(v.z, r.z), drop(v.w, r.w));
  } else {  // 1 to 3 elements are left over
    y[first] = drop(x[first], r.x);
    if (first + 1 < n) y[first + 1] = drop(x[first + 1], r.y);
    if (first + 2 < n) y[first + 2] = drop(x[first + 2], r.z);
  }
}

}  // namespace ml
