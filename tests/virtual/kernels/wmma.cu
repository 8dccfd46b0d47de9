// Tensor-core kernels by the wmma API. LDA and LDB are the strides of the shared tiles, in halves.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
#ifndef LDA
#define LDA 40
#endif
#ifndef LDB
#define LDB 40
#endif
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major>;
using C = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// C = 2 A B + 1 for one block tile of 32 x 32 of n x n matrices; A by rows, B by columns.
extern "C" __global__ void gemm(const half *a, const half *b, float *c, int n) {
    __shared__ __align__(128) half as[32 * LDA];
    __shared__ __align__(128) half bs[32 * LDB];
    int warp = threadIdx.x / 32, wm = warp / 2 * 16, wn = warp % 2 * 16;
    int m0 = blockIdx.y * 32, n0 = blockIdx.x * 32;
    C sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k0 = 0; k0 < n; k0 += 32) {
        for (int i = threadIdx.x; i < 32 * 32; i += 128) {
            as[i / 32 * LDA + i % 32] = a[(m0 + i / 32) * n + k0 + i % 32];
            bs[i / 32 * LDB + i % 32] = b[(n0 + i / 32) * n + k0 + i % 32];
        }
        __syncthreads();
        for (int k = 0; k < 32; k += 16) {
            A left;
            B right;
            wmma::load_matrix_sync(left, as + wm * LDA + k, LDA);
            wmma::load_matrix_sync(right, bs + wn * LDB + k, LDB);
            wmma::mma_sync(sum, left, right, sum);
        }
        __syncthreads();
    }
    C one;
    wmma::fill_fragment(one, 1.0f);
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = 2.0f * sum.x[i] + one.x[i];
    wmma::store_matrix_sync(c + (m0 + wm) * n + n0 + wn, sum, n, wmma::mem_row_major);
}

// Every tile of an n x n matrix, whole or not.
extern "C" __global__ void fill(float *c, int n) {
    C sum;
    wmma::fill_fragment(sum, 1.0f);
    wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, sum, n, wmma::mem_row_major);
}

// Warp 0 stores a tile that warp 1 loads.
extern "C" __global__ void hand_over(float *c, int together) {
    __shared__ __align__(128) float tile[256];
    C sum;
    if (threadIdx.x < 32) {
        wmma::fill_fragment(sum, 3.0f);
        wmma::store_matrix_sync(tile, sum, 16, wmma::mem_row_major);
    }
    if (together) __syncthreads();
    if (threadIdx.x >= 32) {
        wmma::load_matrix_sync(sum, tile, 16, wmma::mem_row_major);
        wmma::store_matrix_sync(c, sum, 16, wmma::mem_col_major);
    }
}

// A whole product of one 16 x 16 tile, with everything from global memory.
extern "C" __global__ void straight(const half *a, const half *b, const float *c, float *d) {
    A left;
    B right;
    C sum;
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}
