// The launch gives half of the dynamic shared memory that the kernel indexes.
/* launch
entry = "stage"
grid = [1, 1, 1]
block = [128, 1, 1]
dynamic_shared = 256
args = [
  { name = "in", dtype = "f32", shape = [128], init = "normal" },
  { name = "out", dtype = "f32", shape = [128] },
]
*/
extern "C" __global__ void stage(const float* in, float* out) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  s[t] = in[t];  // expect: SAF604
  __syncthreads();
  out[t] = s[127 - t];  // expect: SAF604
}
