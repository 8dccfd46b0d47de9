// Two warps store different values into the same 32 words.
/* launch
entry = "last_wins"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "out", dtype = "i32", shape = [64] },
]
*/
extern "C" __global__ void last_wins(int* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t % 32] = t;  // expect: SAF601
  __syncthreads();
  out[t] = s[t % 32];
}
