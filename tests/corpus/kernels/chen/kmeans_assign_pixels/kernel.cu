// k-means assignment: each pixel of a planar float image gets the number of its nearest of 8 cluster centres.

#define NUMBER_OF_CLUSTERS 8
#define NUMBER_OF_CHANNELS 3

extern "C" __global__ void assignClusters(const float* __restrict__ planarImage,
                                          const float* __restrict__ clusterCentres, int* __restrict__ assignment,
                                          int imageWidth, int imageHeight) {
  __shared__ float centres[NUMBER_OF_CLUSTERS][NUMBER_OF_CHANNELS];

  // The first 24 threads of the block copy the centres.
  int threadNumber = threadIdx.y * blockDim.x + threadIdx.x;
  if (threadNumber < NUMBER_OF_CLUSTERS * NUMBER_OF_CHANNELS) {
    centres[threadNumber / NUMBER_OF_CHANNELS][threadNumber % NUMBER_OF_CHANNELS] = clusterCentres[threadNumber];
  }
  __syncthreads();

  int pixelX = blockIdx.x * blockDim.x + threadIdx.x;
  int pixelY = blockIdx.y * blockDim.y + threadIdx.y;
  if (pixelX < imageWidth && pixelY < imageHeight) {
    int pixelIndex = pixelY * imageWidth + pixelX;
    int planeSize = imageWidth * imageHeight;

    // Read the channels once.
    float pixel[NUMBER_OF_CHANNELS];
#pragma unroll
    for (int channel = 0; channel < NUMBER_OF_CHANNELS; channel++) {
      pixel[channel] = planarImage[channel * planeSize + pixelIndex];
    }

    // Compare with each centre; every lane reads the same shared word (a broadcast).
    int bestCluster = 0;
    float bestDistance = 3.0e38f;
    for (int cluster = 0; cluster < NUMBER_OF_CLUSTERS; cluster++) {
      float distance = 0.0f;
#pragma unroll
      for (int channel = 0; channel < NUMBER_OF_CHANNELS; channel++) {
        float difference = pixel[channel] - centres[cluster][channel];
        distance += difference * difference;
      }
      // "Less than" keeps the first of equally distant centres.
      if (distance < bestDistance) {
        bestDistance = distance;
        bestCluster = cluster;
      }
    }
    assignment[pixelIndex] = bestCluster;
  }
}
