// Every thread takes the same lock, lanes of one warp included.
/* launch
entry = "k"
grid = [3, 1, 1]
block = [64, 1, 1]
args = [
  { name = "lock", dtype = "i32", shape = [1], init = "zeros" },
  { name = "cnt", dtype = "i32", shape = [1], init = "zeros" },
]
*/
extern "C" __global__ void k(int*lock,int*cnt){
  while(atomicCAS(lock,0,1)!=0);
  __threadfence();
  cnt[0]+=1;
  __threadfence();
  atomicExch(lock,0);
}
