// Even lanes wait at a barrier that odd lanes walk past.
/* launch
entry = "odd_even"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [64], init = "arange" },
  { name = "out", dtype = "i32", shape = [64] },
]
*/
extern "C" __global__ void odd_even(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x, v = in[t];
  if (v % 2 == 0) {
    s[t] = v;
    __syncthreads();  // expect: SAF609
    v += s[(t + 2) % 64];
  }
  v = v * 3 + 1;
  out[t] = v;
}
