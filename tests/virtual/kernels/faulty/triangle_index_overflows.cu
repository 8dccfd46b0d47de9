// i (i + 1) / 2 leaves 32 bits at i = 46341 and comes back negative.
/* launch n1024
entry = "scatter"
grid = [4, 1, 1]
block = [256, 1, 1]
args = [
  { name = "bins", dtype = "i32", shape = [1024], init = "zeros" },
  { dtype = "i32", value = 1024 },
]
*/
/* launch n100000
entry = "scatter"
grid = [391, 1, 1]
block = [256, 1, 1]
args = [
  { name = "bins", dtype = "i32", shape = [100000], init = "zeros" },
  { dtype = "i32", value = 100000 },
]
*/
extern "C" __global__ void scatter(int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int triangle = i * (i + 1) / 2;
  atomicAdd(&bins[triangle % n], 1);  // expect@n100000: SAF603
}
