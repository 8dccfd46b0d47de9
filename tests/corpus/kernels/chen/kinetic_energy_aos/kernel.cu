// Kinetic energy of each particle. Bad: an array of structures, the lanes read fields that lie 28 bytes apart.

// One particle: seven floats, no padding.
struct Particle {
  float positionX, positionY, positionZ;
  float velocityX, velocityY, velocityZ;
  float mass;
};

// Returns half the mass times the squared speed.
__device__ float computeEnergy(float vx, float vy, float vz, float mass) {
  float squaredSpeed = vx * vx + vy * vy + vz * vz;
  return 0.5f * mass * squaredSpeed;
}

extern "C" __global__ void kineticEnergy(const Particle* __restrict__ particles, float* __restrict__ energies,
                                         int numberOfParticles) {
  int particleIndex = blockIdx.x * blockDim.x + threadIdx.x;

  // Boundary check.
  if (particleIndex < numberOfParticles) {
    float vx = particles[particleIndex].velocityX;  // defect: uncoalesced
    float vy = particles[particleIndex].velocityY;  // defect: uncoalesced
    float vz = particles[particleIndex].velocityZ;  // defect: uncoalesced
    float mass = particles[particleIndex].mass;     // defect: uncoalesced

    // Every thread writes its own result.
    energies[particleIndex] = computeEnergy(vx, vy, vz, mass);
  }
}
