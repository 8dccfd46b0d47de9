// CSR sparse matrix-vector product, one thread per row. Bad: neighbouring lanes walk different rows, so entries and x are gathered all over.
#define NT 128

extern "C" __global__ void __launch_bounds__(NT)
    spmv(const int* __restrict__ rp, const int* __restrict__ col, const float* __restrict__ val,
         const float* __restrict__ x, float* __restrict__ y, int rows) {
  const int r = blockIdx.x * NT + threadIdx.x;
  if (r >= rows) return;

  const int end = rp[r + 1];
  float acc = 0.f;
  for (int j = rp[r]; j < end; ++j) {
    const float v = val[j];  // defect: uncoalesced
    const int c = col[j];    // defect-also: uncoalesced
    acc += v * x[c];         // defect-also: uncoalesced
  }
  y[r] = acc;
}
