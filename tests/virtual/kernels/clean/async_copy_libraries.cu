// The library's own ways to copy asynchronously: cooperative groups, cuda::pipeline of a thread and of a block.
/* launch group
entry = "group_copy"
grid = [2, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [1024], init = "arange" }, { name = "out", dtype = "f32", shape = [1024] }]
*/
/* launch thread
entry = "thread_pipeline"
grid = [2, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [1024], init = "arange" }, { name = "out", dtype = "f32", shape = [1024] }]
*/
/* launch block
entry = "block_pipeline"
grid = [2, 1, 1]
block = [64, 1, 1]
args = [{ name = "in", dtype = "f32", shape = [1024], init = "arange" }, { name = "out", dtype = "f32", shape = [1024] }]
*/
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

extern "C" __global__ void group_copy(const float4* in, float4* out) {
  __shared__ float4 tile[64];
  auto block = cg::this_thread_block();
  int t = threadIdx.x, first = 64 * blockIdx.x;
  cg::memcpy_async(block, tile, in + first, sizeof(tile));
  cg::wait(block);
  out[first + t] = tile[63 - t];
}

extern "C" __global__ void thread_pipeline(const float4* in, float4* out) {
  __shared__ float4 stage[2][32];
  auto pipe = cuda::make_pipeline();
  int t = threadIdx.x % 32, first = 64 * (2 * blockIdx.x + threadIdx.x / 32);
  if (threadIdx.x >= 32) return;
  for (int s = 0; s < 2; s++) {
    pipe.producer_acquire();
    cuda::memcpy_async(&stage[s][t], &in[first + 32 * s + t], cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
  }
  for (int s = 0; s < 2; s++) {
    pipe.consumer_wait();
    __syncwarp();
    out[first + 32 * s + t] = stage[s][31 - t];
    pipe.consumer_release();
  }
}

extern "C" __global__ void block_pipeline(const float4* in, float4* out) {
  __shared__ float4 stage[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int t = threadIdx.x, first = 128 * blockIdx.x;
  for (int s = 0; s < 2; s++) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, stage[s], in + first + 64 * s, cuda::aligned_size_t<16>(sizeof(stage[s])), pipe);
    pipe.producer_commit();
  }
  for (int s = 0; s < 2; s++) {
    pipe.consumer_wait();
    out[first + 64 * s + t] = stage[s][63 - t];
    pipe.consumer_release();
  }
}
