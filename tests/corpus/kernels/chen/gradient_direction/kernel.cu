// Unit vector of the brightness gradient of each pixel, (0, 0) where there is none. Bad: the gradient is set to zero
// at the border of the image, and 0 / 0 gives not-a-number there.

extern "C" __global__ void gradientDirection(const float* __restrict__ image, float* __restrict__ directionX,
                                             float* __restrict__ directionY, int imageWidth, int imageHeight) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;

  if (x < imageWidth && y < imageHeight) {
    int pixelIndex = y * imageWidth + x;

    // Central differences need both neighbours: no gradient at the border.
    float gradientX = 0.0f;
    float gradientY = 0.0f;
    if (x > 0 && y > 0 && x < imageWidth - 1 && y < imageHeight - 1) {
      gradientX = image[pixelIndex + 1] - image[pixelIndex - 1];
      gradientY = image[pixelIndex + imageWidth] - image[pixelIndex - imageWidth];
    }

    // Normalise the gradient to length one.
    float gradientLength = sqrtf(gradientX * gradientX + gradientY * gradientY);
    float unitX = gradientX / gradientLength;  // defect: nan
    float unitY = gradientY / gradientLength;  // defect: nan

    directionX[pixelIndex] = unitX;
    directionY[pixelIndex] = unitY;
  }
}
// consequence: wrong-result
