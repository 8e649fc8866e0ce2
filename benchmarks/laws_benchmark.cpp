// What users ask of laws, beside the plain way: 300 laws of an LSCDE of 300 centres in d_x = 5, one thread.
//
//   three quantiles    safeguarded Newton on sums over all components with std::erfc and std::exp
//   CRPS               the formula for mixtures of Gaussians (Grimit et al. 2006), all pairs with std::erf and std::exp
//
// The same numbers, then, and the largest difference between the two.

#include <numbers>

#include "condens/estimators/lscde.hpp"
#include "measure.hpp"
#include "simulated.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

const Run one_thread{.threads = 1, .observer = {}};
const double root_half = std::sqrt(0.5);
const double inverse_root_two_pi = root_half / std::sqrt(std::numbers::pi);

/// The y with F(y) = level, by Newton steps that stay between the outermost quantiles of the components.
double plain_quantile(const GaussianMixture& law, double level) {
  const Vector& w = law.weights();
  const auto v = law.means().row(0);
  const auto s = law.scales().row(0);
  double low = (v - 9.0 * s).minCoeff();
  double high = (v + 9.0 * s).maxCoeff();
  double y = law.mean()[0];
  for (int step = 0; step < 200; ++step) {
    double mass = 0;
    double density = 0;
    for (Index l = 0; l < w.size(); ++l) {
      const double z = (y - v[l]) / s[l];
      mass += w[l] * 0.5 * std::erfc(-z * root_half);
      density += w[l] * std::exp(-0.5 * z * z) * inverse_root_two_pi / s[l];
    }
    (mass < level ? low : high) = y;
    double next = y - (mass - level) / density;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - y) <= 1e-14 * (1 + std::abs(y))) return next;
    y = next;
  }
  return y;
}

/// E|Z|, Z ~ N(mu, s^2)
double mean_size(double mu, double s) {
  const double z = mu / s;
  return mu * std::erf(z * root_half) + 2 * s * inverse_root_two_pi * std::exp(-0.5 * z * z);
}

double plain_crps(const GaussianMixture& law, double y) {
  const Vector& w = law.weights();
  const auto v = law.means().row(0);
  const auto s = law.scales().row(0);
  double out = 0;
  for (Index l = 0; l < w.size(); ++l) {
    out += w[l] * mean_size(y - v[l], s[l]);
    for (Index r = 0; r < w.size(); ++r) out -= 0.5 * w[l] * w[r] * mean_size(v[l] - v[r], std::hypot(s[l], s[r]));
  }
  return out;
}

void report(const char* what, double ours, double plain, double difference, Index n) {
  std::printf("%-16s %8.1f us a law, plain %8.1f us: %5.1f times; largest difference %.1e\n", what,
              1e6 * ours / static_cast<double>(n), 1e6 * plain / static_cast<double>(n), plain / ours, difference);
}

}  // namespace

int main() {
  LscdeOptions options;
  options.n_centers = 300;
  options.bandwidth = {0.3};
  options.bandwidth_y = {0.2};
  options.regularization = {0.001};
  options.metric = LscdeMetric::none;
  const Lscde model = Lscde::fit(two_branches(3000, 5, 1), options);
  const Index n = 300;
  const Dataset test = two_branches(n, 5, 2);
  const GaussianMixtures laws = model.predict(test.x, one_thread);
  std::printf("%ld laws of %ld components\n", static_cast<long>(n), static_cast<long>(laws.n_components()));
  print_limits(1);

  const Vector levels{{0.05, 0.5, 0.95}};
  Matrix quantiles;
  const double quantile_seconds = best_seconds(3, [&] { quantiles = laws.quantile(levels, one_thread); });
  Matrix plain_quantiles(levels.size(), n);
  const double plain_quantile_seconds = best_seconds(1, [&] {
    for (Index i = 0; i < n; ++i) {
      const GaussianMixture law = laws[i];
      for (Index k = 0; k < levels.size(); ++k) plain_quantiles(k, i) = plain_quantile(law, levels[k]);
    }
  });
  report("three quantiles", quantile_seconds, plain_quantile_seconds,
         (quantiles - plain_quantiles).cwiseAbs().maxCoeff(), n);

  Vector crps;
  const Vector y = test.y.row(0).transpose();
  const double crps_seconds = best_seconds(3, [&] { crps = laws.crps(y, one_thread); });
  Vector plain(n);
  const double plain_seconds = best_seconds(1, [&] {
    for (Index i = 0; i < n; ++i) plain[i] = plain_crps(laws[i], y[i]);
  });
  report("CRPS", crps_seconds, plain_seconds, (crps - plain).cwiseAbs().maxCoeff(), n);

  const double region_seconds = best_seconds(3, [&] {
    for (Index i = 0; i < n; ++i) laws[i].highest_density_region(0.9);
  });
  std::printf("%-16s %8.1f us a law\n", "90 % region", 1e6 * region_seconds / static_cast<double>(n));
}
