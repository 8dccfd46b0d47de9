// 3x3 median filter of a float image with clamped borders, by a network of nineteen minimum/maximum exchanges.

#define WINDOW 9

// Reads a pixel, clamping the coordinates to the image.
__device__ float readClamped(const float* image, int x, int y, int width, int height) {
  x = min(max(x, 0), width - 1);
  y = min(max(y, 0), height - 1);
  return image[y * width + x];
}

// Puts the smaller value into the first place.
__device__ void sortPair(float& first, float& second) {
  float smaller = fminf(first, second);
  float larger = fmaxf(first, second);
  first = smaller;
  second = larger;
}

extern "C" __global__ void medianFilter(const float* __restrict__ inputImage, float* __restrict__ outputImage,
                                        int imageWidth, int imageHeight) {
  int pixelX = blockIdx.x * blockDim.x + threadIdx.x;
  int pixelY = blockIdx.y * blockDim.y + threadIdx.y;

  if (pixelX < imageWidth && pixelY < imageHeight) {
    // Collect the window.
    float window[WINDOW];
#pragma unroll
    for (int i = 0; i < WINDOW; i++) {
      window[i] = readClamped(inputImage, pixelX + i % 3 - 1, pixelY + i / 3 - 1, imageWidth, imageHeight);
    }

    // Sort the window as far as it is needed for its middle element.
    sortPair(window[1], window[2]);
    sortPair(window[4], window[5]);
    sortPair(window[7], window[8]);
    sortPair(window[0], window[1]);
    sortPair(window[3], window[4]);
    sortPair(window[6], window[7]);
    sortPair(window[1], window[2]);
    sortPair(window[4], window[5]);
    sortPair(window[7], window[8]);
    sortPair(window[0], window[3]);
    sortPair(window[5], window[8]);
    sortPair(window[4], window[7]);
    sortPair(window[3], window[6]);
    sortPair(window[1], window[4]);
    sortPair(window[2], window[5]);
    sortPair(window[4], window[7]);
    sortPair(window[4], window[2]);
    sortPair(window[6], window[4]);
    sortPair(window[4], window[2]);

    outputImage[pixelY * imageWidth + pixelX] = window[4];
  }
}
