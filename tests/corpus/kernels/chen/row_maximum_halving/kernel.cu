// Maximum of each row, one block per row, tree reduction in shared memory. Bad: the active length is halved rounding
// down, so that the last element of an odd length gets lost. Right for powers of two.

#define MAXIMUM_COLUMNS 128

extern "C" __global__ void rowMaximum(const float* __restrict__ matrix, float* __restrict__ rowMaxima,
                                      int numberOfColumns) {
  __shared__ float rowValues[MAXIMUM_COLUMNS];

  int row = blockIdx.x;
  int column = threadIdx.x;

  // Load the row; threads behind its end have nothing to do, but wait at every barrier.
  if (column < numberOfColumns) {
    rowValues[column] = matrix[row * numberOfColumns + column];
  }
  __syncthreads();

  // Halve the number of values until one is left.
  for (int half = numberOfColumns / 2; half > 0; half = half / 2) {  // defect: wrong-result
    if (column < half) {
      rowValues[column] = fmaxf(rowValues[column], rowValues[column + half]);
    }
    __syncthreads();
  }

  // The first thread writes the result.
  if (column == 0) {
    rowMaxima[row] = rowValues[0];
  }
}
