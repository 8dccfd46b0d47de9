// One thread of each block updates two words under a lock.
/* launch
entry = "locked_update"
grid = [5, 1, 1]
block = [32, 1, 1]
args = [
  { name = "lock", dtype = "i32", shape = [1], init = "zeros" },
  { name = "pair", dtype = "i32", shape = [2], init = "zeros" },
]
*/
extern "C" __global__ void locked_update(int* lock, volatile int* pair) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  int sum = pair[0] + (int)blockIdx.x;
  pair[0] = sum;
  pair[1] = pair[1] + sum;
  __threadfence();
  atomicExch(lock, 0);
}
