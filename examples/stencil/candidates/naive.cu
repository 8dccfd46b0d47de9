// One thread per element, all five values from global memory. What the requests for the left and the right neighbour
// need is contiguous but starts in the middle of a sector.
extern "C" __global__ void stencil(const float* __restrict__ in, float* __restrict__ out, int H, int W) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= W || y >= H) return;

  int i = y * W + x;
  float up = y > 0 ? in[i - W] : 0.0f;
  float down = y < H - 1 ? in[i + W] : 0.0f;
  float left = x > 0 ? in[i - 1] : 0.0f;
  float right = x < W - 1 ? in[i + 1] : 0.0f;
  out[i] = up + down + left + right - 4.0f * in[i];
}
