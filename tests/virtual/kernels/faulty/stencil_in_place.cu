// Neighbours in other warps and blocks may already hold the new value.
/* launch
entry = "smooth"
grid = [4, 1, 1]
block = [64, 1, 1]
args = [
  { name = "a", dtype = "f32", shape = [256], init = "normal" },
  { dtype = "i32", value = 256 },
]
*/
extern "C" __global__ void smooth(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i >= n - 1) return;
  float left = a[i - 1];   // related: SAF602
  float right = a[i + 1];  // also: SAF602
  a[i] = 0.5f * (left + right);  // expect: SAF602
}
