// One load of a warp at the elements that a table names, for several types; lanes whose entry is negative stay out.
#include <cuda_fp16.h>
template <class T>
__global__ void gather(const T* a, const int* table, T* out) {
  int i = table[threadIdx.x];
  if (i >= 0) out[threadIdx.x] = a[i];
}
