// Scales the rows of an f16 matrix, 8 elements per access and a scalar tail. Bad: unless cols is a multiple of 8, rows after
// the first do not start at a 16-byte boundary.
// consequence: wrong-result
// consequence: unwritten
#include <cuda_fp16.h>

namespace ml {

__device__ inline unsigned scale_pair(unsigned bits, float factor) {
  const float2 f = __half22float2(*reinterpret_cast<const __half2*>(&bits));
  const __half2 h = __floats2half2_rn(f.x * factor, f.y * factor);
  return *reinterpret_cast<const unsigned*>(&h);
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    scale_rows(const __half* __restrict__ x, const float* __restrict__ factors, __half* __restrict__ y, int cols) {
  constexpr int kWidth = 8;
  const __half* in = x + static_cast<size_t>(blockIdx.x) * cols;
  __half* out = y + static_cast<size_t>(blockIdx.x) * cols;
  const float factor = factors[blockIdx.x];

  const int vectors = cols / kWidth;
  for (int i = threadIdx.x; i < vectors; i += BLOCK) {
    uint4 v = reinterpret_cast<const uint4*>(in)[i];  // defect: misaligned
    v.x = scale_pair(v.x, factor);
    v.y = scale_pair(v.y, factor);
    v.z = scale_pair(v.z, factor);
    v.w = scale_pair(v.w, factor);
    reinterpret_cast<uint4*>(out)[i] = v;  // defect-also: misaligned
  }
  for (int c = vectors * kWidth + threadIdx.x; c < cols; c += BLOCK)
    out[c] = __float2half_rn(__half2float(in[c]) * factor);
}

}  // namespace ml
