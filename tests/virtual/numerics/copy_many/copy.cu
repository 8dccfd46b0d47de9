// y = x, four elements for each thread. FAULT picks what is wrong with it.
#define CORRECT 0
#define ONE_NAN 1  // element [1234, 567] is NaN

extern "C" __global__ void copy(const float4* x, float4* y, int rows, int cols) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= rows * cols / 4) return;
  float4 v = x[i];
  if (FAULT == ONE_NAN && i == (1234 * cols + 567) / 4) v.w = __int_as_float(0x7fffffff);
  y[i] = v;
}
