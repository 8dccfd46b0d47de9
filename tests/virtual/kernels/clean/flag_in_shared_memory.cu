// One warp hands data to another through a flag in shared memory, with block-wide fences.
/* launch
entry = "k"
grid = [1, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "i32", shape = [32], init = "arange" },
  { name = "out", dtype = "i32", shape = [32], init = "zeros" },
]
*/
extern "C" __global__ void k(const int*in,int*out){
  __shared__ int buf[32];
  __shared__ volatile int flag;
  int t=threadIdx.x;
  if(t==0) flag=0;
  __syncthreads();
  if(t<32){
    buf[t]=in[t];
    __threadfence_block();
    __syncwarp();
    if(t==0) flag=1;
  }
  else {
    while(flag==0);
    __threadfence_block();
    __syncwarp();
    out[t-32]=buf[63-t];
  }
}
