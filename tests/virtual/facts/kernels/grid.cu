// How threads are laid over data: one element each or a grid-stride loop, and the lanes of a two-dimensional block.
extern "C" __global__ void naive(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + 1.0f;
}

extern "C" __global__ void strided(const float* a, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = a[i] + 1.0f;
}

extern "C" __global__ void rows(const float* a, float* out, int n) {
  out[threadIdx.y * blockDim.x + threadIdx.x] = a[n * threadIdx.y];
}

// Uniform or not, the constant cache gives one address at a time.
__constant__ float table[64];
extern "C" __global__ void constants(const float* a, float* out, int step) {
  out[threadIdx.x] = table[threadIdx.x * step % 64] + a[0];
}
