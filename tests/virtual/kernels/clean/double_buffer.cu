// Two buffers and one barrier in each step: a buffer is refilled only after the barrier that follows its last read.
/* launch
entry = "pipeline"
grid = [2, 1, 1]
block = [128, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [2, 5, 128], init = "normal" },
  { name = "out", dtype = "f32", shape = [2, 128] },
]
*/
extern "C" __global__ void pipeline(const float* in, float* out) {
  __shared__ float s[2][128];
  int t = threadIdx.x;
  const float* mine = in + blockIdx.x * 5 * 128;
  float sum = 0.0f;
  s[0][t] = mine[t];
  for (int i = 0; i < 5; ++i) {
    __syncthreads();
    if (i + 1 < 5) s[(i + 1) % 2][t] = mine[(i + 1) * 128 + t];
    sum += s[i % 2][127 - t];
  }
  out[blockIdx.x * 128 + t] = sum;
}
