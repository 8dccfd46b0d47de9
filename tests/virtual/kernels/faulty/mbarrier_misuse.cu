// mbarriers used wrongly. One kernel per launch.
/* launch early
entry = "no_wait"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [256], init = "arange" }, { name = "out", dtype = "f32", shape = [256] }]
*/
/* launch parity
entry = "wrong_parity"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [256], init = "arange" }, { name = "out", dtype = "f32", shape = [256] }]
*/
/* launch few
entry = "one_arrival_missing"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [256], init = "arange" }, { name = "out", dtype = "f32", shape = [256] }]
*/
/* launch many
entry = "one_arrival_too_many"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [256], init = "arange" }, { name = "out", dtype = "f32", shape = [256] }]
*/
/* launch raw
entry = "used_before_init"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [256], init = "arange" }, { name = "out", dtype = "f32", shape = [256] }]
*/
/* launch again
entry = "initialised_twice"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [256], init = "arange" }, { name = "out", dtype = "f32", shape = [256] }]
*/
/* launch race
entry = "init_without_barrier"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [256], init = "arange" }, { name = "out", dtype = "f32", shape = [256] }]
*/
/* launch unbound
entry = "copies_not_bound"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [256], init = "arange" }, { name = "out", dtype = "f32", shape = [256] }]
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
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"  // related@early: SAF615 // related@unbound: SAF615
               ::"r"(at(to)), "l"(from) : "memory");
}
__device__ bool done(word* b, unsigned parity) {
  unsigned ok;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"  // expect@few: SAF612 // also@parity: SAF612 // also@race: SAF601
               " selp.u32 %0, 1, 0, p; }"
               : "=r"(ok) : "r"(at(b)), "r"(parity) : "memory");
  return ok;
}

extern "C" __global__ void no_wait(const float4* in, float4* out) {
  __shared__ float4 tile[64];
  __shared__ word full;
  int t = threadIdx.x;
  if (t == 0) init(&full, 64);
  __syncthreads();
  copy16(&tile[t], &in[t]);
  arrive_with_copies(&full);
  out[t] = tile[t];  // expect@early: SAF615
}

// The phase that is running has parity 0: waiting for 1 is waiting for the one before.
extern "C" __global__ void wrong_parity(const float* in, float* out) {
  __shared__ float tile[64];
  __shared__ word full;
  int t = threadIdx.x;
  if (t == 0) init(&full, 64);
  __syncthreads();
  tile[t] = in[t];  // related@parity: SAF601
  arrive(&full);
  while (!done(&full, 1)) {}
  out[t] = tile[t ^ 1];  // expect@parity: SAF601
}

extern "C" __global__ void one_arrival_missing(const float* in, float* out) {
  __shared__ word full;
  int t = threadIdx.x;
  if (t == 0) init(&full, 64);
  __syncthreads();
  if (t != 5) arrive(&full);
  while (!done(&full, 0)) {}
  out[t] = in[t];
}

extern "C" __global__ void one_arrival_too_many(const float* in, float* out) {
  __shared__ word full;
  int t = threadIdx.x;
  if (t == 0) init(&full, 2);
  __syncthreads();
  if (t == 0) asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0], 3; }" ::"r"(at(&full)));  // expect@many: SAF616
  out[t] = in[t];
}

extern "C" __global__ void used_before_init(const float* in, float* out) {
  __shared__ word full;
  int t = threadIdx.x;
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(at(&full)));  // expect@raw: SAF616
  out[t] = in[t];
}

extern "C" __global__ void initialised_twice(const float* in, float* out) {
  __shared__ word full;
  int t = threadIdx.x;
  for (int k = 0; k < 2; k++) {
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(at(&full)));  // expect@again: SAF616
    __syncthreads();
    arrive(&full);
    while (!done(&full, 0)) {}
    __syncthreads();
    out[64 * k + t] = in[64 * k + t];
  }
}

extern "C" __global__ void init_without_barrier(const float* in, float* out) {
  __shared__ word full;
  int t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(at(&full)));  // related@race: SAF601
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(at(&full)));  // expect@race: SAF601
  while (!done(&full, 0)) {}
  out[t] = in[t];
}

// An arrival of the thread says nothing of its copies.
extern "C" __global__ void copies_not_bound(const float4* in, float4* out) {
  __shared__ float4 tile[64];
  __shared__ word full;
  int t = threadIdx.x;
  if (t == 0) init(&full, 64);
  __syncthreads();
  copy16(&tile[t], &in[t]);
  arrive(&full);
  while (!done(&full, 0)) {}
  out[t] = tile[63 - t];  // expect@unbound: SAF615
}
