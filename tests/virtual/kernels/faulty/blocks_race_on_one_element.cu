// Every block stores its own number in the same element.
/* launch
entry = "who_was_last"
grid = [8, 1, 1]
block = [32, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [256], init = "arange" },
  { name = "out", dtype = "i32", shape = [1] },
]
*/
extern "C" __global__ void who_was_last(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 32 == 31) out[0] = i;  // expect: SAF602
}
