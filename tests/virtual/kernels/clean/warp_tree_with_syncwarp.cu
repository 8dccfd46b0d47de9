// A warp's tree in shared memory, each step's loads and stores separated.
/* launch
entry = "tree"
grid = [2, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [128], init = "normal" },
  { name = "out", dtype = "f32", shape = [4] },
]
*/
extern "C" __global__ void tree(const float* in, float* out) {
  __shared__ float s[2][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = in[blockIdx.x * 64 + threadIdx.x];
  s[warp][lane] = v;
  __syncwarp();
  for (int d = 16; d > 0; d /= 2) {
    float other = s[warp][lane ^ d];
    __syncwarp();
    v += other;
    s[warp][lane] = v;
    __syncwarp();
  }
  if (lane == 0) out[blockIdx.x * 2 + warp] = v;
}
