// Segmented inclusive scan of i32 within chunks of 256: warp shuffles carry (value, head seen), a few words of shared memory the warp totals.
#define FULL 0xffffffffu
#define NT 256
#define WARPS (NT / 32)

extern __shared__ int pool[];  // wv[WARPS], then wf[WARPS]

extern "C" __global__ void __launch_bounds__(NT)
    segscan(const int* __restrict__ val, const unsigned char* __restrict__ head, int* __restrict__ out, int n) {
  int* wv = pool;
  int* wf = pool + WARPS;
  const int t = threadIdx.x, lane = t & 31, w = t >> 5, i = blockIdx.x * NT + t;
  int v = i < n ? val[i] : 0;
  int f = (i < n && head[i]) || t == 0;  // a chunk starts a segment

#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const int pv = __shfl_up_sync(FULL, v, d), pf = __shfl_up_sync(FULL, f, d);
    if (lane >= d) {
      if (!f) v += pv;
      f |= pf;
    }
  }
  if (lane == 31) {
    wv[w] = v;
    wf[w] = f;
  }
  __syncthreads();

  int carry = 0;  // what the warps before this one leave open
  for (int k = 0; k < w; ++k) carry = wf[k] ? wv[k] : carry + wv[k];
  if (!f) v += carry;
  if (i < n) out[i] = v;
}
