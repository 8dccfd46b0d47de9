// Black-Scholes prices of European calls and puts, one option per thread, with the polynomial of Abramowitz and
// Stegun.

#define RISK_FREE_RATE 0.02f
#define VOLATILITY 0.30f

// Cumulative normal distribution (formula 26.2.17).
__device__ float cumulativeNormal(float d) {
  const float a1 = 0.31938153f;
  const float a2 = -0.356563782f;
  const float a3 = 1.781477937f;
  const float a4 = -1.821255978f;
  const float a5 = 1.330274429f;
  const float inverseSqrtTwoPi = 0.39894228040143267794f;

  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float polynomial = k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5))));
  float tail = inverseSqrtTwoPi * expf(-0.5f * d * d) * polynomial;

  // The polynomial gives the upper tail; mirror it for positive d.
  if (d > 0.0f) {
    tail = 1.0f - tail;
  }
  return tail;
}

extern "C" __global__ void blackScholes(const float* __restrict__ stockPrice, const float* __restrict__ strikePrice,
                                        const float* __restrict__ yearsToExpiry, float* __restrict__ callPrice,
                                        float* __restrict__ putPrice, int numberOfOptions) {
  int optionIndex = blockIdx.x * blockDim.x + threadIdx.x;
  if (optionIndex < numberOfOptions) {
    float S = stockPrice[optionIndex];
    float X = strikePrice[optionIndex];
    float T = yearsToExpiry[optionIndex];

    // Compute d1 and d2.
    float volatilityTime = VOLATILITY * sqrtf(T);
    float d1 = (logf(S / X) + (RISK_FREE_RATE + 0.5f * VOLATILITY * VOLATILITY) * T) / volatilityTime;
    float d2 = d1 - volatilityTime;

    float cndD1 = cumulativeNormal(d1);
    float cndD2 = cumulativeNormal(d2);

    // Discount the strike and write both prices.
    float discountedStrike = X * expf(-RISK_FREE_RATE * T);
    callPrice[optionIndex] = S * cndD1 - discountedStrike * cndD2;
    putPrice[optionIndex] = discountedStrike * (1.0f - cndD2) - S * (1.0f - cndD1);
  }
}
