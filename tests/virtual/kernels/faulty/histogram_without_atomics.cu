// Plain increments of shared bins lose counts.
/* launch
entry = "histogram"
grid = [1, 1, 1]
block = [128, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [128], init = "arange" },
  { name = "out", dtype = "i32", shape = [32] },
]
*/
extern "C" __global__ void histogram(const int* in, int* out) {
  __shared__ int bins[32];
  int t = threadIdx.x;
  if (t < 32) bins[t] = 0;
  __syncthreads();
  bins[in[t] % 32] += 1;  // expect: SAF601
  __syncthreads();
  if (t < 32) out[t] = bins[t];
}
