// The fence stands before the stores that it should publish.
/* launch
entry = "last_block"
grid = [5, 1, 1]
block = [64, 1, 1]
args = [
  { name = "part", dtype = "f32", shape = [5, 64], init = "undefined" },
  { name = "out", dtype = "f32", shape = [64], init = "undefined" },
  { name = "count", dtype = "i32", shape = [1] },
]
*/
extern "C" __global__ void last_block(float* part, float* out, int* count) {
  __shared__ bool last;
  int t = threadIdx.x;
  __threadfence();
  part[blockIdx.x * 64 + t] = blockIdx.x * 0.5f;  // related: SAF602
  __syncthreads();
  if (t == 0) last = atomicAdd(count, 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  float sum = 0.0f;
  for (int b = 0; b < gridDim.x; ++b) sum += part[b * 64 + t];  // expect: SAF602
  out[t] = sum;
}
