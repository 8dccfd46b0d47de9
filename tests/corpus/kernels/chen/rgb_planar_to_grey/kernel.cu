// Converts a planar RGB image (three byte planes) to grey with integer weights, one thread per pixel, 32x8 blocks.

#define BLOCK_WIDTH 32
#define BLOCK_HEIGHT 8
#define NUMBER_OF_CHANNELS 3

// Returns the weight of one colour channel, scaled by 256.
__device__ int getChannelWeight(int channel) {
  switch (channel) {
    case 0:
      return 77;  // red
    case 1:
      return 150;  // green
    case 2:
      return 29;  // blue
    default:
      return 0;
  }
}

extern "C" __global__ void rgbPlanarToGrey(const unsigned char* __restrict__ colourImage,
                                           unsigned char* __restrict__ greyImage, int imageWidth, int imageHeight) {
  // Step 1: find the pixel of this thread.
  int pixelX = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
  int pixelY = blockIdx.y * BLOCK_HEIGHT + threadIdx.y;

  // Step 2: check the boundaries.
  if (pixelX < imageWidth && pixelY < imageHeight) {
    int planeSize = imageWidth * imageHeight;
    int pixelIndex = pixelY * imageWidth + pixelX;

    // Step 3: weighted sum over the channels; 128 rounds to nearest.
    int weightedSum = 128;
    for (int channel = 0; channel < NUMBER_OF_CHANNELS; channel++) {
      int channelValue = colourImage[channel * planeSize + pixelIndex];
      weightedSum += getChannelWeight(channel) * channelValue;
    }

    // Step 4: write the grey value. 256 * 255 + 128 still gives 255 after the shift.
    greyImage[pixelIndex] = (unsigned char)(weightedSum >> 8);
  }
}
