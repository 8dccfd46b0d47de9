// One warp stores words, the other the upper half of each: two bytes of every word are contested.
/* launch
entry = "overlap"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [64], init = "arange" },
  { name = "out", dtype = "i32", shape = [32] },
]
*/
extern "C" __global__ void overlap(const int* in, int* out) {
  __shared__ __align__(4) unsigned short s[64];
  int t = threadIdx.x, lane = t % 32;
  if (t < 32)
    reinterpret_cast<int*>(s)[lane] = in[t];  // related: SAF601
  else
    s[2 * lane + 1] = (unsigned short)(in[t] + 7);  // expect: SAF601
  __syncthreads();
  if (t < 32) out[t] = s[2 * lane] + s[2 * lane + 1];
}
