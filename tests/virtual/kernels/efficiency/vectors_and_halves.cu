// Vector widths, halves and awkward strides beyond the worked cases.
/* launch float4
entry = "float4_row"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "a", dtype = "f32", shape = [64, 4], init = "normal" }, { name = "out", dtype = "f32", shape = [64, 4] }]
*/
/* launch reversed
entry = "reversed"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "a", dtype = "f32", shape = [64], init = "normal" }, { name = "out", dtype = "f32", shape = [64] }]
*/
/* launch halves
entry = "halves"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "a", dtype = "f16", shape = [64], init = "normal" }, { name = "out", dtype = "f16", shape = [128] }]
*/
/* launch stride8
entry = "stride8"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "a", dtype = "f32", shape = [512], init = "normal" }, { name = "out", dtype = "f64", shape = [192] }]
*/
/* launch float3
entry = "float3_members"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [{ name = "a", dtype = "f32", shape = [32, 3], init = "normal" }, { name = "out", dtype = "f32", shape = [32] }]
*/
/* launch odd_lanes
entry = "odd_lanes"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [{ name = "a", dtype = "f32", shape = [64], init = "normal" }, { name = "out", dtype = "f32", shape = [64] }]
*/
#include <cuda_fp16.h>
extern "C" __global__ void float4_row(const float4* a, float4* out) {
  out[threadIdx.x] = a[threadIdx.x];  // efficiency: load 1.0, store 1.0
}

// The order of the lanes inside a sector does not matter.
extern "C" __global__ void reversed(const float* a, float* out) {
  float v = a[63 - threadIdx.x];  // efficiency: load 1.0
  out[threadIdx.x ^ 5] = v;  // efficiency: store 1.0
}

extern "C" __global__ void halves(const half* a, half* out) {
  half v = a[threadIdx.x];  // efficiency: load 1.0
  out[2 * threadIdx.x] = v;  // efficiency: store 0.5
}

// A step of 32 bytes between neighbours: one sector for every lane, however narrow the element.
extern "C" __global__ void stride8(const float* a, double* out) {
  float v = a[8 * threadIdx.x];  // efficiency: load 0.125
  out[3 * threadIdx.x] = v;  // efficiency: store 0.333333
}

// Three loads of 4 bytes at a step of 12: each touches all twelve sectors of the warp's 384 bytes.
extern "C" __global__ void float3_members(const float* a, float* out) {
  const float* p = a + 3 * threadIdx.x;
  float x = p[0];  // efficiency: load 0.333333
  float y = p[1];  // efficiency: load 0.333333
  float z = p[2];  // efficiency: load 0.333333
  out[threadIdx.x] = x + y + z;  // efficiency: store 1.0
}

// Sixteen active lanes ask for 64 bytes that are spread over 128.
extern "C" __global__ void odd_lanes(const float* a, float* out) {
  int t = threadIdx.x;
  if (t % 2 == 0) return;
  float v = a[t];  // efficiency: load 0.5
  out[t / 2] = v;  // efficiency: store 1.0
}
