// Two warps read s[0]; the second then stores to it, with no barrier behind the first one's read.
/* launch
entry = "last"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [64], init = "normal" },
  { name = "out", dtype = "f32", shape = [64] },
]
*/
extern "C" __global__ void last(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t % 32 != 0) return;
  out[t] = s[0];
  if (t == 32) s[0] = 1.0f;  // expect: SAF601
  out[t + 1] = s[0];  // also: SAF601
}
