// Four ways to read a float4 array: whole vectors, one member, four lanes per vector, and as plain floats.
extern "C" __global__ void whole(const float4* a, float4* out) { out[threadIdx.x] = a[threadIdx.x]; }

extern "C" __global__ void member(const float4* a, float* out) { out[threadIdx.x] = a[threadIdx.x].x; }

extern "C" __global__ void selected(const float4* a, float* out) {
  float4 v = a[threadIdx.x / 4];
  out[threadIdx.x] = (&v.x)[threadIdx.x % 4];
}

extern "C" __global__ void plain(const float4* a, float* out) {
  out[threadIdx.x] = reinterpret_cast<const float*>(a)[threadIdx.x];
}
