// One lane arrives on an mbarrier for its whole warp, after a warp barrier, or for itself alone.
/* launch ring
entry = "ring"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [256], init = "arange" }, { name = "out", dtype = "f32", shape = [256] }]
*/
/* launch alone
entry = "alone"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [64], init = "arange" }, { name = "out", dtype = "f32", shape = [64] }]
*/
/* launch chain
entry = "chain"
grid = [1, 1, 1]
block = [96, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [64], init = "arange" }, { name = "out", dtype = "f32", shape = [64] }]
*/
/* launch halves
entry = "halves"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [64], init = "arange" }, { name = "out", dtype = "f32", shape = [64] }]
*/
typedef unsigned long long word;

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(word* b, unsigned n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(n)); }
__device__ void arrive(word* b) {
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(at(b)) : "memory");
}
__device__ void wait(word* b, unsigned parity) {
  for (unsigned ok = 0; !ok;)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(ok) : "r"(at(b)), "r"(parity) : "memory");
}

extern "C" __global__ void ring(const float* in, float* out) {
  __shared__ float stage[2][32];
  __shared__ word full[2], empty[2];
  int t = threadIdx.x, lane = t % 32;
  if (t == 0)
    for (int s = 0; s < 2; s++) {
      init(&full[s], 1);
      init(&empty[s], 1);
    }
  __syncthreads();
  for (int k = 0; k < 8; k++) {
    int s = k % 2, parity = k / 2 % 2;
    if (t < 32) {
      wait(&empty[s], parity ^ 1);
      stage[s][lane] = in[k * 32 + lane];
      __syncwarp();
      if (lane == 7) arrive(&full[s]);
    } else {
      wait(&full[s], parity);
      out[k * 32 + lane] = stage[s][31 - lane];
      __syncwarp();
      if (lane == 4 * k) arrive(&empty[s]);
    }
  }
}

// What lane 9 writes after the warp barrier it hands on itself.
extern "C" __global__ void alone(const float* in, float* out) {
  __shared__ float tile[64], more[2];
  __shared__ word both;
  int t = threadIdx.x;
  if (t == 0) init(&both, 2);
  __syncthreads();
  tile[t] = in[t];
  __syncwarp();
  if (t % 32 == 9) {
    more[t / 32] = in[t];
    arrive(&both);
  }
  wait(&both, 0);
  out[t] = tile[63 - t] + more[1 - t / 32];
}

// What thread 0 handed to warp 1 goes on to warp 2, by another mbarrier and then by a named barrier.
extern "C" __global__ void chain(const float* in, float* out) {
  __shared__ float tile[64];
  __shared__ word first, second;
  int t = threadIdx.x;
  if (t == 0) {
    init(&first, 1);
    init(&second, 1);
  }
  __syncthreads();
  if (t == 0) {
    for (int i = 0; i < 64; i++) tile[i] = in[i];
    arrive(&first);
  } else if (t >= 32) {
    if (t < 64) {
      wait(&first, 0);
      if (t == 40) arrive(&second);
    } else {
      wait(&second, 0);
      out[t - 64] = tile[95 - t];
    }
    asm volatile("bar.sync 1, 64;" ::: "memory");
    if (t < 64) out[t] = tile[63 - t];
  }
}

// Every lane arrives, half a warp at a time.
extern "C" __global__ void halves(const float* in, float* out) {
  __shared__ float tile[64];
  __shared__ word all;
  int t = threadIdx.x;
  if (t == 0) init(&all, 64);
  __syncthreads();
  tile[t] = in[t];
  if (t % 32 < 16) {
    arrive(&all);
  } else {
    tile[t] += 1.0f;
    arrive(&all);
  }
  wait(&all, 0);
  out[t] = tile[63 - t];
}
