// Maximum of an array and the smallest index where it occurs: one partial result per block, then a second kernel.

#define BLOCK_SIZE 256
#define VERY_SMALL -3.0e38f
#define NO_INDEX 0x7fffffff

// True if the second candidate beats the first one. Equal values are decided by the smaller index.
__device__ bool isBetter(float firstValue, int firstIndex, float secondValue, int secondIndex) {
  if (secondValue > firstValue) {
    return true;
  }
  return secondValue == firstValue && secondIndex < firstIndex;
}

// Tree reduction with sequential addressing. All threads of the block call it.
__device__ void reduceBlock(float* values, int* indices, int threadId) {
  for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadId < stride) {
      float otherValue = values[threadId + stride];
      int otherIndex = indices[threadId + stride];
      if (isBetter(values[threadId], indices[threadId], otherValue, otherIndex)) {
        values[threadId] = otherValue;
        indices[threadId] = otherIndex;
      }
    }
  }
  // Thread 0 wrote or kept element 0 itself, so it may read it without another barrier.
}

extern "C" __global__ void findPartialMaxima(const float* __restrict__ inputValues, float* __restrict__ partialValues,
                                             int* __restrict__ partialIndices, int numberOfElements) {
  __shared__ float sharedValues[BLOCK_SIZE];
  __shared__ int sharedIndices[BLOCK_SIZE];

  int threadId = threadIdx.x;
  int globalIndex = blockIdx.x * BLOCK_SIZE + threadId;

  // Threads behind the end take part with a neutral element.
  if (globalIndex < numberOfElements) {
    sharedValues[threadId] = inputValues[globalIndex];
    sharedIndices[threadId] = globalIndex;
  } else {
    sharedValues[threadId] = VERY_SMALL;
    sharedIndices[threadId] = NO_INDEX;
  }

  reduceBlock(sharedValues, sharedIndices, threadId);

  if (threadId == 0) {
    partialValues[blockIdx.x] = sharedValues[0];
    partialIndices[blockIdx.x] = sharedIndices[0];
  }
}

extern "C" __global__ void combinePartialMaxima(const float* __restrict__ partialValues,
                                                const int* __restrict__ partialIndices, float* __restrict__ bestValue,
                                                int* __restrict__ bestIndex, int numberOfPartials) {
  __shared__ float sharedValues[BLOCK_SIZE];
  __shared__ int sharedIndices[BLOCK_SIZE];

  int threadId = threadIdx.x;
  float myValue = VERY_SMALL;
  int myIndex = NO_INDEX;

  // One block walks over all partial results.
  for (int i = threadId; i < numberOfPartials; i += BLOCK_SIZE) {
    float candidateValue = partialValues[i];
    int candidateIndex = partialIndices[i];
    if (isBetter(myValue, myIndex, candidateValue, candidateIndex)) {
      myValue = candidateValue;
      myIndex = candidateIndex;
    }
  }
  sharedValues[threadId] = myValue;
  sharedIndices[threadId] = myIndex;

  reduceBlock(sharedValues, sharedIndices, threadId);

  if (threadId == 0) {
    *bestValue = sharedValues[0];
    *bestIndex = sharedIndices[0];
  }
}
