// y = A x with f16 operands and an f32 result, a warp per row and half2 loads. Bad: each lane accumulates in f16, which
// costs three digits of the result.
// consequence: wrong-result
#include <cuda_fp16.h>

namespace la {

template <int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
    matvec(const __half* __restrict__ a, const __half* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * WARPS + threadIdx.x / 32;
  if (row >= rows) return;

  const auto* a2 = reinterpret_cast<const __half2*>(a + static_cast<size_t>(row) * cols);  // cols is even
  const auto* x2 = reinterpret_cast<const __half2*>(x);
  __half2 acc = __float2half2_rn(0.0f);
  for (int i = lane; i < cols / 2; i += 32) {
    const __half2 u = a2[i], v = x2[i];
    acc = __hfma2(u, v, acc);  // defect: imprecise
  }

  const float2 pair = __half22float2(acc);
  float sum = pair.x + pair.y;
#pragma unroll
  for (int m = 16; m > 0; m /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, m);
  if (lane == 0) y[row] = sum;
}

}  // namespace la
