// Sum of squares of each block's 256 elements. Bad: in the tail block a warp is only partly inside the guard, but the
// shuffles there name all 32 lanes.
// consequence: wrong-result
// consequence: deadlock
namespace stats {

struct Square {
  __device__ float operator()(float x) const { return x * x; }
};

__device__ inline float warp_sum(float v) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffffu, v, d);  // defect: warp-mask
  return v;
}

template <int BLOCK, typename Map>
__device__ void block_map_sum(const float* __restrict__ x, float* __restrict__ sums, int n, Map map) {
  constexpr int kWarps = BLOCK / 32;
  __shared__ float partial[kWarps];
  const int t = threadIdx.x;
  if (t < kWarps) partial[t] = 0.0f;
  __syncthreads();

  const int i = blockIdx.x * BLOCK + t;
  if (i < n) {
    const float v = warp_sum(map(x[i]));
    if (t % 32 == 0) partial[t / 32] = v;
  }
  __syncthreads();

  if (t == 0) {
    float total = 0.0f;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) total += partial[w];
    sums[blockIdx.x] = total;
  }
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) block_energy(const float* __restrict__ x, float* __restrict__ sums, int n) {
  block_map_sum<BLOCK>(x, sums, n, Square{});
}

}  // namespace stats
