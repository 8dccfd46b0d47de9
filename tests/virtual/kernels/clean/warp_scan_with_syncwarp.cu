// A scan in one warp, reads and writes kept apart by warp barriers.
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
  s[t]=a[t];
  __syncwarp();
  for(int d=1;d<32;d*=2){
    int y=t>=d?s[t-d]:0;
    __syncwarp();
    s[t]+=y;
    __syncwarp();
  }
  o[t]=s[t];
}
