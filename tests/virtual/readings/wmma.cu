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
