// Kernels with known paths per warp. The bodies are loops that the compiler cannot turn into a select.
#define WORK(expression) _Pragma("unroll 1") for (int k = 0; k < n; ++k) v = expression;

extern "C" __global__ void by_lane(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  if (threadIdx.x % 2) {  // by_lane
    WORK(v * 1.5f + k)
  } else {
    WORK(v * 2.5f - k)
  }
  y[i] = v;
}

extern "C" __global__ void by_warp(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  if (threadIdx.x / 32 % 2) {
    WORK(v * 1.5f + k)
  } else {
    WORK(v * 2.5f - k)
  }
  y[i] = v;
}

extern "C" __global__ void four_ways(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  switch (threadIdx.x % 4) {  // four_ways
    case 0: WORK(v * 1.5f + k) break;
    case 1: WORK(v * 2.5f - k) break;
    case 2: WORK(v / (v + 2)) break;
    default: WORK(v * v - 1) break;
  }
  y[i] = v;
}

extern "C" __global__ void jump_table(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  int index = threadIdx.x % 4;
  asm volatile(
      "{ .reg .f32 t; mov.f32 t, 0f40000000;\n"
      "table: .branchtargets zero, one, two, three;\n"
      "brx.idx %1, table;\n"  // jump_table
      "zero: add.f32 %0, %0, t; bra.uni done;\n"
      "one: mul.f32 %0, %0, t; bra.uni done;\n"
      "two: sub.f32 %0, %0, t; bra.uni done;\n"
      "three: neg.f32 %0, %0;\n"
      "done: }"
      : "+f"(v)
      : "r"(index));
  y[i] = v;
}

extern "C" __global__ void both_conditions(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  if (threadIdx.x % 2 && threadIdx.x % 4 == 1) { WORK(v * 1.5f + k) }
  y[i] = v;
}

extern "C" __global__ void trip_count(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
#pragma unroll 1
  for (int k = 0; k <= (int)threadIdx.x % 32; ++k) v = v * 1.5f + k;  // trip_count
  y[i] = v;
}

extern "C" __global__ void a_select(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  if (threadIdx.x % 2) v = v * 2; else v = v + 1;
  y[i] = v;
}

extern "C" __global__ void early_return(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 2) return;  // early_return
  float v = x[i];
  WORK(v * 1.5f + k)
  y[i] = v;
}

extern "C" __global__ void nested(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  if (threadIdx.x % 2) {  // outer
    WORK(v * 1.5f + k)
    if (threadIdx.x % 4 == 1) {  // inner
      WORK(v * 2.5f - k)
    }
    y[i + 2048] = v;
  }
  y[i] = v;
}

extern "C" __global__ void breaks(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    if (k % 2 == (int)threadIdx.x % 2) continue;
    v = v * 1.5f + k;
    y[i] = v;
    if (k == (int)threadIdx.x % 8) break;
  }
}

extern "C" __global__ void warp_sync_in_both(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  if (threadIdx.x % 32 < 16) {
    WORK(v * 1.5f + k)
    __syncwarp(0x0000ffff);
    y[i] = v;
  } else {
    WORK(v * 2.5f - k)
    __syncwarp(0xffff0000);
    y[i] = v + 1;
  }
}

extern "C" __global__ void guarded(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 2;  // guarded
}

extern "C" __global__ void grid_stride(float* y, const float* x, int n) {
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * 2;
}

__device__ __noinline__ float worked(float v, int n) { WORK(v * 1.5f + k) return v; }

extern "C" __global__ void calls(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  if (threadIdx.x % 2) v = worked(v, n); else y[i + 2048] = worked(v + 1, n);  // calls
  y[i] = v;
}

__device__ __noinline__ int depth(int n) { return n < 1 ? 0 : depth(n - 1) * 3 + depth(n - 2) + 1; }

extern "C" __global__ void recursion(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = depth(threadIdx.x % 4) + x[i];
}
