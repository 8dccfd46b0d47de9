// Depthwise K x K convolution with zero padding, one channel per grid layer; a view answers zero outside its plane.
namespace conv {

struct Plane {
  const float* __restrict__ data;
  int height, width;

  __device__ float operator()(int y, int x) const {
    const bool inside = static_cast<unsigned>(y) < static_cast<unsigned>(height) &&
                        static_cast<unsigned>(x) < static_cast<unsigned>(width);
    return inside ? data[y * width + x] : 0.0f;
  }
};

template <int K>
struct Filter {
  float tap[K][K];

  __device__ explicit Filter(const float* __restrict__ weights) {
#pragma unroll
    for (int i = 0; i < K * K; ++i) tap[i / K][i % K] = weights[i];  // one address for all lanes
  }
};

template <int K>
__global__ void __launch_bounds__(256)
    depthwise(const float* __restrict__ x, const float* __restrict__ weights, const float* __restrict__ bias,
              float* __restrict__ y, int height, int width) {
  static_assert(K % 2 == 1, "the window has a centre");
  const int channel = blockIdx.z;
  const int ox = blockIdx.x * 32 + threadIdx.x, oy = blockIdx.y * 8 + threadIdx.y;
  if (ox >= width || oy >= height) return;

  const size_t plane_size = static_cast<size_t>(height) * width;
  const Plane in{x + channel * plane_size, height, width};
  const Filter<K> f(weights + channel * K * K);

  float sum = bias[channel];
#pragma unroll
  for (int dy = 0; dy < K; ++dy)
#pragma unroll
    for (int dx = 0; dx < K; ++dx) sum = fmaf(f.tap[dy][dx], in(oy + dy - K / 2, ox + dx - K / 2), sum);
  y[channel * plane_size + oy * width + ox] = sum;
}

}  // namespace conv
