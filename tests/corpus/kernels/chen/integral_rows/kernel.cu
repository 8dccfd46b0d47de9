// Row-wise prefix sums of a byte image (first half of an integral image): one block per row, chunks of 256 with a
// carry.

#define CHUNK 256

extern "C" __global__ void integralRows(const unsigned char* __restrict__ image, int* __restrict__ rowSums,
                                        int imageWidth) {
  // Two buffers: each step reads one and writes the other one.
  __shared__ int buffers[2][CHUNK];

  int row = blockIdx.x;
  int threadId = threadIdx.x;
  int carry = 0;  // sum of all chunks before this one, equal in all threads

  for (int chunkStart = 0; chunkStart < imageWidth; chunkStart += CHUNK) {
    int column = chunkStart + threadId;

    // Load; columns behind the end count as zero.
    int pixelValue = 0;
    if (column < imageWidth) {
      pixelValue = image[row * imageWidth + column];
    }
    int source = 0;
    buffers[source][threadId] = pixelValue;
    __syncthreads();

    // Hillis-Steele scan.
    for (int offset = 1; offset < CHUNK; offset *= 2) {
      int value = buffers[source][threadId];
      if (threadId >= offset) {
        value += buffers[source][threadId - offset];
      }
      buffers[1 - source][threadId] = value;
      source = 1 - source;
      __syncthreads();
    }

    // Write the result, only where there is a pixel.
    if (column < imageWidth) {
      rowSums[row * imageWidth + column] = carry + buffers[source][threadId];
    }

    // Everybody takes the total of the chunk; the buffers may be reused only after that.
    carry += buffers[source][CHUNK - 1];
    __syncthreads();
  }
}
