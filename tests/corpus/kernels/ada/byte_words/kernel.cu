// Counts the words of a text by their last letters. Bad: where the text ends with a block, the byte of look-ahead lies behind the text.
#define NT 256

__device__ __forceinline__ bool letter(unsigned char c) { return (unsigned)((c | 32) - 'a') < 26u; }

extern "C" __global__ void clear(unsigned* count) {
  if (threadIdx.x == 0) *count = 0u;
}

extern "C" __global__ void __launch_bounds__(NT) words(const unsigned char* __restrict__ text, unsigned* count, int n) {
  __shared__ unsigned char sh[NT + 1];
  const int t = threadIdx.x, base = blockIdx.x * NT, i = base + t;
  sh[t] = i < n ? text[i] : ' ';
  if (t == 0) {
    unsigned char ahead = ' ';
    if (base + NT <= n) ahead = text[base + NT];  // defect: out-of-bounds-global
    sh[NT] = ahead;
  }
  __syncthreads();

  const int ends = __syncthreads_count(letter(sh[t]) && !letter(sh[t + 1]));
  if (t == 0) atomicAdd(count, (unsigned)ends);
}
// consequence: wrong-result
