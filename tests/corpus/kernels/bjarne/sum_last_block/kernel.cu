// Sum of a vector in one pass: every block leaves a partial sum, and the block that takes the last ticket adds them all in
// a fixed order. A fence on either side of the ticket orders the partial sums; a first launch resets the counter.
namespace reduce {

template <int BLOCK>
class BlockSum {
  static constexpr int kWarps = BLOCK / 32;

 public:
  struct Storage {
    float warp[kWarps];
  };

  __device__ explicit BlockSum(Storage& storage) : storage_(storage) {}

  // All threads get the sum. The caller has a barrier between two uses of the same storage.
  __device__ float operator()(float v) {
#pragma unroll
    for (int m = 16; m > 0; m /= 2) v += __shfl_xor_sync(0xffffffffu, v, m);
    if (threadIdx.x % 32 == 0) storage_.warp[threadIdx.x / 32] = v;
    __syncthreads();
    float total = 0.0f;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) total += storage_.warp[w];
    return total;
  }

 private:
  Storage& storage_;
};

__global__ void reset(unsigned* ticket) { *ticket = 0; }

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    sum(const float* __restrict__ x, float* partial, unsigned* ticket, float* __restrict__ out, int n) {
  __shared__ typename BlockSum<BLOCK>::Storage storage;
  __shared__ bool is_last;

  const float4* x4 = reinterpret_cast<const float4*>(x);
  const int stride = gridDim.x * BLOCK;
  float v = 0.0f;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n / 4; i += stride) {
    const float4 f = x4[i];
    v += (f.x + f.y) + (f.z + f.w);
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) v += x[n / 4 * 4 + threadIdx.x];

  v = BlockSum<BLOCK>(storage)(v);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = v;
    __threadfence();  // release: the partial sum before the ticket
    is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    __threadfence();  // acquire: the other blocks' partial sums after it
  }
  __syncthreads();
  if (!is_last) return;  // the whole block

  float total = 0.0f;
  for (int i = threadIdx.x; i < gridDim.x; i += BLOCK) total += __ldcg(partial + i);
  total = BlockSum<BLOCK>(storage)(total);
  if (threadIdx.x == 0) *out = total;
}

}  // namespace reduce
