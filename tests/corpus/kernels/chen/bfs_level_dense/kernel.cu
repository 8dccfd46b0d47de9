// One level of a breadth-first search on a dense adjacency matrix of bytes; one thread per vertex gathers its
// parents.

extern "C" __global__ void bfsLevel(const unsigned char* __restrict__ adjacency,
                                    const unsigned char* __restrict__ frontier,
                                    unsigned char* __restrict__ nextFrontier, int* __restrict__ levels,
                                    int numberOfVertices, int currentLevel) {
  int vertex = blockIdx.x * blockDim.x + threadIdx.x;

  if (vertex < numberOfVertices) {
    int isReached = 0;

    // Walk over all possible parents. The flag is the same for all threads, so that nobody diverges here.
    for (int parent = 0; parent < numberOfVertices; parent++) {
      if (frontier[parent] != 0) {
        // The lanes read neighbouring bytes of the parent's row.
        isReached |= adjacency[parent * numberOfVertices + vertex];
      }
    }

    // A vertex without a level that was reached gets the next one. Nobody else touches levels[vertex].
    int level = levels[vertex];
    bool isNew = isReached != 0 && level < 0;
    levels[vertex] = isNew ? currentLevel + 1 : level;
    nextFrontier[vertex] = isNew ? 1 : 0;
  }
}
