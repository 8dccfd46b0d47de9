// Layer normalisation with Welford statistics: one block per row, 16-byte loads where every row starts at a 16-byte
// boundary and scalar ones elsewhere.
namespace ml {

struct Welford {
  float n = 0.0f, mean = 0.0f, m2 = 0.0f;

  __device__ void push(float x) {
    n += 1.0f;
    const float d = x - mean;
    mean += d / n;
    m2 += d * (x - mean);
  }

  __device__ Welford& operator+=(const Welford& o) {
    const float total = n + o.n;
    if (total == 0.0f) return *this;  // two lanes without elements
    const float d = o.mean - mean;
    const float share = o.n / total;
    mean += d * share;
    m2 += o.m2 + d * d * n * share;
    n = total;
    return *this;
  }
};

__device__ inline Welford shfl_xor(const Welford& w, int mask) {
  Welford r;
  r.n = __shfl_xor_sync(0xffffffffu, w.n, mask);
  r.mean = __shfl_xor_sync(0xffffffffu, w.mean, mask);
  r.m2 = __shfl_xor_sync(0xffffffffu, w.m2, mask);
  return r;
}

struct Affine {
  float mean, rstd;
  __device__ float operator()(float x, float g, float b) const { return (x - mean) * rstd * g + b; }
};

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    layernorm(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
              float* __restrict__ y, int cols, float eps) {
  constexpr int kWarps = BLOCK / 32;
  __shared__ float3 partial[kWarps];

  const int t = threadIdx.x;
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;
  const bool wide = cols % 4 == 0;  // the same for all threads

  Welford w;
  if (wide) {
    const float4* in4 = reinterpret_cast<const float4*>(in);
    for (int c = t; c < cols / 4; c += BLOCK) {
      const float4 v = in4[c];
      w.push(v.x);
      w.push(v.y);
      w.push(v.z);
      w.push(v.w);
    }
  } else {
    for (int c = t; c < cols; c += BLOCK) w.push(in[c]);
  }

#pragma unroll
  for (int m = 16; m > 0; m /= 2) w += shfl_xor(w, m);
  if (t % 32 == 0) partial[t / 32] = make_float3(w.n, w.mean, w.m2);
  __syncthreads();

  Welford row;
#pragma unroll
  for (int i = 0; i < kWarps; ++i) {
    const float3 p = partial[i];
    row += Welford{p.x, p.y, p.z};
  }

  const Affine f{row.mean, rsqrtf(row.m2 / static_cast<float>(cols) + eps)};
  if (wide) {
    const float4* in4 = reinterpret_cast<const float4*>(in);
    const float4* g4 = reinterpret_cast<const float4*>(gamma);
    const float4* b4 = reinterpret_cast<const float4*>(beta);
    float4* out4 = reinterpret_cast<float4*>(out);
    for (int c = t; c < cols / 4; c += BLOCK) {
      const float4 v = in4[c], g = g4[c], b = b4[c];
      out4[c] = make_float4(f(v.x, g.x, b.x), f(v.y, g.y, b.y), f(v.z, g.z, b.z), f(v.w, g.w, b.w));
    }
  } else {
    for (int c = t; c < cols; c += BLOCK) out[c] = f(in[c], gamma[c], beta[c]);
  }
}

}  // namespace ml
