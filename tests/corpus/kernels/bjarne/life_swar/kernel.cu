// Game of Life on a torus of bytes, four cells at a time: a 32-bit word holds four neighbours of a row, and sums of
// neighbours (at most 8) are added bytewise in one ordinary addition.
#include <cstdint>

namespace life {

constexpr uint32_t kOnes = 0x01010101u;

// Three neighbouring words of a row. Only the lowest bit of a cell counts.
struct Window {
  uint32_t left, mid, right;

  __device__ uint32_t west() const { return (mid << 8) | (left >> 24); }   // byte i: the cell to the left of cell i
  __device__ uint32_t east() const { return (mid >> 8) | (right << 24); }  // byte i: the cell to the right of it
  __device__ uint32_t outer() const { return west() + east(); }
  __device__ uint32_t all() const { return outer() + mid; }
};

struct Torus {
  const uint32_t* __restrict__ words;
  int height, pitch;  // pitch in words

  __device__ Window window(int y, int w) const {
    const uint32_t* row = words + static_cast<size_t>((y + height) % height) * pitch;
    const int l = w == 0 ? pitch - 1 : w - 1, r = w == pitch - 1 ? 0 : w + 1;
    return {row[l] & kOnes, row[w] & kOnes, row[r] & kOnes};
  }
};

__global__ void __launch_bounds__(128)
    step(const uint32_t* __restrict__ now, uint32_t* __restrict__ next, int height, int pitch) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= height * pitch) return;
  const int y = i / pitch, w = i % pitch;

  const Torus torus{now, height, pitch};
  const Window here = torus.window(y, w);
  const uint32_t n = torus.window(y - 1, w).all() + here.outer() + torus.window(y + 1, w).all();
  // Bytewise comparisons answer 0xff or 0x00.
  const uint32_t three = __vcmpeq4(n, 3 * kOnes), two = __vcmpeq4(n, 2 * kOnes);
  next[i] = (three & kOnes) | (two & here.mid);
}

}  // namespace life
