// Residual connection y = x + alpha * branch, 16 bytes per access. Bad: the number of vectors is rounded up, so the last
// thread reads and writes beyond the ends unless n is a multiple of 4.
namespace ml {

template <typename Op>
__device__ float4 zip(const float4& a, const float4& b, Op op) {
  return make_float4(op(a.x, b.x), op(a.y, b.y), op(a.z, b.z), op(a.w, b.w));
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    residual(const float* __restrict__ x, const float* __restrict__ branch, float* __restrict__ y, float alpha, int n) {
  const auto* x4 = reinterpret_cast<const float4*>(x);
  const auto* b4 = reinterpret_cast<const float4*>(branch);
  auto* y4 = reinterpret_cast<float4*>(y);

  const int vectors = (n + 3) / 4;
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= vectors) return;
  const float4 a = x4[i];  // defect: out-of-bounds-global
  const float4 b = b4[i];  // defect-also: out-of-bounds-global
  const float4 r = zip(a, b, [alpha](float u, float v) { return fmaf(alpha, v, u); });
  y4[i] = r;  // defect-also: out-of-bounds-global
}

}  // namespace ml
