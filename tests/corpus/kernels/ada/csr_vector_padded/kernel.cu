// CSR sparse matrix-vector product, a warp per row; rows are padded with zeros to multiples of 32 entries in runs of neighbouring columns.
#define FULL 0xffffffffu
#define WARPS 8

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    spmv(const int* __restrict__ rp, const int* __restrict__ col, const float* __restrict__ val,
         const float* __restrict__ x, float* __restrict__ y, int rows) {
  const int lane = threadIdx.x & 31;
  const int row = blockIdx.x * WARPS + (threadIdx.x >> 5);
  if (row >= rows) return;  // whole warps leave, so the full mask below is right

  const int end = rp[row + 1];
  float acc = 0.f;
  for (int j = rp[row] + lane; j < end; j += 32) acc += val[j] * x[col[j]];
#pragma unroll
  for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(FULL, acc, o);
  if (lane == 0) y[row] = acc;
}
