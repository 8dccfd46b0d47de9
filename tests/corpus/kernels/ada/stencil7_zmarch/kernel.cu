// 3-D 7-point stencil with zeros outside, marching in z: the column is held in registers, the plane in shared memory.
#define BX 32
#define BY 8
#define HX 8  // x halo of a whole 32-byte sector: the seven spare floats cost no traffic
#define C0 0.5f
#define C1 0.0625f
#define IDX(z, y, x) (((z) * ny + (y)) * nx + (x))

extern "C" __global__ void __launch_bounds__(BX* BY)
    stencil7(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, int nz) {
  __shared__ float s[BY + 2][BX + 2 * HX];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty;
  const bool in = x < nx && y < ny;

  float below = 0.f, cur = in ? u[IDX(0, y, x)] : 0.f;
  for (int z = 0; z < nz; ++z) {
    const float above = in && z + 1 < nz ? u[IDX(z + 1, y, x)] : 0.f;
    s[ty + 1][tx + HX] = cur;
    if (ty == 0) s[0][tx + HX] = x < nx && y > 0 ? u[IDX(z, y - 1, x)] : 0.f;
    if (ty == BY - 1) s[BY + 1][tx + HX] = x < nx && y + 1 < ny ? u[IDX(z, y + 1, x)] : 0.f;
    if (tx < HX) s[ty + 1][tx] = y < ny && x >= HX ? u[IDX(z, y, x - HX)] : 0.f;
    if (tx >= BX - HX) s[ty + 1][tx + 2 * HX] = y < ny && x + HX < nx ? u[IDX(z, y, x + HX)] : 0.f;
    __syncthreads();

    if (in) {
      float side = s[ty][tx + HX] + s[ty + 2][tx + HX];
      side += s[ty + 1][tx + HX - 1] + s[ty + 1][tx + HX + 1];
      v[IDX(z, y, x)] = C0 * cur + C1 * (below + above + side);
    }
    __syncthreads();
    below = cur;
    cur = above;
  }
}
