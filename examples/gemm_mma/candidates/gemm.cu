// C[M, N] = A[M, K] B[K, N] on tensor cores, for every size. A block of eight warps computes a 128 x 128 piece of C;
// tiles of A and B, 32 deep, come through three stages of shared memory, so that two are on their way while one is used.
//
// Rows of a tile are cut into chunks of 8 halves, 16 bytes: what one lane copies and what one row of a matrix load reads.
// Chunks change places within their row (`slot`), so that any 8 lanes that a shared access serves together meet all 32
// banks. Where rows of A, B and C start on 16 bytes, `gemm` copies asynchronously; elsewhere `gemm_any` reads single
// halves (see the .toml).
#include "tensor_core.h"

// What a twin gets wrong, by -DBROKEN=...; one .toml each.
enum { NOTHING, NO_WAIT, LATE_WAIT, NO_BARRIER, WRONG_ROW, NO_SWIZZLE };
#ifndef BROKEN
#define BROKEN NOTHING
#endif

constexpr int BM = 128, BN = 128, BK = 32, STAGES = 3, THREADS = 256;
constexpr int CHUNK = 8;
constexpr int WARP_M = 64, WARP_N = 32;  // of C, per warp: 2 x 4 warps

struct Stage {
  __half a[BM * BK];
  __half b[BK * BN];
};

union Shared {
  Stage stage[STAGES];
  __half c[BM * BN];
};

// Where chunk `chunk` of row `row` lies in a tile of `WIDTH` halves a row. Rows of 64 bytes (A) repeat their banks every
// second row, wider ones (B, C) every row.
template <int WIDTH>
__device__ int slot(int row, int chunk) {
  int mixed = chunk ^ (WIDTH == 32 ? row / 2 % 4 : row % 8);
  return row * WIDTH + (BROKEN == NO_SWIZZLE ? chunk : mixed) * CHUNK;
}

// Brings ROWS x WIDTH halves at (row0, col0) of a matrix into a tile; what lies outside the matrix becomes zero.
template <bool ALIGNED, int ROWS, int WIDTH>
__device__ void fetch(__half* tile, const __half* __restrict__ m, int row0, int col0, int rows, int cols) {
  if (ALIGNED) {
    constexpr int PER_ROW = WIDTH / CHUNK;
#pragma unroll
    for (int i = 0; i < ROWS * PER_ROW / THREADS; ++i) {
      int at = i * THREADS + threadIdx.x;
      int r = at / PER_ROW, c = at % PER_ROW;
      int row = row0 + r, col = col0 + c * CHUNK;
      bool inside = row < rows && col < cols;
      copy_async(tile + slot<WIDTH>(r, c), inside ? m + size_t(row) * cols + col : m, inside ? 16 : 0);
    }
  } else {
#pragma unroll 1
    for (int at = threadIdx.x; at < ROWS * WIDTH; at += THREADS) {
      int r = at / WIDTH, c = at % WIDTH;
      int row = row0 + r, col = col0 + c;
      bool inside = row < rows && col < cols;
      tile[slot<WIDTH>(r, c / CHUNK) + c % CHUNK] = inside ? m[size_t(row) * cols + col] : __float2half(0.0f);
    }
  }
}

template <bool ALIGNED>
__device__ void product(const __half* __restrict__ A, const __half* __restrict__ B, __half* __restrict__ C, int M,
                        int N, int K) {
  __shared__ __align__(128) Shared shared;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  int warp_row = warp / 4 * WARP_M, warp_col = warp % 4 * WARP_N;

  auto bring = [&](int k0, int into) {
    if (k0 < K) {
      fetch<ALIGNED, BM, BK>(shared.stage[into].a, A, row0, k0, M, K);
      fetch<ALIGNED, BK, BN>(shared.stage[into].b, B, k0, col0, K, N);
    }
    if (ALIGNED) commit_copies();  // an empty group as well: the count of groups stays the count of tiles
  };

  float sum[WARP_M / 16][WARP_N / 8][4] = {};
  for (int s = 0; s < STAGES - 1; ++s) bring(s * BK, s);

  int use = 0, refill = STAGES - 1;
  for (int k0 = 0; k0 < K; k0 += BK) {
    if (ALIGNED && BROKEN != NO_WAIT) wait_for_copies<BROKEN == LATE_WAIT ? STAGES - 1 : STAGES - 2>();
    // This tile has come for every thread, and the one before it has been used by every warp: its stage is free.
    if (BROKEN != NO_BARRIER) __syncthreads();
    bring(k0 + (STAGES - 1) * BK, refill);

    const Stage& tile = shared.stage[use];
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      unsigned a[WARP_M / 16][4], b[WARP_N / 16][4];
#pragma unroll
      for (int i = 0; i < WARP_M / 16; ++i) {
        // Matrices 0 and 1 are rows 0-7 and 8-15, 2 and 3 the same rows eight columns on.
        int row = BROKEN == WRONG_ROW ? lane % 8 + lane / 16 * 8 : lane % 16;
        load_matrices(a[i], tile.a + slot<BK>(warp_row + i * 16 + row, k / CHUNK + lane / 16));
      }
#pragma unroll
      for (int j = 0; j < WARP_N / 16; ++j) {
        load_matrices_transposed(b[j], tile.b + slot<BN>(k + lane % 16, (warp_col + j * 16) / CHUNK + lane / 16));
      }
#pragma unroll
      for (int i = 0; i < WARP_M / 16; ++i) {
#pragma unroll
        for (int j = 0; j < WARP_N / 8; ++j) multiply_add(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
    use = use + 1 < STAGES ? use + 1 : 0;
    refill = refill + 1 < STAGES ? refill + 1 : 0;
  }

  // C goes through shared memory: a lane's pairs lie 8 rows apart, and whole rows fill whole sectors.
  if (ALIGNED) wait_for_copies<0>();
  __syncthreads();
#pragma unroll
  for (int i = 0; i < WARP_M / 16; ++i) {
#pragma unroll
    for (int j = 0; j < WARP_N / 8; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        int r = warp_row + i * 16 + lane / 4 + half * 8;
        __half* to = shared.c + slot<BN>(r, warp_col / CHUNK + j) + lane % 4 * 2;
        *reinterpret_cast<__half2*>(to) = __floats2half2_rn(sum[i][j][half * 2], sum[i][j][half * 2 + 1]);
      }
    }
  }
  __syncthreads();
  if (ALIGNED) {
#pragma unroll
    for (int i = 0; i < BM * BN / CHUNK / THREADS; ++i) {
      int at = i * THREADS + threadIdx.x;
      int r = at / (BN / CHUNK), c = at % (BN / CHUNK);
      int row = row0 + r, col = col0 + c * CHUNK;
      uint4 chunk = *reinterpret_cast<const uint4*>(shared.c + slot<BN>(r, c));
      if (row < M && col < N) *reinterpret_cast<uint4*>(C + size_t(row) * N + col) = chunk;
    }
  } else {
#pragma unroll 1
    for (int at = threadIdx.x; at < BM * BN; at += THREADS) {
      int r = at / BN, c = at % BN;
      __half value = shared.c[slot<BN>(r, c / CHUNK) + c % CHUNK];
      if (row0 + r < M && col0 + c < N) C[size_t(row0 + r) * N + col0 + c] = value;
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    gemm(const __half* __restrict__ A, const __half* __restrict__ B, __half* __restrict__ C, int M, int N, int K) {
  product<true>(A, B, C, M, N, K);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    gemm_any(const __half* __restrict__ A, const __half* __restrict__ B, __half* __restrict__ C, int M, int N, int K) {
  product<false>(A, B, C, M, N, K);
}
