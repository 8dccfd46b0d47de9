// Mean of each column of a half-precision matrix, one thread per column. Bad: the sum is kept in half precision too,
// which has no digits left for the small addends once the sum is large.

#include <cuda_fp16.h>

extern "C" __global__ void columnMean(const __half* __restrict__ matrix, float* __restrict__ columnMeans,
                                      int numberOfRows, int numberOfColumns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;

  if (column < numberOfColumns) {
    // Walk down the column; the lanes of a warp read neighbouring elements.
    __half columnSum = __float2half(0.0f);
    for (int row = 0; row < numberOfRows; row++) {
      __half element = matrix[row * numberOfColumns + column];
      columnSum = __hadd(columnSum, element);  // defect: imprecise
    }

    // Divide by the number of rows in single precision.
    columnMeans[column] = __half2float(columnSum) / (float)numberOfRows;
  }
}
// consequence: wrong-result
