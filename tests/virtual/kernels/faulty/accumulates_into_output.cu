// `+=` on an output that is not an input.
/* launch
entry = "axpy"
grid = [3, 1, 1]
block = [128, 1, 1]
args = [
  { name = "x", dtype = "f32", shape = [300], init = "normal" },
  { name = "y", dtype = "f32", shape = [300], init = "undefined" },
  { dtype = "f32", value = 2.5 },
  { dtype = "i32", value = 300 },
]
*/
extern "C" __global__ void axpy(const float* x, float* y, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] += a * x[i];  // expect: SAF606
}
