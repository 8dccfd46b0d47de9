// Asynchronous copies: the L1 cache fetches whole sectors, past it a sector comes once for each 32 bytes that it goes to.
/* launch cached
entry = "cached"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [{ name = "a", dtype = "f32", shape = [128], init = "normal" }, { name = "out", dtype = "f32", shape = [32] }]
*/
/* launch past_l1
entry = "past_l1"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [{ name = "a", dtype = "f32", shape = [128], init = "normal" }, { name = "out", dtype = "f32", shape = [32] }]
*/
/* launch past_l1_padded
entry = "past_l1_padded"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [{ name = "a", dtype = "f32", shape = [128], init = "normal" }, { name = "out", dtype = "f32", shape = [32] }]
*/
/* launch cached_padded
entry = "cached_padded"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [{ name = "a", dtype = "f32", shape = [128], init = "normal" }, { name = "out", dtype = "f32", shape = [32] }]
*/
#define COPY(KIND, TO, FROM) \
  asm volatile("cp.async." KIND ".shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(TO)), "l"(FROM))
#define WAIT() asm volatile("cp.async.wait_all;")
extern "C" __global__ void cached(const float* a, float* out) {
  __shared__ __align__(16) float tile[128];
  COPY("ca", tile + 4 * threadIdx.x, a + 4 * threadIdx.x);  // efficiency: load 1.0
  WAIT();
  out[threadIdx.x] = tile[4 * threadIdx.x];  // efficiency: store 1.0
}
extern "C" __global__ void past_l1(const float* a, float* out) {
  __shared__ __align__(16) float tile[128];
  COPY("cg", tile + 4 * threadIdx.x, a + 4 * threadIdx.x);  // efficiency: load 1.0
  WAIT();
  out[threadIdx.x] = tile[4 * threadIdx.x];  // efficiency: store 1.0
}
// Rows of 64 bytes, 80 apart: every second row starts in the middle of 32 bytes, and each pair of rows (a quarter-warp)
// goes to five pieces of 32 bytes instead of four.
extern "C" __global__ void past_l1_padded(const float* a, float* out) {
  __shared__ __align__(16) float tile[8][20];
  float* to = &tile[threadIdx.x / 4][threadIdx.x % 4 * 4];
  COPY("cg", to, a + 4 * threadIdx.x);  // efficiency: load 0.8
  WAIT();
  out[threadIdx.x] = *to;  // efficiency: store 1.0
}
extern "C" __global__ void cached_padded(const float* a, float* out) {
  __shared__ __align__(16) float tile[8][20];
  float* to = &tile[threadIdx.x / 4][threadIdx.x % 4 * 4];
  COPY("ca", to, a + 4 * threadIdx.x);  // efficiency: load 1.0
  WAIT();
  out[threadIdx.x] = *to;  // efficiency: store 1.0
}
