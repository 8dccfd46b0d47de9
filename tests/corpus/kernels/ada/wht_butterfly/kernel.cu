// Walsh-Hadamard transform of rows of 512, butterflies in shared memory. Bad: for distances below 32 two lanes of a warp meet in each bank.
#define N 512
#define NT (N / 2)

extern "C" __global__ void __launch_bounds__(NT) wht(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s[N];
  const int t = threadIdx.x, base = blockIdx.x * N;
  s[t] = x[base + t];
  s[t + NT] = x[base + t + NT];

#pragma unroll 1
  for (int h = 1; h < N; h <<= 1) {
    const int i = ((t & ~(h - 1)) << 1) | (t & (h - 1));
    __syncthreads();
    const float a = s[i];      // defect: bank-conflict
    const float b = s[i + h];  // defect-also: bank-conflict
    s[i] = a + b;              // defect-also: bank-conflict
    s[i + h] = a - b;          // defect-also: bank-conflict
  }
  __syncthreads();
  y[base + t] = s[t];
  y[base + t + NT] = s[t + NT];
}
