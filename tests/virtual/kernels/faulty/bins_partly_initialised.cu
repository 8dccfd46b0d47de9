// Only element 0 of a shared table is cleared; shared memory does not start as zeros.
/* launch
entry = "count"
grid = [2, 1, 1]
block = [128, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [256], init = "arange" },
  { name = "out", dtype = "i32", shape = [2, 16] },
]
*/
extern "C" __global__ void count(const int* in, int* out) {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t == 0) bins[0] = 0;
  __syncthreads();
  atomicAdd(&bins[in[blockIdx.x * 128 + t] % 16], 1);  // expect: SAF605
  __syncthreads();
  if (t < 16) out[blockIdx.x * 16 + t] = bins[t];  // also: SAF605
}
