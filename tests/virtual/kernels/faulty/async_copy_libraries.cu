// The library's asynchronous copies without their wait.
/* launch group
entry = "group_copy"
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
  cg::memcpy_async(block, tile, in + first, sizeof(tile));  // related@group: SAF615
  block.sync();
  out[first + t] = tile[63 - t];  // expect@group: SAF615
}

extern "C" __global__ void block_pipeline(const float4* in, float4* out) {
  __shared__ float4 tile[64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int t = threadIdx.x, first = 64 * blockIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(block, tile, in + first, cuda::aligned_size_t<16>(sizeof(tile)), pipe);  // related@block: SAF615
  pipe.producer_commit();
  block.sync();
  out[first + t] = tile[63 - t];  // expect@block: SAF615
  pipe.consumer_wait();
  pipe.consumer_release();
}
