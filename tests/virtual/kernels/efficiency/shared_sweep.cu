// One tile in shared memory, for element widths of 1 to 16 bytes and row paddings of 0 to 3 elements.
// Element (row, col) lies at byte (row * pitch + col) * bytes of the tile.
/* sweep
entry = "sweep_{bytes}_pad{pad}"
bytes = [1, 2, 4, 8, 16]
pad = [0, 1, 2, 3]
pitch = "32 + pad"
grid = [1, 1, 1]
block = [32, 8, 1]
c = 3
out_elements = 256
*/
template <class T>
__device__ T element(int v);
template <>
__device__ unsigned char element(int v) {
  return (unsigned char)v;
}
template <>
__device__ unsigned short element(int v) {
  return (unsigned short)v;
}
template <>
__device__ unsigned element(int v) {
  return v;
}
template <>
__device__ uint2 element(int v) {
  return make_uint2(v, v + 1);
}
template <>
__device__ uint4 element(int v) {
  return make_uint4(v, v + 1, v + 2, v + 3);
}
__device__ unsigned low(unsigned v) { return v; }
__device__ unsigned low(uint2 v) { return v.x ^ v.y; }
__device__ unsigned low(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

template <class T, int PAD>
__device__ void sweep(unsigned* out, int c) {
  __shared__ T tile[32][32 + PAD];
  int lane = threadIdx.x, warp = threadIdx.y;
  for (int row = warp; row < 32; row += 8)
    tile[row][lane] = element<T>(33 * row + lane);  // sweep: store (row, lane) for row in range(warp, 32, 8)
  __syncthreads();
  T a = tile[lane][c + warp];                 // sweep: load (lane, c + warp)
  T b = tile[c + warp][lane];                 // sweep: load (c + warp, lane)
  T d = tile[lane][(lane + c + warp) % 32];   // sweep: load (lane, (lane + c + warp) % 32)
  T e = tile[lane % 16][c + warp + lane / 16];  // sweep: load (lane % 16, c + warp + lane // 16)
  T f = tile[lane / 2][2 * warp];             // sweep: load (lane // 2, 2 * warp)
  __syncthreads();
  tile[lane][c + warp] = element<T>(low(a) + lane);  // sweep: store (lane, c + warp)
  __syncthreads();
  T g = tile[warp][lane];  // sweep: load (warp, lane)
  out[32 * warp + lane] = low(a) + low(b) + low(d) + low(e) + low(f) + low(g);
}

#define SWEEP(BYTES, T, PAD) \
  extern "C" __global__ void sweep_##BYTES##_pad##PAD(unsigned* out, int c) { sweep<T, PAD>(out, c); }
#define SWEEP_PADS(BYTES, T) SWEEP(BYTES, T, 0) SWEEP(BYTES, T, 1) SWEEP(BYTES, T, 2) SWEEP(BYTES, T, 3)
SWEEP_PADS(1, unsigned char)
SWEEP_PADS(2, unsigned short)
SWEEP_PADS(4, unsigned)
SWEEP_PADS(8, uint2)
SWEEP_PADS(16, uint4)
