// The worked efficiencies of the memory-access contract, and the same patterns as stores.
/* launch broadcast
entry = "broadcast"
grid = [2, 1, 1]
block = [256, 1, 1]
args = [{ name = "a", dtype = "f32", shape = [16], init = "normal" }, { name = "out", dtype = "f32", shape = [512] }]
*/
/* launch two_rows
entry = "two_rows"
grid = [2, 2, 1]
block = [16, 16, 1]
args = [
  { name = "a", dtype = "f32", shape = [32, 24], init = "normal" },
  { name = "out", dtype = "f32", shape = [32, 32] },
  { dtype = "i32", value = 24 },
]
*/
/* launch tail
entry = "tail"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [
  { name = "a", dtype = "f32", shape = [20], init = "normal" },
  { name = "out", dtype = "f32", shape = [20] },
  { dtype = "i32", value = 20 },
]
*/
/* launch shifted
entry = "shifted"
grid = [4, 1, 1]
block = [64, 1, 1]
args = [{ name = "a", dtype = "f32", shape = [257], init = "normal" }, { name = "out", dtype = "f32", shape = [257] }]
*/
/* launch stride2
entry = "stride2"
grid = [2, 1, 1]
block = [128, 1, 1]
args = [{ name = "a", dtype = "f32", shape = [512], init = "normal" }, { name = "out", dtype = "f32", shape = [512] }]
*/
/* launch member
entry = "member"
grid = [2, 1, 1]
block = [128, 1, 1]
args = [{ name = "a", dtype = "f32", shape = [256, 4], init = "normal" }, { name = "out", dtype = "f32", shape = [256, 4] }]
*/
/* launch column
entry = "column"
grid = [2, 1, 1]
block = [32, 4, 1]
args = [
  { name = "a", dtype = "f32", shape = [64, 40], init = "normal" },
  { name = "out", dtype = "f32", shape = [64, 40] },
  { dtype = "i32", value = 40 },
]
*/
extern "C" __global__ void broadcast(const float* a, float* out) {
  float v = a[blockIdx.x];  // efficiency: load 1.0
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;  // efficiency: store 1.0
}

// The A operand of a naive matrix product in a 16 x 16 block: half a warp shares a row.
extern "C" __global__ void two_rows(const float* a, float* out, int pitch) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < pitch; ++k)
    sum += a[row * pitch + k];  // efficiency: load 1.0
  out[row * 32 + col] = sum;  // efficiency: store 1.0
}

extern "C" __global__ void tail(const float* a, float* out, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  float v = a[i];  // efficiency: load 1.0
  out[i] = v;  // efficiency: store 1.0
}

extern "C" __global__ void shifted(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i + 1];  // efficiency: load 0.8
  out[i + 1] = v;  // efficiency: store 0.8
}

extern "C" __global__ void stride2(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[2 * i];  // efficiency: load 0.5
  out[2 * i] = v;  // efficiency: store 0.5
}

extern "C" __global__ void member(const float4* a, float4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i].x;  // efficiency: load 0.25
  out[i].x = v;  // efficiency: store 0.25
}

extern "C" __global__ void column(const float* a, float* out, int pitch) {
  int row = blockIdx.x * 32 + threadIdx.x, col = threadIdx.y;
  float v = a[row * pitch + col];  // efficiency: load 0.125
  out[row * pitch + col] = v;  // efficiency: store 0.125
}
