// Thomas algorithm in f64 for a batch of tridiagonal systems, one thread each; interleaved storage, the solution overwrites its own d'.
#define NT 128
#define AT(i) ((i) * batch + s)

extern "C" __global__ void __launch_bounds__(NT)
    thomas(const double* __restrict__ a, const double* __restrict__ b, const double* __restrict__ c,
           const double* __restrict__ d, double* cp, double* x, int m, int batch) {
  const int s = blockIdx.x * NT + threadIdx.x;
  if (s >= batch) return;

  double inv = 1.0 / b[AT(0)];
  double cc = c[AT(0)] * inv, dd = d[AT(0)] * inv;
  cp[AT(0)] = cc;
  x[AT(0)] = dd;
  for (int i = 1; i < m; ++i) {
    const double lo = a[AT(i)];
    inv = 1.0 / (b[AT(i)] - lo * cc);
    cc = c[AT(i)] * inv;
    dd = (d[AT(i)] - lo * dd) * inv;
    cp[AT(i)] = cc;
    x[AT(i)] = dd;
  }
  for (int i = m - 2; i >= 0; --i) {  // dd is x[m - 1] by now
    dd = x[AT(i)] - cp[AT(i)] * dd;
    x[AT(i)] = dd;
  }
}
