// Runs past one shared array into the next one, where another warp works.
/* launch
entry = "two_arrays"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [128], init = "arange" },
  { name = "out", dtype = "i32", shape = [64] },
]
*/
struct Arrays {
  int low[64];
  int high[64];
};
extern "C" __global__ void two_arrays(const int* in, int* out) {
  __shared__ Arrays s;
  int t = threadIdx.x;
  s.high[t] = in[64 + t];   // related: SAF604|SAF601
  (&s.low[0])[t + 1] = in[t];  // expect: SAF604|SAF601
  __syncthreads();
  out[t] = s.high[t] + (t > 0 ? s.low[t] : 0);
}
