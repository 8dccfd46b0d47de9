// The semaphore is passed on while other warps of the block may still be adding.
/* launch
entry = "turns"
grid = [5, 1, 1]
block = [64, 1, 1]
args = [
  { name = "in", dtype = "f32", shape = [5, 64], init = "normal" },
  { name = "sum", dtype = "f32", shape = [64] },
  { name = "turn", dtype = "i32", shape = [1] },
]
*/
extern "C" __global__ void turns(const float* in, float* sum, int* turn) {
  int t = threadIdx.x;
  if (t == 0) {
    int now;
    do {
      asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(now) : "l"(turn) : "memory");
    } while (now != blockIdx.x);
  }
  __syncthreads();
  sum[t] += in[blockIdx.x * 64 + t];  // expect: SAF602
  if (t == 0) asm volatile("st.global.release.gpu.b32 [%0], %1;" ::"l"(turn), "r"((int)blockIdx.x + 1) : "memory");
}
