// The two halves of a warp meet at two different warp barriers.
/* launch
entry = "k"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [
  { name = "a", dtype = "i32", shape = [32], init = "arange" },
  { name = "o", dtype = "i32", shape = [32], init = "zeros" },
]
*/
extern "C" __global__ void k(const int*a,int*o){
  __shared__ int s[32];
  int t=threadIdx.x;
  if(t<16){
    s[t]=a[t];
    __syncwarp();
    o[t]=a[t]*7;
  }
  else {
    __syncwarp();
    o[t]=s[t-16];
    o[t]+=a[t];
  }
}
