// Barriers that also count and combine a predicate.
/* launch
entry = "votes"
grid = [2, 1, 1]
block = [96, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [192], init = "arange" },
  { name = "out", dtype = "i32", shape = [2, 3] },
]
*/
extern "C" __global__ void votes(const int* in, int* out) {
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  int thirds = __syncthreads_count(v % 3 == 0);
  int all = __syncthreads_and(v >= 0);
  int any = __syncthreads_or(v == 100);
  if (threadIdx.x == 0) {
    out[3 * blockIdx.x] = thirds;
    out[3 * blockIdx.x + 1] = all;
    out[3 * blockIdx.x + 2] = any;
  }
}
