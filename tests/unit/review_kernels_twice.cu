// Kernels that the review has compiled a second time, in a file of their own: the rest need not be compiled again.
#define INDEX int i = blockIdx.x * 256 + threadIdx.x

extern "C" __global__ void store_between(const float* x, float* y, float* z) {
  INDEX;
  y[i] = x[i] + 1;
  z[i] = x[i] + 2;
}
extern "C" __global__ void store_between_restricted(const float* __restrict__ x, float* __restrict__ y,
                                                    float* __restrict__ z) {
  INDEX;
  y[i] = x[i] + 1;
  z[i] = x[i] + 2;
}
// Reads again what another block may have written in the meantime.
extern "C" __global__ void talks(const float* x, float* y, float* z) {
  INDEX;
  y[i] = x[i] + 1;
  __threadfence();
  z[i] = x[i] + 2;
}
extern "C" __global__ void no_load_behind_a_store(const float* x, float* y) {
  INDEX;
  y[i] = x[i] + 1;
}

#define HOLD64                                                            \
  float a[64];                                                            \
  INDEX;                                                                  \
  _Pragma("unroll") for (int k = 0; k < 64; ++k) a[k] = x[i + k * n];     \
  _Pragma("unroll") for (int k = 0; k < 64; ++k) y[i + k * n] = a[63 - k] * a[k]
extern "C" __global__ void __launch_bounds__(256, 8)
    bounded(const float* __restrict__ x, float* __restrict__ y, int n) {
  HOLD64;
}
extern "C" __global__ void __launch_bounds__(256)
    bounded_and_fits(const float* __restrict__ x, float* __restrict__ y, int n) {
  HOLD64;
}
