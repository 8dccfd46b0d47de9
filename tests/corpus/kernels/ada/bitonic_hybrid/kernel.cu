// Sorts each chunk of 512 u32 keys: one key per thread; far partners exchange through shared memory, near ones by shuffle.
#define FULL 0xffffffffu
#define N 512

extern "C" __global__ void __launch_bounds__(N)
    sort512(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n) {
  __shared__ unsigned s[2][N];
  const int t = threadIdx.x, g = blockIdx.x * N + t;
  unsigned v = g < n ? in[g] : 0xffffffffu;  // the fill-up sorts behind the keys
  int buf = 0;

  for (int k = 2; k <= N; k <<= 1)
    for (int j = k >> 1; j; j >>= 1) {
      unsigned o;
      if (j >= 32) {  // j is the same for all threads
        s[buf][t] = v;
        __syncthreads();
        o = s[buf][t ^ j];
        buf ^= 1;  // the next exchange uses the other buffer, so one barrier per exchange is enough
      } else {
        o = __shfl_xor_sync(FULL, v, j);
      }
      const bool up = (t & k) == 0, low = (t & j) == 0;
      v = up == low ? min(v, o) : max(v, o);
    }
  if (g < n) out[g] = v;
}
