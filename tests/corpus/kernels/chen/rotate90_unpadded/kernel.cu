// Rotates an image by 90 degrees clockwise through a shared tile. Bad: the tile has no padding, columns share one
// bank.

#define TILE 32
#define BLOCK_ROWS 8

extern "C" __global__ void rotateClockwise(const float* __restrict__ inputImage, float* __restrict__ rotatedImage,
                                           int imageWidth, int imageHeight) {
  __shared__ float tile[TILE][TILE];

  int tileStartX = blockIdx.x * TILE;
  int tileStartY = blockIdx.y * TILE;

  // Read the tile row by row.
  for (int step = 0; step < TILE; step += BLOCK_ROWS) {
    int sourceX = tileStartX + threadIdx.x;
    int sourceY = tileStartY + threadIdx.y + step;
    if (sourceX < imageWidth && sourceY < imageHeight) {
      tile[threadIdx.y + step][threadIdx.x] = inputImage[sourceY * imageWidth + sourceX];
    }
  }

  // The whole tile must be there before it is read the other way round.
  __syncthreads();

  // The rotated image has imageWidth rows of imageHeight pixels: pixel (x, y) goes to row x, column height - 1 - y.
  for (int step = 0; step < TILE; step += BLOCK_ROWS) {
    int sourceX = tileStartX + threadIdx.y + step;
    int sourceY = tileStartY + threadIdx.x;
    if (sourceX < imageWidth && sourceY < imageHeight) {
      float pixelValue = tile[threadIdx.x][threadIdx.y + step];  // defect: bank-conflict
      int targetColumn = imageHeight - 1 - sourceY;
      rotatedImage[sourceX * imageHeight + targetColumn] = pixelValue;
    }
  }
}
