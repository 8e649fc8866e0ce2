#include "rounded_rows.hpp"

#include <cmath>

namespace condens::preparation {

namespace {

constexpr double grid = 0x1p30;  // points between two standard deviations

Observations rounded(const Observations& data) {
  return Matrix(data.unaryExpr([](double value) { return std::nearbyint(value * grid) / grid; }));
}

}  // namespace

void round_rows(Dataset& standardized) {
  standardized.x = rounded(standardized.x);
  standardized.y = rounded(standardized.y);
  standardized.x_unlabeled = rounded(standardized.x_unlabeled);
}

}  // namespace condens::preparation
