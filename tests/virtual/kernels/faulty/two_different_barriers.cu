// Each half of the block calls a barrier of its own.
/* launch
entry = "halves"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [64], init = "normal" },
  { name = "out", dtype = "f32", shape = [64] },
]
*/
extern "C" __global__ void halves(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t < 32) {
    s[t] = in[t];
    __syncthreads();  // expect: SAF609
    out[t] = s[63 - t] * 2.0f;
  } else {
    s[t] = -in[t];
    __syncthreads();  // related: SAF609
    out[t] = s[63 - t];
  }
}
