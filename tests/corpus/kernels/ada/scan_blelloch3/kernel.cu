// Exclusive scan of i32 in three launches: chunks of 1024 by Blelloch's tree, their totals by the same kernel in place, then the offsets.
#define HALF 512
#define LEN 1024
#define PAD(i) ((i) + ((i) >> 5))  // a spare word after each 32: no bank conflicts up to LEN = 1024

// in == out is allowed: a thread reads its two elements before it writes them.
extern "C" __global__ void __launch_bounds__(HALF) scan_chunks(const int* in, int* out, int* totals, int n) {
  __shared__ int s[PAD(LEN)];
  const int t = threadIdx.x, ia = blockIdx.x * LEN + t, ib = ia + HALF;
  s[PAD(t)] = ia < n ? in[ia] : 0;
  s[PAD(t + HALF)] = ib < n ? in[ib] : 0;

  int off = 1;
  for (int d = HALF; d; d >>= 1, off <<= 1) {
    __syncthreads();
    if (t < d) {
      const int a = off * (2 * t + 1) - 1, b = a + off;
      s[PAD(b)] += s[PAD(a)];
    }
  }
  if (t == 0) {  // thread 0 itself made the total in the last round
    totals[blockIdx.x] = s[PAD(LEN - 1)];
    s[PAD(LEN - 1)] = 0;
  }
  for (int d = 1; d < LEN; d <<= 1) {
    off >>= 1;
    __syncthreads();
    if (t < d) {
      const int a = off * (2 * t + 1) - 1, b = a + off;
      const int left = s[PAD(a)], right = s[PAD(b)];
      s[PAD(a)] = right;
      s[PAD(b)] = left + right;
    }
  }
  __syncthreads();
  if (ia < n) out[ia] = s[PAD(t)];
  if (ib < n) out[ib] = s[PAD(t + HALF)];
}

extern "C" __global__ void add_offsets(int* out, const int* __restrict__ offsets, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] += offsets[i / LEN];
}
