// Threads without data write their share and leave before a barrier is in sight; the others reduce with full masks.
/* launch
entry = "sums"
grid = [2, 1, 1]
block = [64, 1, 1]
args = [
  { name = "x", dtype = "i32", shape = [128], init = "arange" },
  { name = "y", dtype = "i32", shape = [128] },
  { dtype = "i32", value = 21 },
]
*/
extern "C" __global__ void sums(const int* x, int* y, int n) {
  int t = threadIdx.x % 32, i = blockIdx.x * 64 + threadIdx.x;
  if (t >= n) {
    int v = x[i];
    for (int k = 0; k < 3; ++k) v = v * 5 + k;
    y[i] = v;
    return;
  }
  int v = x[i];
  for (int k = 0; k < 5; ++k) v += __shfl_sync(0xffffffff, v, k);
  y[i] = v;
}
