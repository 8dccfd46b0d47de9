// Each thread changes only its own element, several times.
/* launch
entry = "iterate"
grid = [2, 1, 1]
block = [96, 1, 1]
args = [
  { name = "z", dtype = "f32", shape = [192], init = "normal" },
  { dtype = "i32", value = 10 },
]
*/
extern "C" __global__ void iterate(volatile float* z, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < steps; ++k) z[i] = 0.5f * z[i] + 1.0f;
}
