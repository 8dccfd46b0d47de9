// How many elements of each row exceed a threshold: the lanes that pass the test form a coalesced group, and its leader
// adds the size of the group to the block's counter.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace stats {

// One addition for all threads that arrive here together.
__device__ inline void count_me(int* counter) {
  const auto active = cg::coalesced_threads();
  if (active.thread_rank() == 0) atomicAdd(counter, static_cast<int>(active.size()));
}

template <typename Predicate>
__device__ void count_if(const float* __restrict__ row, int cols, int* counter, Predicate pass) {
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    if (pass(row[c])) count_me(counter);
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    count_above(const float* __restrict__ x, int* __restrict__ counts, int cols, float threshold) {
  __shared__ int counter;
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) counter = 0;
  block.sync();

  count_if(x + static_cast<size_t>(blockIdx.x) * cols, cols, &counter, [=](float v) { return v > threshold; });

  block.sync();
  if (block.thread_rank() == 0) counts[blockIdx.x] = counter;
}

}  // namespace stats
