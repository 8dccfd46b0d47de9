// Every lane takes the lock of its own bucket; lanes of a warp that want the same one retry.
/* launch
entry = "locked_buckets"
grid = [3, 1, 1]
block = [64, 1, 1]
args = [
  { name = "locks", dtype = "i32", shape = [8] },
  { name = "counts", dtype = "i32", shape = [8] },
]
*/
extern "C" __global__ void locked_buckets(int* locks, int* counts) {
  int bucket = threadIdx.x * 5 / 3 & 7;
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[bucket], 0, 1) == 0) {
      __threadfence();
      counts[bucket] = counts[bucket] + 1;
      __threadfence();
      atomicExch(&locks[bucket], 0);
      done = true;
    }
  }
}
