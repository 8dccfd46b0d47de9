// C = alpha * A * B + beta * C with 16x16 tiles; the loads are guarded, the barriers are reached by all threads.

#define TILE 16

struct ScalingFactors {
  float alpha;
  float beta;
};

// Loads one element of a row-major matrix, or zero outside of it.
__device__ float loadOrZero(const float* matrix, int row, int column, int numberOfRows, int numberOfColumns) {
  if (row < numberOfRows && column < numberOfColumns) {
    return matrix[row * numberOfColumns + column];
  }
  return 0.0f;
}

extern "C" __global__ void scaledMatrixMultiply(const float* __restrict__ matrixA, const float* __restrict__ matrixB,
                                                float* matrixC, int rowsA, int columnsB, int innerSize,
                                                ScalingFactors scaling) {
  __shared__ float tileA[TILE][TILE];
  __shared__ float tileB[TILE][TILE];

  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int column = blockIdx.x * TILE + tx;

  float accumulator = 0.0f;
  int numberOfTiles = (innerSize + TILE - 1) / TILE;

  for (int tileIndex = 0; tileIndex < numberOfTiles; tileIndex++) {
    // Load one tile of each matrix; elements outside are zero and add nothing.
    tileA[ty][tx] = loadOrZero(matrixA, row, tileIndex * TILE + tx, rowsA, innerSize);
    tileB[ty][tx] = loadOrZero(matrixB, tileIndex * TILE + ty, column, innerSize, columnsB);
    __syncthreads();  // both tiles are complete

    for (int k = 0; k < TILE; k++) {
      accumulator += tileA[ty][k] * tileB[k][tx];
    }
    __syncthreads();  // nobody needs the tiles any more
  }

  // Only threads inside the matrix write, and each element has one owner.
  if (row < rowsA && column < columnsB) {
    int outputIndex = row * columnsB + column;
    matrixC[outputIndex] = scaling.alpha * accumulator + scaling.beta * matrixC[outputIndex];
  }
}
