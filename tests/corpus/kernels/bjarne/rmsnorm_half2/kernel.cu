// RMS normalisation of f16 rows with f32 arithmetic inside: half2 accesses where rows are 4-byte aligned, cooperative
// groups for the two levels of the reduction.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

namespace ml {

template <int BLOCK>
__device__ float block_sum(cg::thread_block block, float v) {
  constexpr int kWarps = BLOCK / 32;
  __shared__ float partial[kWarps];
  auto warp = cg::tiled_partition<32>(block);
  v = cg::reduce(warp, v, cg::plus<float>());
  if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = v;
  block.sync();
  // Every warp reduces the same few partial sums again: no second barrier for a broadcast.
  const int lane = warp.thread_rank();
  return cg::reduce(warp, lane < kWarps ? partial[lane] : 0.0f, cg::plus<float>());
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    rmsnorm(const __half* __restrict__ x, const __half* __restrict__ weight, __half* __restrict__ y, int hidden,
            float eps) {
  auto block = cg::this_thread_block();
  const int t = block.thread_rank();
  const size_t base = static_cast<size_t>(blockIdx.x) * hidden;

  if (hidden % 2 == 0) {
    const auto* in = reinterpret_cast<const __half2*>(x + base);
    const auto* w = reinterpret_cast<const __half2*>(weight);
    auto* out = reinterpret_cast<__half2*>(y + base);
    float sum = 0.0f;
    for (int i = t; i < hidden / 2; i += BLOCK) {
      const float2 v = __half22float2(in[i]);
      sum += v.x * v.x + v.y * v.y;
    }
    const float rstd = rsqrtf(block_sum<BLOCK>(block, sum) / static_cast<float>(hidden) + eps);
    for (int i = t; i < hidden / 2; i += BLOCK) {
      const float2 v = __half22float2(in[i]);
      const float2 g = __half22float2(w[i]);
      out[i] = __floats2half2_rn(v.x * rstd * g.x, v.y * rstd * g.y);
    }
  } else {
    float sum = 0.0f;
    for (int i = t; i < hidden; i += BLOCK) {
      const float v = __half2float(x[base + i]);
      sum += v * v;
    }
    const float rstd = rsqrtf(block_sum<BLOCK>(block, sum) / static_cast<float>(hidden) + eps);
    for (int i = t; i < hidden; i += BLOCK)
      y[base + i] = __float2half_rn(__half2float(x[base + i]) * rstd * __half2float(weight[i]));
  }
}

}  // namespace ml
