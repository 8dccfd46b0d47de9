// The loop does work, but its end condition can never hold.
/* launch
entry = "spin"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [
  { name = "x", dtype = "i32", shape = [32], init = "zeros" },
]
*/
extern "C" __global__ void spin(volatile int* x) {
  int t = threadIdx.x;
  while (true) {
    x[t] = x[t] + 2;  // expect: SAF612
    if (x[t] % 2 == 1) break;  // also: SAF612
  }
}
