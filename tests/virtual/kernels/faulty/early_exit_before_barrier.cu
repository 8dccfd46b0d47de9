// Threads beyond n return although a barrier follows: it works on current GPUs, but is a warning.
/* launch
entry = "tail"
grid = [1, 1, 1]
block = [128, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [90], init = "normal" },
  { name = "out", dtype = "f32", shape = [90] },
  { dtype = "i32", value = 90 },
]
*/
extern "C" __global__ void tail(const float* in, float* out, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  if (t >= n) return;  // also: SAF610
  s[t] = in[t];
  __syncthreads();  // expect: SAF610
  out[t] = s[n - 1 - t];
}
