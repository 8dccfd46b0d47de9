// Warp 0 leaves out the first barrier, so its second one meets the other warps' first.
/* launch
entry = "two_phases"
grid = [1, 1, 1]
block = [128, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [128], init = "arange" },
  { name = "out", dtype = "i32", shape = [128] },
]
*/
extern "C" __global__ void two_phases(const int* in, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[t];
  if (t >= 32) __syncthreads();  // expect: SAF609
  int v = s[t] * 2;
  __syncthreads();  // related: SAF609
  out[t] = v;
}
