// Block sums added to one global float; a compare-and-swap loop keeps the maximum.
/* launch
entry = "sum_and_max"
grid = [4, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [256], init = "normal" },
  { name = "sum", dtype = "f32", shape = [1], init = "zeros" },
  { name = "best", dtype = "i32", shape = [1], init = "zeros" },
]
*/
extern "C" __global__ void sum_and_max(const float* in, float* sum, int* best) {
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(sum, v);
  int seen = 0;
  while (__int_as_float(seen) < v) {
    int before = atomicCAS(best, seen, __float_as_int(v));
    if (before == seen) break;
    seen = before;
  }
}
