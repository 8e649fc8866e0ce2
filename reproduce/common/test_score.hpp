#pragma once
// The score of a fitted density on test rows, as the papers print it: of y standardised by
// the training rows (mean, n - 1 standard deviation; errata L1, L2), that is the NLL on the
// user's scale - sum_j log sd(y_j).

#include <cmath>
#include <ctime>
#include <limits>

#include "condens/data/dataset.hpp"
#include "condens/data/standardizer.hpp"

namespace condens::reproduce {

struct TestScore {
  double exact;
  double capped;  ///< with 2.2e-16 added to every density (errata L8): no row counts more than 36.04
};

/// `log_density` of the test rows, on the user's scale.
inline TestScore standardized_score(const Dataset& train, const Vector& log_density) {
  const double log_scale = Standardizer::fit(train.y, Vector()).scale().array().log().sum();
  const Vector standardized = log_density.array() + log_scale;
  constexpr double floor = std::numeric_limits<double>::epsilon();
  return {.exact = -standardized.mean(), .capped = -(standardized.array().exp() + floor).log().mean()};
}

/// Seconds that this thread has worked: other programs on the machine do not count.
inline double thread_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace condens::reproduce
