// The distance of the scan meets the length only if that is a power of two; else the loop of barriers and stores goes on for ever.
/* launch
entry = "scan"
grid = [2, 1, 1]
block = [128, 1, 1]
args = [
  { name = "x", dtype = "u32", shape = [200], init = "ones" },
  { name = "y", dtype = "u32", shape = [200] },
  { dtype = "u32", value = 100 },
]
*/
extern "C" __global__ void scan(const unsigned* x, unsigned* y, unsigned n) {
  __shared__ unsigned s[128];
  unsigned t = threadIdx.x;
  s[t] = t < n ? x[blockIdx.x * n + t] : 0;
  __syncthreads();
  for (unsigned d = 1; d != n; d <<= 1) {
    unsigned v = t >= d ? s[t - d] : 0;
    __syncthreads();  // also: SAF612
    s[t] += v;  // expect: SAF612
    __syncthreads();  // also: SAF612
  }
  if (t < n) y[blockIdx.x * n + t] = s[t];
}
