#include "condens/linalg/log_sum_exp.hpp"

#include <cmath>
#include <limits>

#include "condens/core/errors.hpp"
#include "condens/linalg/vector_math.hpp"

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
  Vector totals(log_weights.cols());
  Vector work(log_weights.rows());
  for (Index j = 0; j < log_weights.cols(); ++j) {
    work = log_weights.col(j);
    totals[j] = log_sum_exp_in_place(work.data(), work.size());
    require(totals[j] < std::numeric_limits<double>::infinity(), "log_normalize_columns: the log weights of column ", j,
            " hold NaN or +infinity; expected finite numbers or -infinity for weight zero");
    if (std::isinf(totals[j])) {
      log_weights.col(j).setConstant(-std::log(static_cast<double>(log_weights.rows())));
    } else {
      // In two steps: a large common part must not take digits from the rest.
      const double top = log_weights.col(j).maxCoeff();
      log_weights.col(j).array() -= top;
      work = log_weights.col(j);
      log_weights.col(j).array() -= log_sum_exp_in_place(work.data(), work.size());
    }
  }
  return totals;
}

}  // namespace condens
