// Cross-entropy loss per sample, one thread per row. Bad: neighbouring lanes walk down a column of the row-major logits.
namespace ml {

struct LogSumExp {
  float max = -3.402823466e38f;
  float sum = 0.0f;

  __device__ void push(float x) {
    const float m = fmaxf(max, x);
    sum = sum * expf(max - m) + expf(x - m);
    max = m;
  }
  __device__ float value() const { return max + logf(sum); }
};

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    cross_entropy(const float* __restrict__ logits, const int* __restrict__ target, float* __restrict__ loss, int rows,
                  int classes) {
  const int row = blockIdx.x * BLOCK + threadIdx.x;
  if (row >= rows) return;

  const int wanted = target[row] % classes;
  LogSumExp lse;
  float chosen = 0.0f;
  for (int c = 0; c < classes; ++c) {
    const float x = logits[row * classes + c];  // defect: uncoalesced
    lse.push(x);
    chosen = c == wanted ? x : chosen;
  }
  loss[row] = lse.value() - chosen;
}

}  // namespace ml
