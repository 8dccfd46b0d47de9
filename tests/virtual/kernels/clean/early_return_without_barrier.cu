// Threads beyond n leave at once; nothing later waits for them.
/* launch
entry = "scale"
grid = [2, 1, 1]
block = [96, 1, 1]
args = [
  { name = "in", dtype = "f64", shape = [150], init = "normal" },
  { name = "out", dtype = "f64", shape = [150] },
  { dtype = "i32", value = 150 },
]
*/
extern "C" __global__ void scale(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = in[i];
  if (v < 0.0) {
    out[i] = 0.0;
    return;
  }
  out[i] = sqrt(v);
}
