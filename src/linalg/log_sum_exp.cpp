#include "log_sum_exp.hpp"

#include <cmath>
#include <limits>

#include "condens/core/errors.hpp"
#include "vector_math.hpp"

namespace condens {

double log_sum_exp_in_place(double* x, Index n) {
  const double top = maximum(x, n);
  if (std::isinf(top)) {  // all -infinity, or one +infinity; NaN shows in the sum
    double total = 0.0;
    for (Index i = 0; i < n; ++i) {
      total += x[i];
      x[i] = x[i] == std::numeric_limits<double>::infinity() ? 1.0 : 0.0;
    }
    return std::isnan(total) && top < 0.0 ? total : top;
  }
  for (Index i = 0; i < n; ++i) x[i] -= top;
  exp_in_place(x, n);
  return top + std::log(sum(x, n));
}

double log_sum_exp(const double* x, Index n) {
  Vector work = Eigen::Map<const Vector>(x, n);
  return log_sum_exp_in_place(work.data(), n);
}

double log_sum_exp(const VectorView& x) { return log_sum_exp(x.data(), x.size()); }

Vector log_normalize_columns(Matrix& log_weights) {
  const Index rows = log_weights.rows();
  Vector totals(log_weights.cols());
  for (Index j = 0; j < log_weights.cols(); ++j) {
    auto column = log_weights.col(j);
    totals[j] = maximum(column.data(), rows);
    // In two steps: a large common part must not take digits from the rest.
    if (std::isfinite(totals[j])) column.array() -= totals[j];
  }
  Matrix work = log_weights;  // all exponentials in one run
  exp_in_place(work.data(), work.size());
  for (Index j = 0; j < log_weights.cols(); ++j) {
    auto column = log_weights.col(j);
    const double rest = std::log(sum(work.col(j).data(), rows));
    if (totals[j] == -infinity && rest == -infinity) {
      column.setConstant(-std::log(static_cast<double>(rows)));
      continue;
    }
    for (Index i = 0; !std::isfinite(rest) && i < rows; ++i) {
      require(column[i] < infinity, "log weight ", column[i], " of component ", i, " in distribution ", j,
              "; expected a finite number or -infinity (weight zero)");
    }
    column.array() -= rest;
    totals[j] += rest;
  }
  return totals;
}

}  // namespace condens
