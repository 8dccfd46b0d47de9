// Distance of each query point to its nearest data point, brute force over shared tiles. Bad: no barrier before a
// tile is overwritten, a fast warp replaces it while a slow one still reads.

#define POINTS_PER_TILE 128

// Squared distance of two points of the plane.
__device__ float squaredDistance(float2 first, float2 second) {
  float differenceX = first.x - second.x;
  float differenceY = first.y - second.y;
  return differenceX * differenceX + differenceY * differenceY;
}

extern "C" __global__ void nearestDistance(const float2* __restrict__ queryPoints,
                                           const float2* __restrict__ dataPoints, float* __restrict__ distances,
                                           int numberOfQueries, int numberOfData) {
  __shared__ float2 tile[POINTS_PER_TILE];

  int threadId = threadIdx.x;
  int queryIndex = blockIdx.x * POINTS_PER_TILE + threadId;

  // Threads without a query still help with loading.
  float2 myPoint = make_float2(0.0f, 0.0f);
  if (queryIndex < numberOfQueries) {
    myPoint = queryPoints[queryIndex];
  }

  float smallestSquare = 3.0e38f;
  for (int tileStart = 0; tileStart < numberOfData; tileStart += POINTS_PER_TILE) {
    // Load one tile of data points.
    if (tileStart + threadId < numberOfData) {
      tile[threadId] = dataPoints[tileStart + threadId];  // defect: race-shared
    }
    __syncthreads();

    // The last tile may be smaller.
    int pointsInTile = min(POINTS_PER_TILE, numberOfData - tileStart);
    for (int i = 0; i < pointsInTile; i++) {
      float2 dataPoint = tile[i];  // defect-also: race-shared
      smallestSquare = fminf(smallestSquare, squaredDistance(myPoint, dataPoint));
    }
  }

  if (queryIndex < numberOfQueries) {
    distances[queryIndex] = sqrtf(smallestSquare);
  }
}
// consequence: wrong-result
