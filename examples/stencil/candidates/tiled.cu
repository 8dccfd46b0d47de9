// A block loads its tile with a rim of one element all round, once, and takes the neighbours from shared memory. Beyond
// the edges of the grid the rim is filled with zeros. The corners of the rim belong to nobody and stay empty.
extern "C" __global__ void __launch_bounds__(TX * TY)
    stencil(const float* __restrict__ in, float* __restrict__ out, int H, int W) {
  __shared__ float s[TY + 2][TX + 2];

  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;  // places in s
  int x = blockIdx.x * TX + threadIdx.x;
  int y = blockIdx.y * TY + threadIdx.y;
  auto at = [=](int y, int x) { return y >= 0 && y < H && x >= 0 && x < W ? in[y * W + x] : 0.0f; };

  s[ty][tx] = at(y, x);
  if (threadIdx.y == 0) s[0][tx] = at(y - 1, x);
  if (threadIdx.y == TY - 1) s[TY + 1][tx] = at(y + 1, x);
  if (threadIdx.x == 0) s[ty][0] = at(y, x - 1);
  if (threadIdx.x == TX - 1) s[ty][TX + 1] = at(y, x + 1);
  __syncthreads();

  if (x >= W || y >= H) return;
  out[y * W + x] = s[ty - 1][tx] + s[ty + 1][tx] + s[ty][tx - 1] + s[ty][tx + 1] - 4.0f * s[ty][tx];
}
