// Cooperative groups: tiles, coalesced and labelled groups, their collectives, and the grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <class T, int SIZE>
__global__ void tiles(const T* in, T* sum, T* most, T* before, T* upto) {
  const auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sum[i] = cg::reduce(tile, in[i], cg::plus<T>());
  most[i] = cg::reduce(tile, in[i], cg::greater<T>());
  before[i] = cg::exclusive_scan(tile, in[i]);
  upto[i] = cg::inclusive_scan(tile, in[i], cg::plus<T>());
}

// Groups that the data forms: the odd values, and equal labels.
__global__ void formed(const int* in, int* odd, int* equal) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  odd[i] = -1;
  if (in[i] & 1) {
    const auto group = cg::coalesced_threads();
    odd[i] = 100 * group.size() + group.thread_rank() + 10000 * (group.shfl(in[i], 0) & 63);
  }
  warp.sync();
  const auto same = cg::labeled_partition(warp, in[i] & 3);
  equal[i] = cg::reduce(same, in[i], cg::plus<int>());
}

// A block's shared array, turned round between two barriers of the group.
__global__ void turned(const int* in, int* out) {
  __shared__ int s[128];
  const cg::thread_block block = cg::this_thread_block();
  const int first = block.group_index().x * block.size();
  s[block.thread_rank()] = in[first + block.thread_rank()];
  block.sync();
  out[first + block.thread_rank()] = s[block.size() - 1 - block.thread_rank()];
}

// Three steps of a sum over the whole grid; every step reads what other blocks wrote in the one before.
__global__ void grid_steps(const int* in, int* a, int* b, int n) {
  const cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank();
  a[i] = in[i];
  grid.sync();
  b[i] = a[i] + a[(i + n / 2) % n];
  grid.sync();
  a[i] = b[i] + b[(i + n / 4) % n];
}
