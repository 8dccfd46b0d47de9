// 2-D 5-point stencil, zeros outside, tile with halo. Bad: threads beyond the grid write no zeros, so ragged tiles read cells nobody filled.
#define BX 32
#define BY 8

extern "C" __global__ void __launch_bounds__(BX* BY)
    stencil5(const float* __restrict__ u, float* __restrict__ v, int W, int H) {
  __shared__ float s[BY + 2][BX + 2];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty, i = y * W + x;
  const bool in = x < W && y < H;

  if (in) {
    s[ty + 1][tx + 1] = u[i];
    if (tx == 0) s[ty + 1][0] = x > 0 ? u[i - 1] : 0.f;
    if (tx == BX - 1) s[ty + 1][BX + 1] = x + 1 < W ? u[i + 1] : 0.f;
    if (ty == 0) s[0][tx + 1] = y > 0 ? u[i - W] : 0.f;
    if (ty == BY - 1) s[BY + 1][tx + 1] = y + 1 < H ? u[i + W] : 0.f;
  }
  __syncthreads();

  if (in) {
    const float c = s[ty + 1][tx + 1];
    const float n = s[ty][tx + 1];
    const float w = s[ty + 1][tx];
    const float e = s[ty + 1][tx + 2];  // defect: uninitialised-shared
    const float o = s[ty + 2][tx + 1];  // defect-also: uninitialised-shared
    v[i] = 0.5f * c + 0.125f * (n + w + e + o);
  }
}
// consequence: wrong-result
// consequence: nan
// consequence: infinity
