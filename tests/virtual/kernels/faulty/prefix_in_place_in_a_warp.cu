// A step of a prefix sum: each lane reads its neighbour's element and its own, then stores; no __syncwarp between them.
/* launch
entry = "step"
grid = [1, 1, 1]
block = [32, 1, 1]
args = [{ name = "v", dtype = "f32", shape = [32], init = "normal" }]
*/
extern "C" __global__ void step(float* v) {
  int t = threadIdx.x;
  float before = t > 0 ? v[t - 1] : 0.0f;
  v[t] += before;  // expect: SAF602
}
