// The active lanes agree on one atomic: the leader adds for all of them and shares the old value.
/* launch
entry = "append_even"
grid = [2, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [128], init = "arange" },
  { name = "out", dtype = "i32", shape = [128] },
  { name = "count", dtype = "i32", shape = [1], init = "zeros" },
]
*/
extern "C" __global__ void append_even(const int* in, int* out, int* count) {
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (v % 2 == 0) {
    unsigned mask = __activemask();
    int lane = threadIdx.x % 32, leader = __ffs(mask) - 1;
    int start = 0;
    if (lane == leader) start = atomicAdd(count, __popc(mask));
    start = __shfl_sync(mask, start, leader);
    out[start + __popc(mask & ((1u << lane) - 1))] = v;
  }
}
