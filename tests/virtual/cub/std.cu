// libcu++, and the parts of Thrust that device code can use without a launch.
#include <cuda/atomic>
#include <cuda/cmath>
#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

// Every order and scope on one counter each: sums, extremes and bits of all threads.
__global__ void atomics(const unsigned* in, unsigned long long* sum, unsigned* high, unsigned* bits, float* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*sum).fetch_add(in[i], cuda::memory_order_acq_rel);
  cuda::atomic_ref<unsigned, cuda::thread_scope_system>(*high).fetch_max(in[i], cuda::memory_order_seq_cst);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*bits).fetch_xor(in[i], cuda::memory_order_relaxed);
  cuda::atomic_ref<float, cuda::thread_scope_device>(*total).fetch_add(static_cast<float>(in[i] & 7), cuda::memory_order_release);
}

// The last block adds what all blocks left; the ticket orders their stores before its loads.
__global__ void last_block(const int* in, int* partial, unsigned* ticket, int* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> sum;
  __shared__ bool last;
  if (threadIdx.x == 0) sum.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  sum.fetch_add(in[blockIdx.x * blockDim.x + threadIdx.x], cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum.load(cuda::memory_order_relaxed);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*ticket);
    last = count.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    const cuda::std::span<const int> all(partial, gridDim.x);
    *out = cuda::std::accumulate(all.begin(), all.end(), 0);
  }
}

// A lock by compare-and-exchange around an ordinary counter; one thread per block takes it.
__global__ void lock(unsigned* word, int* counter) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> guard(*word);
  unsigned free = 0;
  while (!guard.compare_exchange_weak(free, 1u, cuda::memory_order_acquire, cuda::memory_order_relaxed)) free = 0;
  *counter += 1;
  guard.store(0, cuda::memory_order_release);
}

__global__ void complex_product(const float2* a, const float2* b, float2* out) {
  using Complex = cuda::std::complex<float>;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Complex product = Complex(a[i].x, a[i].y) * Complex(b[i].x, b[i].y) + cuda::std::conj(Complex(a[i].x, a[i].y));
  out[i] = make_float2(product.real(), product.imag());
}

struct Square {
  int side;
};

// Small types of the library, all on one value per thread.
__global__ void vocabulary(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::std::optional<int> even;
  if (in[i] % 2 == 0) even = in[i] / 2;
  cuda::std::variant<int, Square> shape = in[i];
  if (i % 3 == 0) shape = Square{in[i]};
  const int area = cuda::std::visit(
      [](auto value) {
        if constexpr (cuda::std::is_same_v<decltype(value), Square>) return value.side * value.side;
        else return value;
      },
      shape);
  cuda::std::array<int, 5> digits{in[i] % 10, 9, in[i] % 7, 3, in[i] % 4};
  cuda::std::partial_sort(digits.begin(), digits.end(), digits.end());
  const auto [low, high] = cuda::std::tuple<int, int>{digits.front(), digits.back()};
  out[i] = even.value_or(-1) + 3 * area + 1000 * digits[2] + 7 * low + 11 * high +
           cuda::std::popcount(static_cast<unsigned>(in[i])) + cuda::ceil_div(in[i], 8);
}

// Products and quotients of 128 bits: the compiler makes them of 64-bit pieces and calls.
__global__ void wide(const long long* a, const long long* b, __int128* product, __int128* quotient) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const __int128 p = static_cast<__int128>(a[i]) * b[i] + (static_cast<__int128>(a[i]) << 60);
  product[i] = p;
  quotient[i] = p / (b[i] | 1);
}

// Each thread sorts a row of its own, adds it up and looks a key up.
__global__ void rows(int* rows, int width, int* sums, int* places) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int* row = rows + i * width;
  cuda::std::partial_sort(row, row + width, row + width);
  sums[i] = cuda::std::accumulate(row, row + width, 0);
  places[i] = static_cast<int>(cuda::std::lower_bound(row, row + width, 50) - row);
}

struct Scale {
  int factor;
  __device__ int operator()(int value) const { return factor * value; }
};

// Thrust's iterators: a table that is computed where it is read, zipped with one in memory.
__global__ void iterators(const int* in, int* out, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto scaled = thrust::make_transform_iterator(thrust::make_counting_iterator(1), Scale{factor});
  const auto both = thrust::make_zip_iterator(thrust::make_tuple(scaled, in));
  const auto pair = both[i];
  out[i] = thrust::get<0>(pair) - thrust::get<1>(pair);
}
