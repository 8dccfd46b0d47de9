// One lane arrives on an mbarrier as if for its whole warp, which no barrier has brought together. One kernel per launch.
/* launch writers
entry = "writers_not_together"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [256], init = "arange" }, { name = "out", dtype = "f32", shape = [256] }]
*/
/* launch readers
entry = "readers_not_together"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [256], init = "arange" }, { name = "out", dtype = "f32", shape = [256] }]
*/
/* launch once
entry = "together_once"
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
__device__ void wait(word* b, unsigned parity) {
  for (unsigned ok = 0; !ok;)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(ok) : "r"(at(b)), "r"(parity) : "memory");
}

extern "C" __global__ void writers_not_together(const float* in, float* out) {
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
      stage[s][lane] = in[k * 32 + lane];  // related@writers: SAF601
      if (lane == 7) arrive(&full[s]);
    } else {
      wait(&full[s], parity);
      out[k * 32 + lane] = stage[s][31 - lane];  // expect@writers: SAF601
      __syncwarp();
      if (lane == 4 * k) arrive(&empty[s]);
    }
  }
}

extern "C" __global__ void readers_not_together(const float* in, float* out) {
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
      stage[s][lane] = in[k * 32 + lane];  // expect@readers: SAF601
      __syncwarp();
      if (lane == 7) arrive(&full[s]);
    } else {
      wait(&full[s], parity);
      out[k * 32 + lane] = stage[s][31 - lane];  // related@readers: SAF601
      if (lane == 4 * k) arrive(&empty[s]);
    }
  }
}

extern "C" __global__ void together_once(const float* in, float* out) {
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
      stage[s][lane] = in[k * 32 + lane];  // expect@once: SAF601
      __syncwarp();
      if (lane == 7) arrive(&full[s]);
    } else {
      wait(&full[s], parity);
      out[k * 32 + lane] = stage[s][31 - lane];  // related@once: SAF601
      if (k < 2) __syncwarp();
      if (lane == 4 * k) arrive(&empty[s]);
    }
  }
}
