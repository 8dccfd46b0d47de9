// Shared flags of one byte each beside a word that atomics change.
/* launch
entry = "flags"
grid = [1, 1, 1]
block = [96, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [96], init = "arange" },
  { name = "out", dtype = "i32", shape = [97] },
]
*/
extern "C" __global__ void flags(const int* in, int* out) {
  __shared__ bool odd[96];
  __shared__ int odd_count;
  int t = threadIdx.x;
  if (t == 0) odd_count = 0;
  __syncthreads();
  odd[t] = in[t] & 1;
  if (in[t] & 1) atomicAdd(&odd_count, 1);
  __syncthreads();
  out[t] = odd[95 - t];
  if (t == 0) out[96] = odd_count;
}
