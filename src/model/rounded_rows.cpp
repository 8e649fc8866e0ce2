#include "rounded_rows.hpp"

#include <cmath>

namespace condens::preparation {

namespace {

Observations rounded(const Observations& data, int bits) {
  const double grid = std::ldexp(1.0, bits);  // points between two standard deviations
  return Matrix(data.unaryExpr([=](double value) { return std::nearbyint(value * grid) / grid; }));
}

}  // namespace

void round_rows(Dataset& standardized, int bits) {
  standardized.x = rounded(standardized.x, bits);
  standardized.y = rounded(standardized.y, bits);
  standardized.x_unlabeled = rounded(standardized.x_unlabeled, bits);
}

void round_weights(Vector& weights, int bits) {
  for (double& weight : weights) {
    int exponent = 0;
    const double fraction = std::frexp(weight, &exponent);
    weight = std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
  }
}

void round_sample(Dataset& sample, bool standardized) {
  if (standardized) round_rows(sample, bits_of_sums);
  round_weights(sample.weights, bits_of_sums);
}

}  // namespace condens::preparation
