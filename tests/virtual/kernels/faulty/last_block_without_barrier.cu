// All threads store and fence, but thread 0 takes the ticket without waiting for the others.
/* launch
entry = "column_sums"
grid = [4, 1, 1]
block = [96, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [384], init = "normal" },
  { name = "partial", dtype = "f32", shape = [4, 96] },
  { name = "ticket", dtype = "u32", shape = [1], init = "zeros" },
  { name = "out", dtype = "f32", shape = [96] },
]
*/
extern "C" __global__ void column_sums(const float* in, float* partial, unsigned* ticket, float* out) {
  __shared__ bool last;
  int t = threadIdx.x;
  float v = in[blockIdx.x * 96 + t];
  partial[blockIdx.x * 96 + t] = v * v;  // related: SAF602
  __threadfence();
  if (t == 0) last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    float sum = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) sum += partial[b * 96 + t];  // expect: SAF602
    out[t] = sum;
  }
}
