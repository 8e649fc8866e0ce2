#include "condens/distributions/gaussian_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"
#include "mixture_checks.hpp"
#include "mixture_view.hpp"

namespace condens {
namespace detail {

namespace {

double quantile_or_infinity(const MixtureView& p, double level, double side) {
  if (level == 0.0 || level == 1.0) return (level == 0.0) == (side > 0.0) ? -infinity : infinity;
  return side > 0.0 ? quantile(p, level) : upper_quantile(p, level);
}

}  // namespace
}  // namespace detail

using namespace detail;

namespace {

MixtureView view(const GaussianMixture& p) {
  return view_of(p.components(), 0, p.n_components(), p.log_weights().data(), p.weights().data());
}

/// The view for a univariate function.
MixtureView line(const GaussianMixture& p, std::string_view where, std::string_view instead = kUseMarginal) {
  require_univariate(p.dimension(), where, instead);
  return view(p);
}

MixtureView line_at(const GaussianMixture& p, double y, std::string_view where,
                    std::string_view instead = kUseMarginal) {
  require_number(y, where, "y");
  return line(p, where, instead);
}

MixtureView space_at(const GaussianMixture& p, const VectorView& y, std::string_view where) {
  require_shape(y, p.dimension(), 1, where, "y");
  require_numbers(y, where, "y");
  return view(p);
}

}  // namespace

GaussianMixture::GaussianMixture(const VectorView& weights, const MatrixView& means, const MatrixView& scales)
    : GaussianMixture(weights, GaussianComponents{means, scales}) {}

GaussianMixture::GaussianMixture(const VectorView& weights, GaussianComponents components)
    : components_(std::move(components)) {
  require_components(components_, "GaussianMixture");
  require_shape(weights, n_components(), 1, "GaussianMixture", "weights");
  for (Index l = 0; l < weights.size(); ++l) {
    require(weights[l] >= 0.0, "GaussianMixture: weight ", weights[l], " of component ", l, "; expected a number >= 0");
  }
  double total = 0.0;
  for (Index l = 0; l < weights.size(); ++l) total += weights[l];
  require(std::abs(total - 1.0) <= 1e-9, "GaussianMixture: the weights sum to ", total,
          "; expected 1 to within 1e-9 (divide them by their sum, or use from_log_weights)");
  weights_ = weights / total;
  log_weights_ = weights_.array().log();
}

GaussianMixture GaussianMixture::from_log_weights(const VectorView& log_weights, const MatrixView& means,
                                                  const MatrixView& scales) {
  return from_log_weights(log_weights, GaussianComponents{means, scales});
}

GaussianMixture GaussianMixture::from_log_weights(const VectorView& log_weights, GaussianComponents components) {
  require_components(components, "GaussianMixture::from_log_weights");
  require_shape(log_weights, components.means.cols(), 1, "GaussianMixture::from_log_weights", "log_weights");
  return GaussianMixtures::shared(std::make_shared<const GaussianComponents>(std::move(components)), log_weights)[0];
}

GaussianMixture GaussianMixture::marginal(Index j) const { return marginal(std::vector<Index>{j}); }

GaussianMixture GaussianMixture::marginal(const std::vector<Index>& coordinates) const {
  require_coordinates(coordinates, dimension(), "GaussianMixture::marginal");
  GaussianMixture out = *this;
  out.components_ = components_.coordinates(coordinates);
  return out;
}

double GaussianMixture::log_pdf(const VectorView& y) const {
  const Vector point = y;
  return detail::log_pdf(space_at(*this, y, "GaussianMixture::log_pdf"), point.data());
}
double GaussianMixture::log_pdf(double y) const {
  return detail::log_pdf(line_at(*this, y, "GaussianMixture::log_pdf", "pass a vector"), &y);
}
double GaussianMixture::pdf(const VectorView& y) const { return std::exp(log_pdf(y)); }
double GaussianMixture::pdf(double y) const { return std::exp(log_pdf(y)); }

double GaussianMixture::cdf(double y) const { return detail::cdf(line_at(*this, y, "GaussianMixture::cdf"), y); }
double GaussianMixture::sf(double y) const { return detail::sf(line_at(*this, y, "GaussianMixture::sf"), y); }
double GaussianMixture::log_cdf(double y) const {
  return detail::log_cdf(line_at(*this, y, "GaussianMixture::log_cdf"), y);
}
double GaussianMixture::log_sf(double y) const {
  return detail::log_sf(line_at(*this, y, "GaussianMixture::log_sf"), y);
}

double GaussianMixture::quantile(double p) const {
  require_level(p, "GaussianMixture::quantile");
  return quantile_or_infinity(line(*this, "GaussianMixture::quantile"), p, 1.0);
}
double GaussianMixture::upper_quantile(double q) const {
  require_level(q, "GaussianMixture::upper_quantile");
  return quantile_or_infinity(line(*this, "GaussianMixture::upper_quantile"), q, -1.0);
}

Vector GaussianMixture::mean() const { return detail::mean(view(*this)); }
Vector GaussianMixture::variance() const { return detail::variance(view(*this)); }
Matrix GaussianMixture::covariance() const { return detail::covariance(view(*this)); }
double GaussianMixture::skewness() const { return detail::skewness(line(*this, "GaussianMixture::skewness")); }
double GaussianMixture::kurtosis() const { return detail::kurtosis(line(*this, "GaussianMixture::kurtosis")); }
Vector GaussianMixture::mode() const { return detail::mode(view(*this)); }
Matrix GaussianMixture::modes() const { return detail::modes(view(*this)); }

Interval GaussianMixture::interval(double mass) const {
  require_mass(mass, "GaussianMixture::interval");
  const MixtureView p = line(*this, "GaussianMixture::interval");
  return quantile_pair(p, 0.5 * (1.0 - mass));
}

std::vector<Interval> GaussianMixture::highest_density_region(double mass) const {
  require_mass(mass, "GaussianMixture::highest_density_region");
  return detail::highest_density_region(line(*this, "GaussianMixture::highest_density_region",
                                             "use marginal(j), or sample and keep the share 'mass' of highest log_pdf"),
                                        mass);
}

double GaussianMixture::highest_density_mass(double y) const {
  return detail::highest_density_mass(line_at(*this, y, "GaussianMixture::highest_density_mass"), y);
}

Matrix GaussianMixture::sample(Index n, RandomStream& random) const {
  require(n >= 0, "GaussianMixture::sample: n is ", n, "; expected >= 0");
  return detail::sample(view(*this), n, random);
}

double GaussianMixture::entropy() const {
  return detail::entropy(
      line(*this, "GaussianMixture::entropy", "use marginal(j), or the mean of -log_pdf over a sample"));
}

double GaussianMixture::squared_l2_norm() const { return detail::mean_overlap(view(*this)); }
double GaussianMixture::energy() const { return detail::mean_pair_distance(view(*this)); }
double GaussianMixture::energy(const VectorView& y) const {
  const Vector point = y;
  return mean_distance(space_at(*this, y, "GaussianMixture::energy"), point.data());
}
double GaussianMixture::energy_score(const VectorView& y) const {
  const Vector point = y;
  return mean_distance(space_at(*this, y, "GaussianMixture::energy_score"), point.data()) - 0.5 * energy();
}
double GaussianMixture::crps(double y) const {
  return mean_distance(line_at(*this, y, "GaussianMixture::crps", "use energy_score, or marginal(j)"), &y) -
         0.5 * energy();
}
double GaussianMixture::squared_loss(const VectorView& y) const { return 0.5 * squared_l2_norm() - pdf(y); }
double GaussianMixture::squared_loss(double y) const { return 0.5 * squared_l2_norm() - pdf(y); }

}  // namespace condens
