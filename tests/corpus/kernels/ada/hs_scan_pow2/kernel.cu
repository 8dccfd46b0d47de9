// Hillis-Steele inclusive scan of rows of up to 256 i32. Bad: the distance meets `cols` only if that is a power of two; else it never ends.
#define NT 256

extern "C" __global__ void __launch_bounds__(NT) scan_rows(const int* __restrict__ x, int* __restrict__ y, unsigned cols) {
  __shared__ int s[NT];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * cols + t;
  s[t] = t < cols ? x[i] : 0;
  __syncthreads();

  for (unsigned d = 1; d != cols; d <<= 1) {  // defect: endless
    const int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  if (t < cols) y[i] = s[t];
}
// consequence: wrong-result
// consequence: unwritten
