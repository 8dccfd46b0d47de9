// The running maximum is read from a workspace that nobody has set.
/* launch
entry = "running_max"
grid = [2, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [128], init = "normal" },
  { name = "work", dtype = "f32", shape = [128], init = "undefined" },
  { name = "out", dtype = "f32", shape = [128] },
]
*/
extern "C" __global__ void running_max(const float* in, float* work, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best = fmaxf(work[i], in[i]);  // expect: SAF606
  work[i] = best;
  out[i] = best;
}
