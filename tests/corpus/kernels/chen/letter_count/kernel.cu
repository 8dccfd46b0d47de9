// Counts the letters of a text (case ignored, bin 26 takes all others) with integer atomics, first shared, then
// global.

#define NUMBER_OF_LETTERS 26
#define NUMBER_OF_BINS 27

// Finds the bin of one character.
__device__ int findBin(unsigned char character) {
  // Bit 5 tells capital letters from small ones.
  int letter = (character | 32) - 'a';
  return (letter >= 0 && letter < NUMBER_OF_LETTERS) ? letter : NUMBER_OF_LETTERS;
}

extern "C" __global__ void countLetters(const unsigned char* __restrict__ text, int* letterCounts, int textLength) {
  __shared__ int blockCounts[NUMBER_OF_BINS];

  // Only some threads have a bin to clear, but all of them wait.
  if (threadIdx.x < NUMBER_OF_BINS) {
    blockCounts[threadIdx.x] = 0;
  }
  __syncthreads();

  // Grid-stride loop over the text.
  int totalThreads = gridDim.x * blockDim.x;
  for (int position = blockIdx.x * blockDim.x + threadIdx.x; position < textLength; position += totalThreads) {
    int bin = findBin(text[position]);
    atomicAdd(&blockCounts[bin], 1);
  }
  __syncthreads();

  // Add the counts of the block to the totals. Integer additions commute.
  if (threadIdx.x < NUMBER_OF_BINS) {
    atomicAdd(&letterCounts[threadIdx.x], blockCounts[threadIdx.x]);
  }
}
