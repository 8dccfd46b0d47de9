// A neighbour sum that forgets the last element has no right neighbour.
/* launch
entry = "pair_sum"
grid = [4, 1, 1]
block = [256, 1, 1]
args = [
  { name = "a", dtype = "f32", shape = [1024], init = "normal" },
  { name = "c", dtype = "f32", shape = [1024] },
  { dtype = "i32", value = 1024 },
]
*/
/* detail
code = "SAF603"
buffer = "a"
index = 1024
block = [3, 0, 0]
thread = [255, 0, 0]
*/
extern "C" __global__ void pair_sum(const float* a, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float left = a[i];
  float right = a[i + 1];  // expect: SAF603
  c[i] = left + right;
}
