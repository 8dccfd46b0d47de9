// One asynchronous copy per lane, for hardware counters: `from` and `to` are in units of the copy's bytes.
#define COPY(NAME, KIND, BYTES, MASKED, SIZE)                                                                     \
  extern "C" __global__ void NAME(const char* in, const int* from, const int* to, unsigned mask) {                \
    __shared__ __align__(128) char tile[32768];                                                                   \
    int t = threadIdx.x;                                                                                          \
    const char* source = in + BYTES * from[t];                                                                    \
    unsigned target = (unsigned)__cvta_generic_to_shared(tile) + BYTES * to[t];                                   \
    unsigned bit = (mask >> t) & 1;                                                                               \
    MASKED asm volatile("cp.async." KIND ".shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(source),         \
                        "n"(BYTES), "r"(SIZE) : "memory");                                                        \
    asm volatile("cp.async.wait_all;" ::: "memory");                                                              \
  }
COPY(ca_4, "ca", 4, if (bit), 4)
COPY(ca_8, "ca", 8, if (bit), 8)
COPY(ca_16, "ca", 16, if (bit), 16)
COPY(cg_16, "cg", 16, if (bit), 16)
COPY(ca_4_zeros, "ca", 4, , bit ? 4 : 0)
COPY(ca_8_zeros, "ca", 8, , bit ? 8 : 0)
COPY(ca_16_zeros, "ca", 16, , bit ? 16 : 0)
COPY(cg_16_zeros, "cg", 16, , bit ? 16 : 0)
