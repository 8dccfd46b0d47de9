#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void gs(const float* a, float* b, float* c, int n) { auto g = cg::this_grid(); int i = blockIdx.x * blockDim.x + threadIdx.x; b[i] = 2 * a[i]; g.sync(); c[i] = b[(i + 64) % n]; }
extern "C" __global__ void tp(const int* a, int* out) { auto t = cg::tiled_partition<16>(cg::this_thread_block()); int v = a[threadIdx.x]; v = cg::reduce(t, v, cg::plus<int>()); out[threadIdx.x] = v; 
  auto b = cg::this_thread_block(); b.sync(); if (threadIdx.x % 3 == 0) { auto c = cg::coalesced_threads(); out[threadIdx.x] += c.thread_rank() * 1000 + c.size() * 100000; } }
