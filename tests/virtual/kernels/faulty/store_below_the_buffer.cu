// The mirrored index runs from n down to 1 and the one below it from n - 1 down to -1.
/* launch
entry = "reverse"
grid = [2, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f64", shape = [128], init = "normal" },
  { name = "out", dtype = "f64", shape = [128] },
  { dtype = "i32", value = 128 },
]
*/
/* detail
code = "SAF603"
buffer = "out"
index = -1
block = [1, 0, 0]
thread = [63, 0, 0]
*/
extern "C" __global__ void reverse(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[n - 2 - i] = in[i];  // expect: SAF603
}
