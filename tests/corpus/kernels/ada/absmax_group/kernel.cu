// Quantisation scale of each 32 elements: their largest magnitude / 127. Bad: in a short last group lanes name others that do not take part.
#define FULL 0xffffffffu
#define NT 256

extern "C" __global__ void __launch_bounds__(NT) absmax(const float* __restrict__ x, float* __restrict__ scale, int n) {
  const int i = blockIdx.x * NT + threadIdx.x;
  if (i < n) {
    float v = fabsf(x[i]);
#pragma unroll
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL, v, o));  // defect: warp-mask
    if ((i & 31) == 0) scale[i >> 5] = v / 127.f;
  }
}
// consequence: wrong-result
