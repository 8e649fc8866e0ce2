#include "quantile_laws.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linalg/normal_quantile.hpp"

namespace condens::kqr {

QuantileLaws::Tail QuantileLaws::tail(double outer, double inner) {
  const double z = normal_quantile(outer);
  const double ratio =
      std::exp(-0.5 * z * z) / (std::numbers::sqrt2 / std::numbers::inv_sqrtpi * outer);  // phi(z) / Phi(z)
  const double spacing = normal_quantile(inner) - z;
  return {(ratio + z) / spacing, std::sqrt(std::max(0.0, 1 - z * ratio - ratio * ratio)) / spacing};
}

QuantileLaws::QuantileLaws(const std::vector<double>& levels) {
  if (levels.size() == 1) {
    log_masses_ = Vector::Zero(1);
    center_ = -normal_quantile(levels.front());
    return;
  }
  log_masses_.resize(std::ssize(levels) + 1);
  lower_ = tail(levels[0], levels[1]);
  upper_ = tail(1 - levels.back(), 1 - levels[levels.size() - 2]);
  double below = 0;
  for (std::size_t j = 0; j < levels.size(); ++j) {
    log_masses_[static_cast<Index>(j)] = std::log(levels[j] - below);
    below = levels[j];
  }
  log_masses_[std::ssize(levels)] = std::log1p(-below);
}

/// The components of one law without the defensive one.
void QuantileLaws::place(const Eigen::Ref<const Vector>& q, const LawShape& shape, Eigen::Ref<Vector> mean,
                         Eigen::Ref<Vector> scale) const {
  const Index m = q.size();
  if (m == 1) {
    scale[0] = std::max(shape.spread, shape.floor);
    mean[0] = q[0] + center_ * scale[0];
    return;
  }
  const double low = q[1] - q[0];
  const double high = q[m - 1] - q[m - 2];
  mean[0] = q[0] - lower_.shift * low;
  scale[0] = std::max(lower_.spread * low, shape.floor);
  for (Index j = 1; j < m; ++j) {
    mean[j] = q[j - 1] + 0.5 * (q[j] - q[j - 1]);
    scale[j] = std::max(shape.spread * (q[j] - q[j - 1]), shape.floor);
  }
  mean[m] = q[m - 1] + upper_.shift * high;
  scale[m] = std::max(upper_.spread * high, shape.floor);
}

GaussianMixtures QuantileLaws::laws(const MatrixView& quantiles, const LawShape& shape,
                                    const Defensive& defensive) const {
  const Index own = log_masses_.size();
  const Index n = quantiles.cols();
  const Index count = own + (defensive.weight > 0 ? 1 : 0);
  Matrix means(count, n);
  Matrix scales(count, n);
  for (Index i = 0; i < n; ++i) {
    place(quantiles.col(i), shape, means.col(i).head(own), scales.col(i).head(own));
    if (count > own) {
      means(own, i) = defensive.mean[0];
      scales(own, i) = defensive.scale[0];
    }
  }
  means.resize(1, count * n);
  scales.resize(1, count * n);
  return GaussianMixtures::separate(std::move(means), std::move(scales),
                                    with_defensive(log_masses_.replicate(1, n), defensive));
}

double unit_of_spread(const std::vector<double>& levels, double loss) {
  if (levels.size() > 1) return 1;
  const double z = normal_quantile(levels.front());
  return loss * (std::numbers::sqrt2 / std::numbers::inv_sqrtpi) * std::exp(0.5 * z * z);  // 1 / phi(z)
}

Index rearrange(Matrix& quantiles) {
  Index crossings = 0;
  for (Index i = 0; i < quantiles.cols(); ++i) {
    auto q = quantiles.col(i);
    for (Index j = 1; j < q.size(); ++j) crossings += q[j] < q[j - 1] ? 1 : 0;
    std::sort(q.begin(), q.end());
  }
  return crossings;
}

}  // namespace condens::kqr
