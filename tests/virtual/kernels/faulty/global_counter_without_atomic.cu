// One thread of each block adds to a counter by load and store.
/* launch
entry = "count_blocks"
grid = [6, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [384], init = "arange" },
  { name = "counter", dtype = "i32", shape = [1], init = "zeros" },
]
*/
extern "C" __global__ void count_blocks(const int* in, int* counter) {
  if (threadIdx.x == 0 && in[blockIdx.x * blockDim.x] >= 0) {
    int old = counter[0];    // related: SAF602
    counter[0] = old + 1;  // expect: SAF602
  }
}
