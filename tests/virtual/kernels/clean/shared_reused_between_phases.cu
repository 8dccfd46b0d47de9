// The same array serves as integers first and as floats afterwards, with a barrier on each side of the change.
/* launch
entry = "phases"
grid = [1, 1, 1]
block = [128, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [128], init = "arange" },
  { name = "out", dtype = "f32", shape = [128] },
]
*/
extern "C" __global__ void phases(const int* in, float* out) {
  __shared__ union {
    int i[128];
    float f[128];
  } s;
  int t = threadIdx.x;
  s.i[t] = in[t];
  __syncthreads();
  int v = s.i[127 - t];
  __syncthreads();
  s.f[t] = 0.25f * v;
  __syncthreads();
  out[t] = s.f[(t + 64) % 128];
}
