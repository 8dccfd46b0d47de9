// Two halves a lane, with packed arithmetic and a scalar tail.
/* launch
entry = "axpy"
grid = [2, 1, 1]
block = [64, 1, 1]
args = [
  { name = "x", dtype = "f16", shape = [201], init = "normal" },
  { name = "y", dtype = "f16", shape = [201], init = "normal" },
  { dtype = "f32", value = 0.5 },
  { dtype = "i32", value = 201 },
]
*/
#include <cuda_fp16.h>
extern "C" __global__ void axpy(const half* x, half* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  half2 a2 = __float2half2_rn(a);
  const half2* x2 = reinterpret_cast<const half2*>(x);
  half2* y2 = reinterpret_cast<half2*>(y);
  if (i < n / 2) y2[i] = __hfma2(a2, x2[i], y2[i]);
  if (i == 0 && n % 2) y[n - 1] = __hfma(__float2half(a), x[n - 1], y[n - 1]);
}
