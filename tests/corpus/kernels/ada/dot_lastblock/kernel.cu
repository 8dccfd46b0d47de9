// Dot product in one pass: each block leaves a partial sum, and the block that draws the last ticket adds them up in a fixed order.
#define FULL 0xffffffffu
#define NT 256

__device__ __forceinline__ float wsum(float v) {
#pragma unroll
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(FULL, v, o);
  return v;
}

extern "C" __global__ void clear(unsigned* ticket) {
  if (threadIdx.x == 0) *ticket = 0u;
}

extern "C" __global__ void __launch_bounds__(NT)
    dot(const float* __restrict__ x, const float* __restrict__ y, float* part, unsigned* ticket, float* out, int n) {
  __shared__ float ws[NT / 32];
  __shared__ int last;
  const int t = threadIdx.x, lane = t & 31, w = t >> 5;

  float acc = 0.f;
  for (int i = blockIdx.x * NT + t; i < n; i += gridDim.x * NT) acc += x[i] * y[i];
  acc = wsum(acc);
  if (lane == 0) ws[w] = acc;
  __syncthreads();

  if (w == 0) {
    acc = wsum(lane < NT / 32 ? ws[lane] : 0.f);
    if (lane == 0) {
      part[blockIdx.x] = acc;
      __threadfence();                                    // release: the partial sum before the ticket
      last = atomicAdd(ticket, 1u) == gridDim.x - 1;
      __threadfence();                                    // acquire: the ticket before the others' partial sums
    }
  }
  __syncthreads();
  if (!last) return;                                      // whole blocks leave

  acc = 0.f;
  for (int i = t; i < gridDim.x; i += NT) acc += part[i];
  acc = wsum(acc);
  if (lane == 0) ws[w] = acc;                             // warp 0 read ws before the barrier above
  __syncthreads();
  if (t == 0) {
    float s = 0.f;
    for (int k = 0; k < NT / 32; ++k) s += ws[k];
    *out = s;
  }
}
