// ILP independent chains of dependent mma.sync, `turns` times.
extern "C" __global__ void k(const unsigned* __restrict__ x, float* __restrict__ y, int turns) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a[4], b[2];
#pragma unroll
  for (int i = 0; i < 4; ++i) a[i] = x[(t + i) % 4096] & 0x3fff3fff;
#pragma unroll
  for (int i = 0; i < 2; ++i) b[i] = x[(t + 4 + i) % 4096] & 0x3fff3fff;
  float sum[ILP][4] = {};
#pragma unroll 1
  for (int n = 0; n < turns; ++n) {
#pragma unroll
    for (int u = 0; u < 4; ++u)
#pragma unroll
      for (int i = 0; i < ILP; ++i)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(sum[i][0]), "+f"(sum[i][1]), "+f"(sum[i][2]), "+f"(sum[i][3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  float s = 0.f;
#pragma unroll
  for (int i = 0; i < ILP; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) s += sum[i][j];
  y[t] = s;
}
