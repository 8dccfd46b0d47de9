// A structure of 12 bytes in 16: the compiler copies the padding too, which nobody ever wrote.
/* launch
entry = "largest"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f64", shape = [64], init = "normal" },
  { name = "out", dtype = "i32", shape = [1] },
]
*/
struct Place { double value; int index; };
extern "C" __global__ void largest(const double* in, int* out) {
  __shared__ Place s[64];
  int t = threadIdx.x;
  Place mine;
  mine.value = in[t];
  mine.index = t;
  s[t] = mine;
  __syncthreads();
  for (int step = 32; step; step /= 2) {
    if (t < step && s[t + step].value > s[t].value) s[t] = s[t + step];
    __syncthreads();
  }
  if (t == 0) *out = s[0].index;
}
