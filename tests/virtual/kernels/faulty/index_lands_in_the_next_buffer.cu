// An index so far out that it lies beyond the neighbouring red zone of a small buffer.
/* launch
entry = "k"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "a", dtype = "i32", shape = [64], init = "arange" },
  { name = "b", dtype = "i32", shape = [4096], init = "arange" },
  { name = "o", dtype = "i32", shape = [64], init = "zeros" },
]
*/
extern "C" __global__ void k(const int*a,const int*b,int*o){
  o[threadIdx.x]=a[threadIdx.x+300]+b[threadIdx.x];  // expect: SAF603
}
