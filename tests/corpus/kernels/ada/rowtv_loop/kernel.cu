// Total variation of each row, a block per row. Bad: barriers in a loop that threads of a ragged last stretch leave one round earlier.
#define NT 128

extern "C" __global__ void __launch_bounds__(NT) rowtv(const float* __restrict__ x, float* __restrict__ tv, int cols) {
  __shared__ float s[NT + 1];
  __shared__ float red[NT];
  const int t = threadIdx.x;
  const float* r = x + blockIdx.x * cols;

  float acc = 0.f;
  for (int c = t; c < cols; c += NT) {
    s[t + 1] = r[c];
    if (t == 0) s[0] = c ? r[c - 1] : r[0];
    __syncthreads();  // defect: barrier
    acc += fabsf(s[t + 1] - s[t]);
    __syncthreads();  // defect-also: barrier
  }
  red[t] = acc;
  __syncthreads();  // defect-also: barrier
  for (int h = NT / 2; h; h >>= 1) {
    if (t < h) red[t] += red[t + h];
    __syncthreads();  // defect-also: barrier
  }
  if (t == 0) tv[blockIdx.x] = red[0];
}
// consequence: deadlock
// consequence: race-shared
// consequence: uninitialised-shared
// consequence: wrong-result
// consequence: unwritten
