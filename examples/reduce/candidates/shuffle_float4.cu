// A grid of fixed size strides over x 16 bytes a lane, sums stay in registers, and warps add up with shuffles. The
// block that draws the last ticket adds the sums of all blocks in the order of their numbers: one launch, and the same
// result in every run.
template <int WARPS>
__device__ float block_sum(float v) {
  __shared__ float s[WARPS];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (lane == 0) s[warp] = v;
  __syncthreads();
  v = lane < WARPS ? s[lane] : 0.0f;
  for (int d = WARPS / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;  // of use to thread 0
}

extern "C" __global__ void __launch_bounds__(THREADS)
    reduce(const float* __restrict__ x, float* __restrict__ total, volatile float* sums, unsigned* ticket, int n) {
  __shared__ bool last;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  int first = blockIdx.x * THREADS + threadIdx.x;

  float v = 0.0f;
  for (int i = first; i < n / 4; i += gridDim.x * THREADS) {
    float4 q = x4[i];
    v += (q.x + q.y) + (q.z + q.w);
  }
  if (first < n % 4) v += x[n / 4 * 4 + first];  // what does not fill a vector
  v = block_sum<THREADS / 32>(v);

  if (threadIdx.x == 0) {
    sums[blockIdx.x] = v;
    __threadfence();  // the sum is visible before the ticket is
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;

  v = 0.0f;
  for (int i = threadIdx.x; i < gridDim.x; i += THREADS) v += sums[i];
  v = block_sum<THREADS / 32>(v);
  if (threadIdx.x == 0) *total = v;
}
