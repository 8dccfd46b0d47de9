// Threads that have found what they look for write it and return from the loop; the others go on to vote with full masks.
/* launch
entry = "search"
grid = [3, 1, 1]
block = [96, 1, 1]
args = [
  { name = "x", dtype = "i32", shape = [288], init = "arange" },
  { name = "y", dtype = "i32", shape = [288] },
]
*/
extern "C" __global__ void search(const int* x, int* y) {
  int i = blockIdx.x * 96 + threadIdx.x, v = x[i], n = 0;
  for (int k = 1; k < 9; ++k) {
    if (v % 11 == k) {
      y[i] = k * 1000 + n;
      return;
    }
    n += __popc(__ballot_sync(0xffffffff, v % k == 0));
    if (v % 13 == k) {
      int w = v;
      for (int j = 0; j < k; ++j) w = w * 3 + j;
      y[i] = w;
      return;
    }
  }
  y[i] = n;
}
