// A sum by compare-and-swap; the first guess is an ordinary load.
/* launch
entry = "k"
grid = [2, 1, 1]
block = [64, 1, 1]
args = [
  { name = "a", dtype = "f64", shape = [64], init = "arange" },
  { name = "p", dtype = "f64", shape = [1], init = "zeros" },
]
*/
extern "C" __global__ void k(const double*a,double*p){
  unsigned long long*q=(unsigned long long*)p, old=*q, as;
  double v=a[threadIdx.x];
  do{
    as=old;
    old=atomicCAS(q,as,__double_as_longlong(v+__longlong_as_double(as)));
  }
  while(as!=old);
}
