// One time step of the 2-D wave equation; the field of the previous step is replaced by the next one, by its owner
// only.

struct WaveParameters {
  float courantSquared;  // (c * dt / dx)^2
  float damping;         // factor on the velocity term
};

extern "C" __global__ void waveStep(const float* __restrict__ currentField, float* __restrict__ previousField,
                                    int gridWidth, int gridHeight, WaveParameters parameters) {
  int cellX = blockIdx.x * blockDim.x + threadIdx.x;
  int cellY = blockIdx.y * blockDim.y + threadIdx.y;

  // Guard against cells outside the grid.
  if (cellX >= gridWidth || cellY >= gridHeight) {
    return;
  }

  int cellIndex = cellY * gridWidth + cellX;

  // The membrane is fixed at its border.
  float nextValue = 0.0f;
  bool isInterior = cellX > 0 && cellX < gridWidth - 1 && cellY > 0 && cellY < gridHeight - 1;
  if (isInterior) {
    float centreValue = currentField[cellIndex];
    float leftValue = currentField[cellIndex - 1];
    float rightValue = currentField[cellIndex + 1];
    float upperValue = currentField[cellIndex - gridWidth];
    float lowerValue = currentField[cellIndex + gridWidth];
    float laplacian = leftValue + rightValue + upperValue + lowerValue - 4.0f * centreValue;

    // Nobody else reads or writes this cell of the previous field, so that it can be overwritten below.
    float oldValue = previousField[cellIndex];
    nextValue = centreValue + parameters.damping * (centreValue - oldValue) + parameters.courantSquared * laplacian;
  }

  previousField[cellIndex] = nextValue;
}
