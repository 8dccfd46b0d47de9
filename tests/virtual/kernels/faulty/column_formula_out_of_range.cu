// A popular "conflict-free" index formula leaves its 1024-element array from thread 16 on.
/* launch
entry = "formula"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [32], init = "normal" },
  { name = "out", dtype = "f32", shape = [32] },
]
*/
extern "C" __global__ void formula(const float* in, float* out) {
  __shared__ float s[1024];
  int tid = threadIdx.x;
  s[(tid / 16) * 1024 + tid % 16] = in[tid];  // expect: SAF604
  __syncthreads();
  out[tid] = s[tid % 16];
}
