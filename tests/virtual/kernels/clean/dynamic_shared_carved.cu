// One dynamic allocation carved into floats, then ints, then bytes.
/* launch
entry = "carve"
grid = [1, 1, 1]
block = [64, 1, 1]
dynamic_shared = 576
args = [
  { name = "in", dtype = "i32", shape = [64], init = "arange" },
  { name = "out", dtype = "f32", shape = [64] },
]
*/
extern "C" __global__ void carve(const int* in, float* out) {
  extern __shared__ __align__(16) unsigned char raw[];
  float* f = reinterpret_cast<float*>(raw);
  int* n = reinterpret_cast<int*>(f + 64);
  unsigned char* b = reinterpret_cast<unsigned char*>(n + 64);
  int t = threadIdx.x;
  f[t] = 0.5f * t;
  n[t] = in[t];
  b[t] = (unsigned char)(t & 3);
  __syncthreads();
  out[t] = f[63 - t] + n[(t + 1) % 64] + b[t ^ 1];
}
