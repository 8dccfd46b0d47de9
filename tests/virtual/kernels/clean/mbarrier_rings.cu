// mbarriers used as they should be: a ring that one warp fills with cp.async, and a barrier of all threads by hand.
/* launch ring
entry = "ring"
grid = [2, 1, 1]
block = [96, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [4096], init = "arange" }, { name = "out", dtype = "f32", shape = [4096] }]
*/
/* launch phases
entry = "phases"
grid = [1, 1, 1]
block = [128, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [512], init = "arange" }, { name = "out", dtype = "f32", shape = [512] }]
*/
typedef unsigned long long word;

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(word* b, unsigned n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(n)); }
__device__ void arrive(word* b) {
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(at(b)) : "memory");
}
__device__ void arrive_with_copies(word* b) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at(b)) : "memory");
}
__device__ void copy16(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(to)), "l"(from) : "memory");
}
__device__ bool done(word* b, unsigned parity) {
  unsigned ok;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(ok) : "r"(at(b)), "r"(parity) : "memory");
  return ok;
}

// Warp 0 copies, warps 1 and 2 consume. `full` counts the lanes of warp 0, `empty` those of the consumers.
extern "C" __global__ void ring(const float4* in, float4* out) {
  __shared__ float4 stage[3][32];
  __shared__ word full[3], empty[3];
  int t = threadIdx.x, lane = t % 32, steps = 16;
  if (t == 0)
    for (int s = 0; s < 3; s++) {
      init(&full[s], 32);
      init(&empty[s], 64);
    }
  __syncthreads();
  for (int k = 0; k < steps; k++) {
    int s = k % 3, parity = k / 3 % 2;
    int i = (blockIdx.x * steps + k) * 32 + lane;
    if (t < 32) {
      while (!done(&empty[s], parity ^ 1)) {}
      copy16(&stage[s][lane], &in[i]);
      arrive_with_copies(&full[s]);
    } else {
      while (!done(&full[s], parity)) {}
      if (t < 64) out[i] = stage[s][31 - lane];
      arrive(&empty[s]);
    }
  }
}

extern "C" __global__ void phases(const float* in, float* out) {
  __shared__ float tile[128];
  __shared__ word all;
  int t = threadIdx.x;
  if (t == 0) init(&all, 128);
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 4; k++) {
    tile[t] = in[128 * k + t];
    arrive(&all);
    while (!done(&all, 0)) {}
    sum += tile[127 - t];
    arrive(&all);
    while (!done(&all, 1)) {}
    out[128 * k + t] = sum;
  }
}
