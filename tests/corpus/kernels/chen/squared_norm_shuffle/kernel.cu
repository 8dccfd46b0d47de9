// Sum of the squares of a vector with warp shuffles. Bad: the full mask is used inside the bounds check, although in
// the last warp not all lanes get there; and the float atomicAdd adds up in any order.

#define FULL_MASK 0xffffffffu
#define WARP_SIZE 32

extern "C" __global__ void squaredNorm(const float* __restrict__ inputVector, float* squaredSum, int vectorLength) {
  int globalIndex = blockIdx.x * blockDim.x + threadIdx.x;
  int laneIndex = threadIdx.x % WARP_SIZE;

  if (globalIndex < vectorLength) {
    // Square the element of this thread.
    float element = inputVector[globalIndex];
    float warpSum = element * element;

    // Add up the values of the warp.
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) {
      warpSum += __shfl_down_sync(FULL_MASK, warpSum, offset);  // defect: warp-mask
    }

    // The first lane of each warp adds the sum of the warp to the total.
    if (laneIndex == 0) {
      atomicAdd(squaredSum, warpSum);  // defect: order-dependent
    }
  }
}
// consequence: wrong-result
