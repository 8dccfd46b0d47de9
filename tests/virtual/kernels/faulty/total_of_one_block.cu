// Every block stores its sum as if it were the total.
/* launch n1024
entry = "total"
grid = [1, 1, 1]
block = [1024, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [1024], init = "normal" },
  { name = "out", dtype = "f32", shape = [1] },
  { dtype = "i32", value = 1024 },
]
*/
/* launch n100000
entry = "total"
grid = [98, 1, 1]
block = [1024, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [100000], init = "normal" },
  { name = "out", dtype = "f32", shape = [1] },
  { dtype = "i32", value = 100000 },
]
*/
extern "C" __global__ void total(const float* in, float* out, int n) {
  __shared__ float s[1024];
  int t = threadIdx.x, i = blockIdx.x * 1024 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int d = 512; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];  // expect@n100000: SAF602
}
