// Maximum of i32 in one pass, finished by the block with the last ticket. Bad: no fence orders the blocks' results and their tickets.
#define FULL 0xffffffffu
#define NT 256
#define LOWEST (-2147483647 - 1)

extern "C" __global__ void clear(unsigned* ticket) {
  if (threadIdx.x == 0) *ticket = 0u;
}

__device__ __forceinline__ int block_max(int v, int* ws) {  // complete in warp 0
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  for (int o = 16; o; o >>= 1) v = max(v, __shfl_xor_sync(FULL, v, o));
  __syncthreads();
  if (lane == 0) ws[w] = v;
  __syncthreads();
  if (w == 0) {
    v = lane < NT / 32 ? ws[lane] : LOWEST;
    for (int o = 16; o; o >>= 1) v = max(v, __shfl_xor_sync(FULL, v, o));
  }
  return v;
}

extern "C" __global__ void __launch_bounds__(NT)
    max_of(const int* __restrict__ x, int* part, unsigned* ticket, int* out, int n) {
  __shared__ int ws[NT / 32];
  __shared__ int last;
  const int t = threadIdx.x;

  int m = LOWEST;
  for (int i = blockIdx.x * NT + t; i < n; i += gridDim.x * NT) m = max(m, x[i]);
  m = block_max(m, ws);
  if (t == 0) {
    part[blockIdx.x] = m;  // defect: race-global
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;

  m = LOWEST;
  for (int i = t; i < gridDim.x; i += NT)
    m = max(m, part[i]);  // defect-also: race-global
  m = block_max(m, ws);
  if (t == 0) *out = m;
}
// consequence: wrong-result
