// Two warps fill a buffer and two consume it; `full` and `empty` are named barriers with arrive on one side.
/* launch
entry = "produce_consume"
grid = [2, 1, 1]
block = [128, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [2, 6, 64], init = "normal" },
  { name = "out", dtype = "f32", shape = [2, 64] },
]
*/
__device__ void sync(int barrier) { asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory"); }
__device__ void arrive(int barrier) { asm volatile("bar.arrive %0, 128;" ::"r"(barrier) : "memory"); }
enum { FULL = 1, EMPTY = 2 };

extern "C" __global__ void produce_consume(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t < 64) {
    for (int i = 0; i < 6; ++i) {
      if (i > 0) sync(EMPTY);
      s[t] = in[(blockIdx.x * 6 + i) * 64 + t];
      arrive(FULL);
    }
  } else {
    float sum = 0.0f;
    for (int i = 0; i < 6; ++i) {
      sync(FULL);
      sum += s[127 - t];
      if (i + 1 < 6) arrive(EMPTY);
    }
    out[blockIdx.x * 64 + t - 64] = sum;
  }
}
