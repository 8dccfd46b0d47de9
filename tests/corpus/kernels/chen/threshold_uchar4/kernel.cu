// Thresholds a byte image, four pixels per thread as uchar4. Bad: rows of a width that is no multiple of four do not
// start at four-byte boundaries, and the cast is misaligned there.

#define PIXELS_PER_THREAD 4

// White for bright pixels, black for dark ones.
__device__ unsigned char applyThreshold(unsigned char value, int threshold) {
  if (value >= threshold) {
    return 255;
  }
  return 0;
}

extern "C" __global__ void thresholdImage(const unsigned char* __restrict__ inputImage,
                                          unsigned char* __restrict__ binaryImage, int imageWidth, int imageHeight,
                                          int threshold) {
  int firstX = (blockIdx.x * blockDim.x + threadIdx.x) * PIXELS_PER_THREAD;
  int y = blockIdx.y * blockDim.y + threadIdx.y;

  if (y < imageHeight) {
    int firstIndex = y * imageWidth + firstX;

    if (firstX + PIXELS_PER_THREAD <= imageWidth) {
      // Fast path: all four pixels are inside the row.
      uchar4 pixels = *reinterpret_cast<const uchar4*>(inputImage + firstIndex);  // defect: misaligned
      uchar4 result;
      result.x = applyThreshold(pixels.x, threshold);
      result.y = applyThreshold(pixels.y, threshold);
      result.z = applyThreshold(pixels.z, threshold);
      result.w = applyThreshold(pixels.w, threshold);
      *reinterpret_cast<uchar4*>(binaryImage + firstIndex) = result;  // defect-also: misaligned
    } else {
      // Slow path: the remaining pixels of the row, one by one.
      for (int x = firstX; x < imageWidth; x++) {
        binaryImage[y * imageWidth + x] = applyThreshold(inputImage[y * imageWidth + x], threshold);
      }
    }
  }
}
// consequence: wrong-result
// consequence: unwritten
