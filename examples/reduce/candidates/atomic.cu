// Each block adds its sum to the total with an atomic addition: short, and right up to rounding; but float addition is
// not associative and blocks finish in any order, so the last bits differ from run to run.
extern "C" __global__ void clear(float* total) { *total = 0.0f; }

extern "C" __global__ void __launch_bounds__(THREADS) reduce(const float* __restrict__ x, float* total, int n) {
  __shared__ float s[THREADS / 32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  float v = 0.0f;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) v += x[i];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (lane == 0) s[warp] = v;
  __syncthreads();

  if (warp != 0) return;
  v = lane < THREADS / 32 ? s[lane] : 0.0f;
  for (int d = THREADS / 64; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (lane == 0) atomicAdd(total, v);
}
