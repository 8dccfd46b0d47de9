// Two lanes of one store instruction aim at the same word with different values.
/* launch
entry = "pairs"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [32], init = "arange" },
  { name = "out", dtype = "i32", shape = [16] },
]
*/
extern "C" __global__ void pairs(const int* in, int* out) {
  __shared__ int s[16];
  int t = threadIdx.x;
  s[t / 2] = in[t];  // expect: SAF601
  __syncwarp();
  if (t < 16) out[t] = s[t];
}
