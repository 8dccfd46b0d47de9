// Sobel gradient magnitude with clamped borders. Bad: the row below is clamped to height, not height - 1, so that the
// last row of the image reads a row behind its end.

// Limits a value to 0 .. largest.
__device__ int limitTo(int value, int largest) {
  if (value < 0) {
    return 0;
  }
  if (value > largest) {
    return largest;
  }
  return value;
}

extern "C" __global__ void sobelFilter(const float* __restrict__ image, float* __restrict__ magnitude, int imageWidth,
                                       int imageHeight) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;

  if (x < imageWidth && y < imageHeight) {
    // Neighbouring columns and rows.
    int left = limitTo(x - 1, imageWidth - 1);
    int right = limitTo(x + 1, imageWidth - 1);
    int above = limitTo(y - 1, imageHeight - 1);
    int below = limitTo(y + 1, imageHeight);

    // Row above.
    float aboveLeft = image[above * imageWidth + left];
    float aboveCentre = image[above * imageWidth + x];
    float aboveRight = image[above * imageWidth + right];
    // Same row; the pixel itself has weight zero.
    float sameLeft = image[y * imageWidth + left];
    float sameRight = image[y * imageWidth + right];
    // Row below.
    float belowLeft = image[below * imageWidth + left];   // defect: out-of-bounds-global
    float belowCentre = image[below * imageWidth + x];    // defect: out-of-bounds-global
    float belowRight = image[below * imageWidth + right];  // defect: out-of-bounds-global

    // Horizontal and vertical derivatives.
    float gradientX = (aboveRight + 2.0f * sameRight + belowRight) - (aboveLeft + 2.0f * sameLeft + belowLeft);
    float gradientY = (belowLeft + 2.0f * belowCentre + belowRight) - (aboveLeft + 2.0f * aboveCentre + aboveRight);

    magnitude[y * imageWidth + x] = sqrtf(gradientX * gradientX + gradientY * gradientY);
  }
}
// consequence: wrong-result
// consequence: nan
