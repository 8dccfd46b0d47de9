#define MASKED if ((mask >> threadIdx.x) & 1)
#define AT(NAME, T, DO) extern "C" __global__ void NAME(T* out, const int* idx, unsigned mask) { \
  __shared__ __align__(16) T s[2048]; int t = threadIdx.x; for (int i = t; i < 2048; i += 32) s[i] = (T)(i); __syncthreads(); \
  int i = idx[t]; MASKED { DO } __syncthreads(); out[t] += s[t]; }
AT(a_add1, int, atomicAdd(&s[i], 1);)
AT(a_addt, int, atomicAdd(&s[i], t);)
AT(a_addr, int, out[t] = atomicAdd(&s[i], t);)
AT(a_max, int, atomicMax(&s[i], t);)
AT(a_cas, int, out[t] = atomicCAS(&s[i], t, 7);)
AT(a_exch, int, out[t] = atomicExch(&s[i], t);)
AT(a_or, unsigned, atomicOr(&s[i], 1u << t);)
AT(a_add64, unsigned long long, atomicAdd(&s[i], (unsigned long long)t);)
#define LD(NAME, T) extern "C" __global__ void NAME(T* out, const int* idx, unsigned mask) { \
  __shared__ __align__(16) unsigned char raw[16384]; volatile T* s = (volatile T*)raw; int t = threadIdx.x; \
  for (int i = t; i < 16384; i += 32) raw[i] = i; __syncthreads(); int i = idx[t]; T v = 0; MASKED { v = s[i]; } out[t] = v; }
LD(l_1, unsigned char)
LD(l_2, unsigned short)
LD(l_4, unsigned)
LD(l_8, unsigned long long)
extern "C" __global__ void l_16(uint4* out, const int* idx, unsigned mask) {
  __shared__ __align__(16) unsigned char raw[16384]; int t = threadIdx.x;
  for (int i = t; i < 16384; i += 32) raw[i] = i; __syncthreads(); int i = idx[t]; unsigned x=0,y=0,z=0,w=0; unsigned a = (unsigned)__cvta_generic_to_shared(raw) + 16*i;
  MASKED { asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x),"=r"(y),"=r"(z),"=r"(w) : "r"(a)); } out[t] = make_uint4(x,y,z,w); }
#define ST(NAME, T) extern "C" __global__ void NAME(T* out, const int* idx, unsigned mask) { \
  __shared__ __align__(16) unsigned char raw[16384]; volatile T* s = (volatile T*)raw; int t = threadIdx.x; int i = idx[t]; \
  MASKED { s[i] = (T)(t); } __syncthreads(); out[t] = s[t]; }
ST(s_1, unsigned char)
ST(s_2, unsigned short)
ST(s_4, unsigned)
ST(s_8, unsigned long long)
extern "C" __global__ void s_16(uint4* out, const int* idx, unsigned mask) {
  __shared__ __align__(16) uint4 s[1024]; int t = threadIdx.x; int i = idx[t]; unsigned a = (unsigned)__cvta_generic_to_shared(s) + 16*i;
  MASKED { asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" :: "r"(a),"r"(t) : "memory"); } __syncthreads(); out[t] = s[t]; }
#define GL(NAME, T) extern "C" __global__ void NAME(T* out, const int* idx, unsigned mask) { int t = threadIdx.x; int i = idx[t]; T v = 0; MASKED { v = ((volatile T*)(out + 64))[i]; } ((volatile T*)out)[t] = v; }
GL(g_1, unsigned char)
GL(g_4, unsigned)
GL(g_8, unsigned long long)
