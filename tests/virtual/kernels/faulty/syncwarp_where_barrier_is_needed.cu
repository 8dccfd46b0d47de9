// __syncwarp orders the lanes of one warp; the neighbour at the seam belongs to another.
/* launch
entry = "shift"
grid = [1, 1, 1]
block = [128, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [128], init = "normal" },
  { name = "out", dtype = "f32", shape = [128] },
]
*/
extern "C" __global__ void shift(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = in[t];  // related: SAF601
  __syncwarp();
  out[t] = s[(t + 1) % 128];  // expect: SAF601  // also: SAF605
}
