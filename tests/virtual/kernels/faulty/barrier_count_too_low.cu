// Four warps come to a barrier that counts two.
/* launch
entry = "k"
grid = [1, 1, 1]
block = [128, 1, 1]
args = [
  { name = "a", dtype = "i32", shape = [128], init = "arange" },
  { name = "o", dtype = "i32", shape = [128], init = "zeros" },
]
*/
extern "C" __global__ void k(const int*a,int*o){
  __shared__ int s[128];
  s[threadIdx.x]=a[threadIdx.x];
  asm volatile("bar.sync 1, 64;");  // expect: SAF609
  o[threadIdx.x]=s[threadIdx.x^1];
}
