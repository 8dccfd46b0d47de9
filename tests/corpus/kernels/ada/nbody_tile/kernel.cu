// N-body accelerations with a tile of bodies in shared memory. Bad: no barrier between the last use of a tile and the next one's loading.
#define TILE 128
#define EPS2 0.01f

extern "C" __global__ void __launch_bounds__(TILE)
    accelerations(const float4* __restrict__ body, float4* __restrict__ acc, int n) {
  __shared__ float4 sh[TILE];
  const int t = threadIdx.x, i = blockIdx.x * TILE + t;
  const float4 p = i < n ? body[i] : make_float4(0.f, 0.f, 0.f, 0.f);

  float ax = 0.f, ay = 0.f, az = 0.f;
  for (int base = 0; base < n; base += TILE) {
    const int j = base + t;
    sh[t] = j < n ? body[j] : make_float4(0.f, 0.f, 0.f, 0.f);  // defect: race-shared
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < TILE; ++k) {
      const float4 q = sh[k];  // defect-also: race-shared
      const float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + EPS2);
      const float f = q.w * r * r * r;
      ax += f * dx;
      ay += f * dy;
      az += f * dz;
    }
  }
  if (i < n) acc[i] = make_float4(ax, ay, az, 0.f);
}
// consequence: wrong-result
// consequence: order-dependent
