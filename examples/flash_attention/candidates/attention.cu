// O = softmax(Q K^T / sqrt(64)) V per head, Q, K, V and O [H, S, 64] in f16, by one pass over the keys: a block of four
// warps keeps 64 queries, 16 a warp, and takes 64 keys and their values a turn, while the next turn's are on their way.
// With CAUSAL a query attends to no later key.
//
// Rows have 128 bytes, 8 chunks of 16; chunk c of row r lies in slot c ^ (r % 8), which keeps matrix loads free of bank
// conflicts. Scores never leave registers: the layout in which the first product ends is the one in which the second
// one begins.
#include "tensor_core.h"

// What a twin gets wrong, by -DBROKEN=...; one .toml each.
enum { NOTHING, NO_WAIT, LATE_WAIT, NO_BARRIER, WRONG_ROW, NO_SWIZZLE, NO_RESCALE, NO_MASK };
#ifndef BROKEN
#define BROKEN NOTHING
#endif

constexpr int D = 64, QUERIES = 64, KEYS = 64, THREADS = 128;
constexpr int CHUNK = 8, CHUNKS = D / CHUNK;
constexpr float SCALE = 0.125f * 1.44269504f;  // 1 / sqrt(D), and e^x is taken as 2^(x log2 e)

__device__ int slot(int row, int chunk) { return row * D + (BROKEN == NO_SWIZZLE ? chunk : chunk ^ row % 8) * CHUNK; }

// Brings 64 rows of one head, from `row0` on, into a tile; rows behind the last become zero.
__device__ void fetch(__half* tile, const __half* __restrict__ rows, int row0, int count) {
#pragma unroll
  for (int i = 0; i < 64 * CHUNKS / THREADS; ++i) {
    int at = i * THREADS + threadIdx.x;
    int r = at / CHUNKS, c = at % CHUNKS;
    bool inside = row0 + r < count;
    copy_async(tile + slot(r, c), inside ? rows + size_t(row0 + r) * D + c * CHUNK : rows, inside ? 16 : 0);
  }
}

