// k-means update: sums of coordinates and number of points per cluster. Bad: the counter is incremented without an
// atomic.

struct ClusterSettings {
  int numberOfPoints;
  int numberOfClusters;
};

extern "C" __global__ void accumulateClusters(const int* __restrict__ pointX, const int* __restrict__ pointY,
                                              const int* __restrict__ labels, int* sumX, int* sumY, int* clusterSize,
                                              int numberOfPoints, int numberOfClusters) {
  ClusterSettings settings;
  settings.numberOfPoints = numberOfPoints;
  settings.numberOfClusters = numberOfClusters;

  int pointIndex = blockIdx.x * blockDim.x + threadIdx.x;
  if (pointIndex < settings.numberOfPoints) {
    int label = labels[pointIndex];

    // Ignore points without a valid label.
    if (label >= 0 && label < settings.numberOfClusters) {
      // Add the coordinates (whole numbers) to the sums of the cluster.
      atomicAdd(&sumX[label], pointX[pointIndex]);
      atomicAdd(&sumY[label], pointY[pointIndex]);
      // One more point in this cluster.
      clusterSize[label] += 1;  // defect: race-global
    }
  }
}
// consequence: wrong-result
