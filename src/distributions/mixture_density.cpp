// Log density of a mixture: t_l = log w_l + log N(y; v_l, s_l), then log-sum-exp.

#include <cmath>

#include "condens/linalg/log_sum_exp.hpp"
#include "condens/linalg/vector_math.hpp"
#include "mixture_view.hpp"

namespace condens::detail {

DensityTable::DensityTable(Index d, Index m, const double* means, const double* scales)
    : means_(m, d), inverse_scales_(m, d), log_norms_(m) {
  for (Index l = 0; l < m; ++l) {
    double log_norm = -static_cast<double>(d) * kLogSqrt2Pi;
    for (Index k = 0; k < d; ++k) {
      means_(l, k) = means[l * d + k];
      inverse_scales_(l, k) = 1.0 / scales[l * d + k];
      log_norm -= std::log(scales[l * d + k]);
    }
    log_norms_[l] = log_norm;
  }
}

double DensityTable::log_pdf(const double* log_weights, const double* y, double* work) const {
  const Index m = means_.rows();
  for (Index l = 0; l < m; ++l) work[l] = log_weights[l] + log_norms_[l];
  for (Index k = 0; k < means_.cols(); ++k) {
    const double* mean = means_.data() + k * m;
    const double* inverse = inverse_scales_.data() + k * m;
    const double value = y[k];
    for (Index l = 0; l < m; ++l) {
      const double z = (value - mean[l]) * inverse[l];
      work[l] = multiply_add(-0.5 * z, z, work[l]);
    }
  }
  return log_sum_exp_in_place(work, m);
}

double log_pdf(const MixtureView& p, const double* y) {
  Vector work(p.m);
  return DensityTable(p).log_pdf(p.log_weights, y, work.data());
}

}  // namespace condens::detail
