// Prefix over blocks by looking back, but the prefix itself is published without a fence.
/* launch
entry = "look_back"
grid = [6, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [6, 64], init = "normal" },
  { name = "sums", dtype = "f32", shape = [6], init = "undefined" },
  { name = "prefixes", dtype = "f32", shape = [6], init = "undefined" },
  { name = "state", dtype = "i32", shape = [6] },
  { name = "out", dtype = "f32", shape = [6], init = "undefined" },
]
*/
extern "C" __global__ void look_back(const float* in, float* sums, float* prefixes, volatile int* state, float* out) {
  __shared__ float s[64];
  int b = blockIdx.x, t = threadIdx.x;
  s[t] = in[b * 64 + t];
  __syncthreads();
  if (t != 0) return;
  float own = 0.0f, before = 0.0f;
  for (int i = 0; i < 64; ++i) own += s[i];
  if (b > 0) {
    sums[b] = own;
    __threadfence();
    state[b] = 1;
    for (int j = b - 1;; --j) {
      int seen;
      while ((seen = state[j]) == 0) {
      }
      __threadfence();
      before += seen == 2 ? prefixes[j] : sums[j];  // expect: SAF602
      if (seen == 2) break;
    }
  }
  prefixes[b] = before + own;
  state[b] = 2;
  out[b] = before;
}
