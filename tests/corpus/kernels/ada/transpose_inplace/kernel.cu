// In-place transpose of a square matrix: a block swaps a tile with its mirror image; blocks below the diagonal have nothing to do.
#define T 32
#define BY 8

extern "C" __global__ void __launch_bounds__(T* BY) transpose(float* a, int n) {
  __shared__ float p[T][T + 1], q[T][T + 1];
  const int bx = blockIdx.x, by = blockIdx.y;
  if (bx < by) return;  // the whole block: no barrier is missed

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = bx * T + tx, xm = by * T + tx;  // column in the tile, and in its mirror image
  for (int k = ty; k < T; k += BY)
    if (x < n && by * T + k < n) p[k][tx] = a[(by * T + k) * n + x];
  if (bx != by)
    for (int k = ty; k < T; k += BY)
      if (xm < n && bx * T + k < n) q[k][tx] = a[(bx * T + k) * n + xm];
  __syncthreads();

  for (int k = ty; k < T; k += BY)
    if (xm < n && bx * T + k < n) a[(bx * T + k) * n + xm] = p[tx][k];
  if (bx != by)
    for (int k = ty; k < T; k += BY)
      if (x < n && by * T + k < n) a[(by * T + k) * n + x] = q[tx][k];
}
