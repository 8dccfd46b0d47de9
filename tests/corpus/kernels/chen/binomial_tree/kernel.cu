// European call options by a binomial tree of 63 steps in shared memory, one block per option. Bad: the barriers
// stand inside the condition that only the nodes of the current level fulfil; the others wait at the barrier behind
// the loop.

#define NUMBER_OF_STEPS 63
#define NUMBER_OF_NODES 64

struct TreeParameters {
  float logarithmOfUp;        // logarithm of the price factor of one step up
  float discountedUpWeight;   // probability of a step up, discounted over one step
  float discountedDownWeight;
};

extern "C" __global__ void binomialTree(const float* __restrict__ stockPrices, const float* __restrict__ strikePrices,
                                        float* __restrict__ optionPrices, TreeParameters parameters) {
  __shared__ float nodeValues[NUMBER_OF_NODES];

  int optionIndex = blockIdx.x;
  int node = threadIdx.x;

  // Payoff at expiry: node j has seen j steps up and (63 - j) steps down.
  float stockPrice = stockPrices[optionIndex];
  float strikePrice = strikePrices[optionIndex];
  float exponent = parameters.logarithmOfUp * (float)(2 * node - NUMBER_OF_STEPS);
  nodeValues[node] = fmaxf(stockPrice * expf(exponent) - strikePrice, 0.0f);
  __syncthreads();

  // Walk back to the root. Level n has nodes 0 .. n.
  for (int level = NUMBER_OF_STEPS - 1; level >= 0; level--) {
    if (node <= level) {
      float newValue = parameters.discountedUpWeight * nodeValues[node + 1] +
                       parameters.discountedDownWeight * nodeValues[node];
      __syncthreads();  // defect: barrier
      nodeValues[node] = newValue;
      __syncthreads();  // defect-also: barrier
    }
  }

  // Wait until the root is complete.
  __syncthreads();  // defect-also: barrier

  // The root holds the price.
  if (node == 0) {
    optionPrices[optionIndex] = nodeValues[0];
  }
}
// consequence: deadlock
// consequence: race-shared
