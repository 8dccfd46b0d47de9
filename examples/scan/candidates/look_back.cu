// One pass with decoupled look-back (Merrill and Garland): a block publishes the total of its part, then walks back
// over the blocks before it and adds up totals until it meets one that knows its whole prefix. A word holds state and
// value together, so that neither is seen without the other.
//
// A block waits only for blocks with lower numbers. Numbers are drawn from a ticket: whoever has one is running
// already, while blockIdx promises nothing about who starts first.
#include "block_scan.h"

enum State : unsigned { NOTHING = 0, TOTAL = 1, PREFIX = 2 };  // the workspace starts as zeros: NOTHING

__device__ unsigned long long packed(State state, float value) {
  return (unsigned long long)state << 32 | __float_as_uint(value);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    scan(const float* __restrict__ x, float* __restrict__ y, unsigned long long* words, unsigned* ticket, int n) {
  __shared__ float s[THREADS / 32];
  __shared__ int number;
  __shared__ float before;

  if (threadIdx.x == 0) number = atomicAdd(ticket, 1u);
  __syncthreads();
  int i = number * THREADS + threadIdx.x;
  float v = block_scan(i < n ? x[i] : 0.0f, s);

  if (threadIdx.x == THREADS - 1) {  // its v is the block's total
    float sum = 0.0f;
    if (number > 0) {
      atomicExch(&words[number], packed(TOTAL, v));
      unsigned state = NOTHING;
      for (int b = number - 1; state != PREFIX; --b) {
        unsigned long long word;
        do {
          word = atomicAdd(&words[b], 0ull);
          state = word >> 32;
        } while (state == NOTHING);
        sum += __uint_as_float((unsigned)word);
      }
    }
    atomicExch(&words[number], packed(PREFIX, sum + v));
    before = sum;
  }
  __syncthreads();
  if (i < n) y[i] = before + v;
}
