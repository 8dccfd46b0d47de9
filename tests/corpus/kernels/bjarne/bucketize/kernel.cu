// Bucket of each value by binary search in up to 32 sorted edges: how many edges are not above it. Bad: for a value that
// equals an edge neither bound of the search moves, and the loop does not end.
// consequence: unwritten
// consequence: wrong-result
namespace search {

constexpr int kMaxEdges = 32;

template <typename T>
struct Edges {
  const volatile T* data;
  int count;

  __device__ int bucket(T value) const {
    int lo = 0, hi = count;
    while (lo < hi) {  // defect: endless
      const int mid = (lo + hi) / 2;
      const T edge = data[mid];
      if (edge < value)
        lo = mid + 1;
      else if (edge > value)
        hi = mid;
    }
    return lo;
  }
};

template <typename T>
__global__ void __launch_bounds__(128)
    bucketize(const T* __restrict__ values, const T* __restrict__ edges, int* __restrict__ buckets, int n, int count) {
  __shared__ T table[kMaxEdges];
  if (threadIdx.x < count) table[threadIdx.x] = edges[threadIdx.x];
  __syncthreads();

  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) buckets[i] = Edges<T>{table, count}.bucket(values[i]);
}

}  // namespace search
