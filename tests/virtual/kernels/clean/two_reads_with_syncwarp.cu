// A word read twice with a warp barrier between, then written.
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
  int l=threadIdx.x;
  s[l]=a[l];
  __syncwarp();
  int u=s[(l+1)&31];
  __syncwarp();
  int v=s[l];
  s[l]=v+u;
  __syncwarp();
  o[l]=s[31-l];
}
