// Block 1 waits for block 0: data, fence, flag on one side; flag, fence, data on the other.
/* launch
entry = "handshake"
grid = [2, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [64], init = "normal" },
  { name = "data", dtype = "f32", shape = [64] },
  { name = "flag", dtype = "i32", shape = [1], init = "zeros" },
  { name = "out", dtype = "f32", shape = [64] },
]
*/
extern "C" __global__ void handshake(const float* in, float* data, volatile int* flag, float* out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = in[t] * 2.0f;
    __threadfence();
    __syncthreads();
    if (t == 0) *flag = 1;
  } else {
    if (t == 0) {
      while (*flag == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[t] = data[63 - t];
  }
}
