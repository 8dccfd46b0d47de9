// One warp, one fragment of the wmma API: a load whose values are summed up and stored, or a store of what was loaded
// element by element. `ldm` is the stride in elements; shared tiles are filled first.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

#define BYTES 32768

template <class Element> __device__ Element *filled(const unsigned *in, unsigned char *bytes) {
    for (int i = threadIdx.x; i < BYTES / 4; i += 32) ((unsigned *)bytes)[i] = in[i];
    __syncwarp();
    return (Element *)bytes;
}

template <class Fragment> __device__ void finish(const Fragment &f, float *out) {
    float sum = 0;
    for (int i = 0; i < f.num_elements; ++i) sum += (float)f.x[i];
    out[threadIdx.x] = sum;
}

#define FACTOR(name, operand, shape, element, layout)                                            \
    extern "C" __global__ void shared_##name(const unsigned *in, float *out, int ldm) {          \
        __shared__ __align__(128) unsigned char bytes[BYTES];                                    \
        wmma::fragment<wmma::operand, shape, element, wmma::layout> f;                           \
        wmma::load_matrix_sync(f, filled<element>(in, bytes), ldm);                              \
        finish(f, out);                                                                          \
    }                                                                                            \
    extern "C" __global__ void global_##name(const unsigned *in, float *out, int ldm) {          \
        wmma::fragment<wmma::operand, shape, element, wmma::layout> f;                           \
        wmma::load_matrix_sync(f, (const element *)in, ldm);                                     \
        finish(f, out);                                                                          \
    }

#define SUM(name, shape, element, layout)                                                        \
    extern "C" __global__ void shared_c_##name(const unsigned *in, float *out, int ldm) {        \
        __shared__ __align__(128) unsigned char bytes[BYTES];                                    \
        wmma::fragment<wmma::accumulator, shape, element> f;                                     \
        wmma::load_matrix_sync(f, filled<element>(in, bytes), ldm, wmma::layout);                \
        finish(f, out);                                                                          \
    }                                                                                            \
    extern "C" __global__ void global_c_##name(const unsigned *in, float *out, int ldm) {        \
        wmma::fragment<wmma::accumulator, shape, element> f;                                     \
        wmma::load_matrix_sync(f, (const element *)in, ldm, wmma::layout);                       \
        finish(f, out);                                                                          \
    }                                                                                            \
    extern "C" __global__ void shared_d_##name(const unsigned *in, float *out, int ldm) {        \
        __shared__ __align__(128) unsigned char bytes[BYTES];                                    \
        wmma::fragment<wmma::accumulator, shape, element> f;                                     \
        for (int i = 0; i < f.num_elements; ++i) f.x[i] = ((const element *)in)[32 * i + threadIdx.x]; \
        wmma::store_matrix_sync((element *)bytes, f, ldm, wmma::layout);                         \
        __syncwarp();                                                                            \
        out[threadIdx.x] = (float)((element *)bytes)[threadIdx.x % 8];                           \
    }                                                                                            \
    extern "C" __global__ void global_d_##name(const unsigned *in, float *out, int ldm) {        \
        wmma::fragment<wmma::accumulator, shape, element> f;                                     \
        for (int i = 0; i < f.num_elements; ++i) f.x[i] = ((const element *)in)[32 * i + threadIdx.x]; \
        wmma::store_matrix_sync((element *)out, f, ldm, wmma::layout);                           \
    }

#define SQUARE 16, 16, 16
#define TALL 32, 8, 16
FACTOR(a_row, matrix_a, SQUARE, half, row_major)
FACTOR(a_col, matrix_a, SQUARE, half, col_major)
FACTOR(b_row, matrix_b, SQUARE, half, row_major)
FACTOR(b_col, matrix_b, SQUARE, half, col_major)
FACTOR(tall_a_row, matrix_a, TALL, half, row_major)
FACTOR(byte_a_row, matrix_a, SQUARE, signed char, row_major)
FACTOR(byte_a_col, matrix_a, SQUARE, signed char, col_major)
SUM(f32_row, SQUARE, float, mem_row_major)
SUM(f32_col, SQUARE, float, mem_col_major)
SUM(f16_row, SQUARE, half, mem_row_major)
SUM(f16_col, SQUARE, half, mem_col_major)

// Rows of 8x8 matrices, one per lane, `ldm` elements apart.
#define MOVE(name, count, form)                                                                  \
    extern "C" __global__ void ldmatrix_##name(const unsigned *in, float *out, int ldm) {        \
        __shared__ __align__(128) unsigned char bytes[BYTES];                                    \
        half *row = filled<half>(in, bytes) + threadIdx.x * ldm;                                 \
        unsigned a = (unsigned)__cvta_generic_to_shared(row), r[4] = {};                         \
        if (count == 1)                                                                          \
            asm volatile("ldmatrix.sync.aligned.m8n8.x1" form ".shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(a)); \
        if (count == 2)                                                                          \
            asm volatile("ldmatrix.sync.aligned.m8n8.x2" form ".shared.b16 {%0, %1}, [%2];"      \
                         : "=r"(r[0]), "=r"(r[1]) : "r"(a));                                     \
        if (count == 4)                                                                          \
            asm volatile("ldmatrix.sync.aligned.m8n8.x4" form ".shared.b16 {%0, %1, %2, %3}, [%4];" \
                         : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));             \
        out[threadIdx.x] = (float)(r[0] ^ r[1] ^ r[2] ^ r[3]);                                   \
    }                                                                                            \
    extern "C" __global__ void stmatrix_##name(const unsigned *in, float *out, int ldm) {        \
        __shared__ __align__(128) unsigned char bytes[BYTES];                                    \
        half *row = (half *)bytes + threadIdx.x * ldm;                                           \
        unsigned a = (unsigned)__cvta_generic_to_shared(row), r[4];                              \
        for (int i = 0; i < count; ++i) r[i] = in[32 * i + threadIdx.x];                         \
        if (count == 1)                                                                          \
            asm volatile("stmatrix.sync.aligned.m8n8.x1" form ".shared.b16 [%0], {%1};" ::"r"(a), "r"(r[0]) : "memory"); \
        if (count == 2)                                                                          \
            asm volatile("stmatrix.sync.aligned.m8n8.x2" form ".shared.b16 [%0], {%1, %2};" ::"r"(a), "r"(r[0]), "r"(r[1]) \
                         : "memory");                                                            \
        if (count == 4)                                                                          \
            asm volatile("stmatrix.sync.aligned.m8n8.x4" form ".shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(a), "r"(r[0]), \
                         "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");                            \
        __syncwarp();                                                                            \
        out[threadIdx.x] = (float)*(unsigned *)((half *)bytes + (threadIdx.x % 8) * ldm);        \
    }
MOVE(x1, 1, "")
MOVE(x2, 2, "")
MOVE(x4, 4, "")
MOVE(x4_trans, 4, ".trans")
