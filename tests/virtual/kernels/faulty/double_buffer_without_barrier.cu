// Two buffers, but nothing between filling one and reading it.
/* launch
entry = "pipeline"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [4, 64], init = "normal" },
  { name = "out", dtype = "f32", shape = [64] },
]
*/
extern "C" __global__ void pipeline(const float* in, float* out) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < 4; ++i) {
    s[i % 2][t] = in[i * 64 + t];  // related: SAF601
    sum += s[i % 2][63 - t];       // expect: SAF601  // also: SAF605
  }
  out[t] = sum;
}
