// Whole kernels of CUB's device algorithms, instantiated from its headers. Ours are only the tuning numbers, chosen so
// that a small input has several tiles and several blocks look back at each other.
#include <cub/device/dispatch/kernels/kernel_radix_sort.cuh>
#include <cub/device/dispatch/kernels/kernel_reduce.cuh>
#include <cub/device/dispatch/kernels/kernel_scan.cuh>

using Capability = cuda::compute_capability;
constexpr cub::LookbackDelayPolicy DELAY{cub::LookbackDelayAlgorithm::fixed_delay, 350, 450};

template <int THREADS, int ITEMS, int VECTOR>
struct ReduceTuning {
  __host__ __device__ constexpr cub::ReducePolicy operator()(Capability) const {
    const cub::ReducePassPolicy pass{THREADS, ITEMS, VECTOR, cub::BLOCK_REDUCE_WARP_REDUCTIONS, cub::LOAD_DEFAULT};
    return {pass, pass};
  }
};

template <int THREADS, int ITEMS, cub::BlockScanAlgorithm HOW>
struct ScanTuning {
  __host__ __device__ constexpr cub::ScanPolicy operator()(Capability) const {
    return {cub::ScanAlgorithm::lookback,
            {THREADS, ITEMS, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::LOAD_DEFAULT, cub::BLOCK_STORE_WARP_TRANSPOSE, HOW, DELAY},
            {}};
  }
};

struct SortTuning {
  __host__ __device__ constexpr cub::RadixSortPolicy operator()(Capability) const {
    cub::RadixSortPolicy policy{};
    policy.algorithm = cub::RadixSortAlgorithm::onesweep;
    policy.histogram = {64, 3, 1, 5};
    policy.exclusive_sum = {32, 5};
    policy.onesweep = {96, 3, cub::RADIX_SORT_STORE_DIRECT, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
                       cub::BLOCK_SCAN_WARP_SCANS, 1, 5};
    policy.single_tile = {64, 3, cub::BLOCK_LOAD_DIRECT, cub::LOAD_DEFAULT, cub::RADIX_RANK_MEMOIZE,
                          cub::BLOCK_SCAN_WARP_SCANS, 4};
    return policy;
  }
};

// Sixteen bytes: CUB keeps status and value of such a tile apart and orders them by fences.
struct Pair {
  long long sum, count;
  __device__ Pair operator+(const Pair& other) const { return {sum + other.sum, count + other.count}; }
};
