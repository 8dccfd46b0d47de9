// Moving average over 65 values from a shared tile. Bad: the tile has room for the halo of one side only, the right
// halo is stored and read behind its end.

#define BLOCK_SIZE 256
#define RADIUS 32

extern "C" __global__ void movingAverage(const float* __restrict__ inputSignal, float* __restrict__ smoothedSignal,
                                         int signalLength) {
  __shared__ float tile[BLOCK_SIZE + RADIUS];

  int threadId = threadIdx.x;
  int globalIndex = blockIdx.x * BLOCK_SIZE + threadId;

  // Load the values of the block itself; the signal is zero outside.
  tile[threadId + RADIUS] = (globalIndex < signalLength) ? inputSignal[globalIndex] : 0.0f;

  // The first RADIUS threads load the halo.
  if (threadId < RADIUS) {
    int leftIndex = globalIndex - RADIUS;
    int rightIndex = globalIndex + BLOCK_SIZE;
    tile[threadId] = (leftIndex >= 0) ? inputSignal[leftIndex] : 0.0f;
    float rightValue = (rightIndex < signalLength) ? inputSignal[rightIndex] : 0.0f;
    tile[threadId + RADIUS + BLOCK_SIZE] = rightValue;  // defect: out-of-bounds-shared
  }

  // Wait for the tile.
  __syncthreads();

  if (globalIndex < signalLength) {
    float sum = 0.0f;
    for (int offset = 0; offset <= 2 * RADIUS; offset++) {
      sum += tile[threadId + offset];  // defect-also: out-of-bounds-shared
    }
    smoothedSignal[globalIndex] = sum / (2 * RADIUS + 1);
  }
}
// consequence: wrong-result
// consequence: uninitialised-shared
// consequence: nan
