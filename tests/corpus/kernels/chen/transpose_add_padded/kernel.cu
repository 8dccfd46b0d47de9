// out = transpose(A) + B through a 32x33 shared tile; the blocks are 32x8, each thread handles four rows.

#define TILE 32
#define BLOCK_ROWS 8

extern "C" __global__ void transposeAdd(const float* __restrict__ matrixA, const float* __restrict__ matrixB,
                                        float* __restrict__ outputMatrix, int rowsA, int columnsA) {
  // The additional column keeps the column-wise reads free of bank conflicts.
  __shared__ float tile[TILE][TILE + 1];

  // Load: the lanes run along a row of A.
  int columnA = blockIdx.x * TILE + threadIdx.x;
  int firstRowA = blockIdx.y * TILE + threadIdx.y;
  for (int step = 0; step < TILE; step += BLOCK_ROWS) {
    int rowA = firstRowA + step;
    if (rowA < rowsA && columnA < columnsA) {
      tile[threadIdx.y + step][threadIdx.x] = matrixA[rowA * columnsA + columnA];
    }
  }

  __syncthreads();

  // Store: the lanes run along a row of the output, which is a column of the tile.
  int outputColumn = blockIdx.y * TILE + threadIdx.x;
  int firstOutputRow = blockIdx.x * TILE + threadIdx.y;
  for (int step = 0; step < TILE; step += BLOCK_ROWS) {
    int outputRow = firstOutputRow + step;
    if (outputRow < columnsA && outputColumn < rowsA) {
      int outputIndex = outputRow * rowsA + outputColumn;
      float transposedValue = tile[threadIdx.x][threadIdx.y + step];
      outputMatrix[outputIndex] = transposedValue + matrixB[outputIndex];
    }
  }
}