// The four lanes of a quad hold one row between them.
__device__ float largest_of_row(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

__device__ float sum_of_row(float x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

__device__ unsigned pair(float low, float high) {
  __half2 both = __floats2half2_rn(low, high);
  return *reinterpret_cast<unsigned*>(&both);
}

template <bool CAUSAL>
__global__ void __launch_bounds__(THREADS)
    attention(const __half* __restrict__ Q, const __half* __restrict__ K, const __half* __restrict__ V,
              __half* __restrict__ O, int S) {
  __shared__ __align__(128) __half qs[QUERIES * D], ks[2][KEYS * D], vs[2][KEYS * D];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int query0 = blockIdx.x * QUERIES;
  size_t head = size_t(blockIdx.y) * S * D;
  Q += head, K += head, V += head, O += head;

  int keys = CAUSAL ? min(S, query0 + QUERIES) : S;
  int turns = (keys + KEYS - 1) / KEYS;
  fetch(qs, Q, query0, S);
  fetch(ks[0], K, 0, S);
  fetch(vs[0], V, 0, S);
  commit_copies();

  unsigned q[D / 16][4];
  float out[D / 8][4] = {};
  float best[2] = {-INFINITY, -INFINITY};  // of the lane's two rows, 8 apart
  float total[2] = {0.0f, 0.0f};

  for (int turn = 0; turn < turns; ++turn) {
    if (BROKEN != NO_WAIT) wait_for_copies<BROKEN == LATE_WAIT ? 1 : 0>();
    // This turn's keys have come for every thread, and every warp has used those before: their tiles are free.
    if (BROKEN != NO_BARRIER) __syncthreads();
    int use = turn % 2;
    if (turn + 1 < turns) {
      fetch(ks[1 - use], K, (turn + 1) * KEYS, S);
      fetch(vs[1 - use], V, (turn + 1) * KEYS, S);
      commit_copies();
    }

    if (turn == 0) {
#pragma unroll
      for (int i = 0; i < D / 16; ++i) {
        int row = BROKEN == WRONG_ROW ? lane % 8 + lane / 16 * 8 : lane % 16;
        load_matrices(q[i], qs + slot(warp * 16 + row, i * 2 + lane / 16));
      }
    }

    // Rows of K are columns of its transpose: matrices 0 and 1 are 8 keys and 16 channels, 2 and 3 the next 8 keys.
    float score[KEYS / 8][4] = {};
#pragma unroll
    for (int i = 0; i < D / 16; ++i) {
#pragma unroll
      for (int j = 0; j < KEYS / 16; ++j) {
        unsigned k[4];
        load_matrices(k, ks[use] + slot(j * 16 + lane / 16 * 8 + lane % 8, i * 2 + lane / 8 % 2));
        multiply_add(score[2 * j], q[i], k[0], k[1]);
        multiply_add(score[2 * j + 1], q[i], k[2], k[3]);
      }
    }

    // Key 0 is in the first turn and hidden from nobody, so `best` is finite from there on.
    int query = query0 + warp * 16 + lane / 4;
    float before[2] = {best[0], best[1]};
#pragma unroll
    for (int j = 0; j < KEYS / 8; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        int key = turn * KEYS + j * 8 + lane % 4 * 2 + e % 2;
        bool hidden = (BROKEN != NO_MASK && key >= S) || (CAUSAL && key > query + e / 2 * 8);
        score[j][e] = hidden ? -INFINITY : score[j][e] * SCALE;
        best[e / 2] = fmaxf(best[e / 2], score[j][e]);
      }
    }

    float shrink[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      best[h] = largest_of_row(best[h]);
      shrink[h] = exp2f(before[h] - best[h]);
      total[h] *= shrink[h];
    }
#pragma unroll
    for (int j = 0; j < D / 8; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        if (BROKEN != NO_RESCALE) out[j][e] *= shrink[e / 2];
      }
    }
#pragma unroll
    for (int j = 0; j < KEYS / 8; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        score[j][e] = exp2f(score[j][e] - best[e / 2]);
        total[e / 2] += score[j][e];
      }
    }

#pragma unroll
    for (int i = 0; i < KEYS / 16; ++i) {
      const float* left = score[2 * i];
      const float* right = score[2 * i + 1];
      unsigned p[4] = {pair(left[0], left[1]), pair(left[2], left[3]), pair(right[0], right[1]),
                       pair(right[2], right[3])};
#pragma unroll
      for (int j = 0; j < D / 16; ++j) {
        unsigned v[4];
        load_matrices_transposed(v, vs[use] + slot(i * 16 + lane % 16, j * 2 + lane / 16));
        multiply_add(out[2 * j], p, v[0], v[1]);
        multiply_add(out[2 * j + 1], p, v[2], v[3]);
      }
    }
  }

  // O goes through the tile of Q, where a warp reads and writes its own 16 rows only.
  __syncwarp();
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float scale = 1.0f / sum_of_row(total[h]);
#pragma unroll
    for (int j = 0; j < D / 8; ++j) {
      __half* to = qs + slot(warp * 16 + lane / 4 + h * 8, j) + lane % 4 * 2;
      *reinterpret_cast<__half2*>(to) = __floats2half2_rn(out[j][2 * h] * scale, out[j][2 * h + 1] * scale);
    }
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 16 * CHUNKS / 32; ++i) {
    int at = i * 32 + lane;
    int r = warp * 16 + at / CHUNKS, c = at % CHUNKS;
    uint4 chunk = *reinterpret_cast<const uint4*>(qs + slot(r, c));
    if (query0 + r < S) *reinterpret_cast<uint4*>(O + size_t(query0 + r) * D + c * CHUNK) = chunk;
  }
}
