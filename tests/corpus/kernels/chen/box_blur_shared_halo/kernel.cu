// 3x3 box blur with clamped borders from a shared tile; the halo is loaded in several guarded passes before one
// barrier.

#define TILE_WIDTH 32
#define TILE_HEIGHT 8

// Keeps a coordinate inside 0 .. size - 1.
__device__ int clampCoordinate(int coordinate, int size) {
  if (coordinate < 0) {
    return 0;
  }
  if (coordinate >= size) {
    return size - 1;
  }
  return coordinate;
}

extern "C" __global__ void boxBlur(const float* __restrict__ inputImage, float* __restrict__ outputImage,
                                   int imageWidth, int imageHeight) {
  // The tile has one extra pixel on each side.
  __shared__ float imageTile[TILE_HEIGHT + 2][TILE_WIDTH + 2];

  int localX = threadIdx.x;
  int localY = threadIdx.y;
  int globalX = blockIdx.x * TILE_WIDTH + localX;
  int globalY = blockIdx.y * TILE_HEIGHT + localY;

  // Clamped coordinates: every thread of the block loads something valid, even beyond the image.
  int centreX = clampCoordinate(globalX, imageWidth);
  int centreY = clampCoordinate(globalY, imageHeight);
  int leftX = clampCoordinate(globalX - 1, imageWidth);
  int rightX = clampCoordinate(globalX + 1, imageWidth);
  int aboveY = clampCoordinate(globalY - 1, imageHeight);
  int belowY = clampCoordinate(globalY + 1, imageHeight);

  // Pass 1: the centre of the tile.
  imageTile[localY + 1][localX + 1] = inputImage[centreY * imageWidth + centreX];

  // Pass 2: the row above and its two corners.
  if (localY == 0) {
    imageTile[0][localX + 1] = inputImage[aboveY * imageWidth + centreX];
    if (localX == 0) {
      imageTile[0][0] = inputImage[aboveY * imageWidth + leftX];
    }
    if (localX == TILE_WIDTH - 1) {
      imageTile[0][TILE_WIDTH + 1] = inputImage[aboveY * imageWidth + rightX];
    }
  }

  // Pass 3: the row below and its two corners.
  if (localY == TILE_HEIGHT - 1) {
    imageTile[TILE_HEIGHT + 1][localX + 1] = inputImage[belowY * imageWidth + centreX];
    if (localX == 0) {
      imageTile[TILE_HEIGHT + 1][0] = inputImage[belowY * imageWidth + leftX];
    }
    if (localX == TILE_WIDTH - 1) {
      imageTile[TILE_HEIGHT + 1][TILE_WIDTH + 1] = inputImage[belowY * imageWidth + rightX];
    }
  }

  // Pass 4: the columns at the left and at the right.
  if (localX == 0) {
    imageTile[localY + 1][0] = inputImage[centreY * imageWidth + leftX];
  }
  if (localX == TILE_WIDTH - 1) {
    imageTile[localY + 1][TILE_WIDTH + 1] = inputImage[centreY * imageWidth + rightX];
  }

  // All threads reach this barrier, also those outside the image.
  __syncthreads();

  if (globalX < imageWidth && globalY < imageHeight) {
    float neighbourSum = 0.0f;
    for (int offsetY = 0; offsetY < 3; offsetY++) {
      for (int offsetX = 0; offsetX < 3; offsetX++) {
        neighbourSum += imageTile[localY + offsetY][localX + offsetX];
      }
    }
    outputImage[globalY * imageWidth + globalX] = neighbourSum / 9.0f;
  }
}
