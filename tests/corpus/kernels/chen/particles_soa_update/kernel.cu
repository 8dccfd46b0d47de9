// Moves particles around an attractor at the origin; structure of arrays, each thread updates its own particle in
// place.

struct SimulationParameters {
  float timeStep;
  float attraction;
  float softening;
  float damping;
};

// Computes the factor of the acceleration: -attraction / (r^2 + softening)^(3/2).
__device__ float computeAccelerationFactor(float x, float y, float z, SimulationParameters parameters) {
  float distanceSquared = x * x + y * y + z * z + parameters.softening;
  float inverseDistance = rsqrtf(distanceSquared);
  return -parameters.attraction * inverseDistance * inverseDistance * inverseDistance;
}

extern "C" __global__ void updateParticles(float* positionX, float* positionY, float* positionZ, float* velocityX,
                                           float* velocityY, float* velocityZ, int numberOfParticles,
                                           SimulationParameters parameters) {
  int particleIndex = blockIdx.x * blockDim.x + threadIdx.x;

  if (particleIndex < numberOfParticles) {
    // Load the state of the particle into registers.
    float x = positionX[particleIndex];
    float y = positionY[particleIndex];
    float z = positionZ[particleIndex];
    float vx = velocityX[particleIndex];
    float vy = velocityY[particleIndex];
    float vz = velocityZ[particleIndex];

    // Update the velocity first (semi-implicit Euler).
    float factor = computeAccelerationFactor(x, y, z, parameters) * parameters.timeStep;
    vx = (vx + factor * x) * parameters.damping;
    vy = (vy + factor * y) * parameters.damping;
    vz = (vz + factor * z) * parameters.damping;

    // Write everything back.
    velocityX[particleIndex] = vx;
    velocityY[particleIndex] = vy;
    velocityZ[particleIndex] = vz;
    positionX[particleIndex] = x + vx * parameters.timeStep;
    positionY[particleIndex] = y + vy * parameters.timeStep;
    positionZ[particleIndex] = z + vz * parameters.timeStep;
  }
}
