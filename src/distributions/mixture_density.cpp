// Log density of a mixture: t_l = log w_l + log N(y; v_l, S_l), then log-sum-exp. For
// S_l = D L L' D the square is |z|^2 with z = (D L)^-1 (y - v_l), a triangular product.

#include <algorithm>
#include <array>
#include <cmath>

#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"
#include "mixture_view.hpp"

namespace condens::detail {

DensityTable::DensityTable(const MixtureView& p) : means_(p.m, p.d), inverse_scales_(p.m, p.d), log_norms_(p.m) {
  for (Index l = 0; l < p.m; ++l) {
    double log_norm = -static_cast<double>(p.d) * kLogSqrt2Pi;
    for (Index k = 0; k < p.d; ++k) {
      means_(l, k) = p.mean(l, k);
      inverse_scales_(l, k) = 1.0 / p.scale(l, k);
      log_norm -= std::log(p.scale(l, k));
    }
    log_norms_[l] = log_norm;
  }
  if (p.correlations != nullptr) whiten(p);
}

void DensityTable::whiten(const MixtureView& p) {
  whitening_.resize(p.m, p.d * (p.d + 1) / 2);
  for (Index l = 0; l < p.m; ++l) {
    const auto factor = p.correlation_factor(l);
    const Matrix inverse = factor.triangularView<Eigen::Lower>().solve(Matrix::Identity(p.d, p.d));
    Index entry = 0;
    for (Index k = 0; k < p.d; ++k) {
      log_norms_[l] -= std::log(factor(k, k));
      for (Index j = 0; j <= k; ++j) whitening_(l, entry++) = inverse(k, j) * inverse_scales_(l, j);
    }
  }
}

// In groups of components, so that z stays in registers; every component has its own sum.
void DensityTable::subtract_half_squares(const double* y, double* work) const {
  constexpr Index group = 16;
  const Index m = means_.rows();
  std::array<double, group> z{};
  for (Index first = 0; first < m; first += group) {
    const Index count = std::min(group, m - first);
    const double* entry = whitening_.data() + first;
    for (Index k = 0; k < means_.cols(); ++k) {
      z.fill(0.0);
      for (Index j = 0; j <= k; ++j, entry += m) {
        const double* mean = means_.data() + j * m + first;
        for (Index l = 0; l < count; ++l) z[l] = multiply_add(entry[l], y[j] - mean[l], z[l]);
      }
      for (Index l = 0; l < count; ++l) work[first + l] = multiply_add(-0.5 * z[l], z[l], work[first + l]);
    }
  }
}

double DensityTable::log_pdf(const double* log_weights, const double* y, double* work) const {
  const Index m = means_.rows();
  for (Index l = 0; l < m; ++l) work[l] = log_weights[l] + log_norms_[l];
  if (whitening_.size() > 0) {
    subtract_half_squares(y, work);
    return log_sum_exp_in_place(work, m);
  }
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
