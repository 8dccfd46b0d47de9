// 3x3 Gaussian filter from a shared tile with halo. Bad: the four corners of the halo are never loaded, but read.

#define TILE_WIDTH 32
#define TILE_HEIGHT 8

// Keeps a coordinate inside the image.
__device__ int clampCoordinate(int coordinate, int size) { return min(max(coordinate, 0), size - 1); }

extern "C" __global__ void gaussianFilter(const float* __restrict__ inputImage, float* __restrict__ outputImage,
                                          int imageWidth, int imageHeight) {
  __shared__ float imageTile[TILE_HEIGHT + 2][TILE_WIDTH + 2];

  const float weights[3] = {0.25f, 0.5f, 0.25f};

  int localX = threadIdx.x + 1;
  int localY = threadIdx.y + 1;
  int globalX = blockIdx.x * TILE_WIDTH + threadIdx.x;
  int globalY = blockIdx.y * TILE_HEIGHT + threadIdx.y;
  int centreX = clampCoordinate(globalX, imageWidth);
  int centreY = clampCoordinate(globalY, imageHeight);

  // Load the centre of the tile.
  imageTile[localY][localX] = inputImage[centreY * imageWidth + centreX];

  // Load the halo: left and right columns.
  if (threadIdx.x == 0) {
    imageTile[localY][0] = inputImage[centreY * imageWidth + clampCoordinate(globalX - 1, imageWidth)];
  }
  if (threadIdx.x == TILE_WIDTH - 1) {
    imageTile[localY][TILE_WIDTH + 1] = inputImage[centreY * imageWidth + clampCoordinate(globalX + 1, imageWidth)];
  }

  // Load the halo: upper and lower rows.
  if (threadIdx.y == 0) {
    imageTile[0][localX] = inputImage[clampCoordinate(globalY - 1, imageHeight) * imageWidth + centreX];
  }
  if (threadIdx.y == TILE_HEIGHT - 1) {
    imageTile[TILE_HEIGHT + 1][localX] = inputImage[clampCoordinate(globalY + 1, imageHeight) * imageWidth + centreX];
  }

  __syncthreads();

  if (globalX < imageWidth && globalY < imageHeight) {
    float weightedSum = 0.0f;
#pragma unroll
    for (int offsetY = -1; offsetY <= 1; offsetY++) {
#pragma unroll
      for (int offsetX = -1; offsetX <= 1; offsetX++) {
        float neighbour = imageTile[localY + offsetY][localX + offsetX];  // defect: uninitialised-shared
        weightedSum += weights[offsetY + 1] * weights[offsetX + 1] * neighbour;
      }
    }
    outputImage[globalY * imageWidth + globalX] = weightedSum;
  }
}
// consequence: wrong-result
// consequence: nan
