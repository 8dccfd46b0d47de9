// One thread stores the block's sum, fences, and takes a ticket; the last block adds the sums up.
/* launch
entry = "reduce"
grid = [8, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [512], init = "normal" },
  { name = "partial", dtype = "f32", shape = [8] },
  { name = "ticket", dtype = "u32", shape = [1], init = "zeros" },
  { name = "out", dtype = "f32", shape = [1] },
]
*/
extern "C" __global__ void reduce(const float* in, volatile float* partial, unsigned* ticket, float* out) {
  __shared__ float s[64];
  __shared__ bool last;
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    float sum = 0.0f;
    for (int i = 0; i < gridDim.x; ++i) sum += partial[i];
    *out = sum;
  }
}
