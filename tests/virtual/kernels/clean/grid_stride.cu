// A fixed grid covers any length: right at n = 1024 and at n = 100000.
/* launch n1024
entry = "saxpy"
grid = [4, 1, 1]
block = [256, 1, 1]
args = [
  { name = "x", dtype = "f32", shape = [1024], init = "normal" },
  { name = "y", dtype = "f32", shape = [1024], init = "normal" },
  { dtype = "f32", value = 1.5 },
  { dtype = "i32", value = 1024 },
]
*/
/* launch n100000
entry = "saxpy"
grid = [4, 1, 1]
block = [256, 1, 1]
args = [
  { name = "x", dtype = "f32", shape = [100000], init = "normal" },
  { name = "y", dtype = "f32", shape = [100000], init = "normal" },
  { dtype = "f32", value = 1.5 },
  { dtype = "i32", value = 100000 },
]
*/
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}
