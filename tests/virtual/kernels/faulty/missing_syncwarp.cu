// A warp-synchronous tree: nothing orders one step's stores before the next step's loads.
/* launch
entry = "tree"
grid = [2, 1, 1]
block = [32, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [64], init = "normal" },
  { name = "out", dtype = "f32", shape = [2] },
]
*/
extern "C" __global__ void tree(const float* in, float* out) {
  __shared__ float s[32];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 32 + t];
  __syncthreads();
  for (int d = 16; d > 0; d /= 2)
    if (t < d) s[t] = s[t] + s[t + d];  // expect: SAF601
  if (t == 0) out[blockIdx.x] = s[0];
}
