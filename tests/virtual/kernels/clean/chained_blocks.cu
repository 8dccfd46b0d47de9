// Each block waits for the running sum of the block before it (a serial scan over blocks).
/* launch
entry = "running_sum"
grid = [6, 1, 1]
block = [32, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [192], init = "arange" },
  { name = "prefix", dtype = "i32", shape = [7], init = "zeros" },
  { name = "ready", dtype = "i32", shape = [7], init = "zeros" },
  { name = "out", dtype = "i32", shape = [192] },
]
*/
extern "C" __global__ void running_sum(const int* in, volatile int* prefix, volatile int* ready, int* out) {
  __shared__ int base;
  int t = threadIdx.x, b = blockIdx.x;
  int v = in[b * 32 + t];
  for (int d = 1; d < 32; d *= 2) {
    int left = __shfl_up_sync(0xffffffffu, v, d);
    if (t >= d) v += left;
  }
  if (t == 31) {
    while (b > 0 && ready[b] == 0) {
    }
    __threadfence();
    base = prefix[b];
    prefix[b + 1] = base + v;
    __threadfence();
    ready[b + 1] = 1;
  }
  __syncthreads();
  out[b * 32 + t] = base + v;
}
