// Gaussian mixtures with every functional that they have, for means and scales up to the ends of their range and
// weights of any size.

#include <algorithm>
#include <cmath>
#include <optional>

#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/distributions/pit_map.hpp"
#include "condens/inspection/shapley.hpp"
#include "input.hpp"

namespace condens::fuzz {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
const Run one_thread{.threads = 1, .observer = {}};

/// A power of ten within the range of components, most of them near one.
double power(Input& input) {
  const int code = input.byte();
  return code < 160 ? 1.0 : std::pow(10.0, code < 200 ? (code - 180) / 4 : std::clamp(3 * (code - 228), -75, 75));
}

GaussianComponents components(Input& input, Index d, Index m) {
  GaussianComponents out{.means = Matrix(d, m), .scales = Matrix(d, m)};
  const double scale = power(input);
  for (double& mean : out.means.reshaped()) mean = std::clamp(scale * input.share() * power(input), -1e75, 1e75);
  for (double& own : out.scales.reshaped()) own = std::clamp(scale * power(input), 1e-75, 1e75);
  if (d == 1 || input.below(3) != 2) return out;
  Matrix covariances(d * d, m);
  for (Index l = 0; l < m; ++l) {
    Matrix factor(d, d);
    for (double& entry : factor.reshaped()) entry = input.share();
    const Matrix covariance = out.scales.col(l).asDiagonal() *
                              (factor * factor.transpose() + 0.01 * Matrix::Identity(d, d)) *
                              out.scales.col(l).asDiagonal();
    covariances.col(l) = covariance.reshaped();
  }
  return GaussianComponents::from_covariances(out.means, covariances);
}

Matrix log_weights(Input& input, Index m, Index n) {
  Matrix out(m, n);
  for (double& own : out.reshaped()) {
    const Index kind = input.below(8);
    own = kind == 0 ? -infinity : kind == 1 ? 700 * input.share() : 5 * input.share();
  }
  return out;
}

void within(const MatrixView& values, double low, double high, std::string_view what) {
  for (const double value : values.reshaped()) {
    expect(value >= low && value <= high, what, " is ", value, ", expected ", low, " to ", high);
  }
}

void finite(const MatrixView& values, std::string_view what) {
  for (const double value : values.reshaped()) expect(std::isfinite(value), what, " is ", value);
}

void no_nan(const MatrixView& values, std::string_view what) { expect(!values.hasNaN(), what, " is NaN"); }

void check_univariate(const GaussianMixtures& laws, Input& input) {
  const Index n = laws.size();
  const Run& run = one_thread;
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    const GaussianMixture law = laws[i];
    const Index l = input.below(law.n_components());
    y[i] = law.means()(0, l) + law.scales()(0, l) * input.number();
    if (!std::isfinite(y[i])) y[i] = input.share();
  }
  const Vector cdf = laws.cdf(y, run);
  within(cdf, 0, 1, "cdf");
  within(laws.sf(y, run) + cdf, 1 - 1e-12, 1 + 1e-12, "cdf + sf");
  within(laws.log_cdf(y, run), -infinity, 0, "log cdf");
  within(laws.log_sf(y, run), -infinity, 0, "log sf");
  const Vector other = y.array() + std::abs(input.number());
  within(laws.probability(y, other, run), 0, 1 + 1e-12, "probability");
  within(laws.cdf(other, run) - cdf, -1e-15, 1, "cdf of a larger number less cdf");

  const double p = 0.5 + 0.499 * input.share();
  const Vector levels{{1e-300, 1e-12, p, std::min(1.0, p + 1e-3), 1 - 1e-12}};
  const Matrix quantiles = laws.quantile(levels, run);
  finite(quantiles, "quantile");
  for (Index k = 2; k < 4; ++k) {
    // A scale may vanish in the rounding of its place: both are within a last step of one unit of it.
    const Vector rounding = 2 * epsilon * quantiles.row(k).cwiseAbs().transpose();
    const Vector step = (quantiles.row(k) - quantiles.row(k - 1)).transpose() + rounding;
    within(step, 0, infinity, "quantile of a larger level less quantile");
  }
  for (Index i = 0; i < n; ++i) {
    const GaussianMixture law = laws[i];
    const double at = law.quantile(p);
    const double near = std::max(std::abs(at), 1e-300) * 1e-14;
    expect(law.cdf(at - near) <= p + 1e-9 && law.cdf(at + near) >= p - 1e-9, "cdf(quantile(", p, ")) is ", law.cdf(at));
  }
  const Matrix interval = laws.interval(p, run);
  const Vector length = (interval.row(1) - interval.row(0) + 2 * epsilon * interval.row(1).cwiseAbs()).transpose();
  within(length, 0, infinity, "length of an interval");
  for (const std::vector<Interval>& region : laws.highest_density_region(p, run)) {
    expect(!region.empty(), "an empty region");
    double before = -infinity;
    for (const Interval& own : region) {
      expect(own.lower >= before && own.upper >= own.lower, "a region out of order: ", own.lower, " to ", own.upper);
      before = own.upper;
    }
  }
  within(laws.highest_density_mass(y, run), 0, 1 + 1e-12, "mass of a region");
  const Vector tails{{p, 1.0}};
  const Vector each = tails.replicate(n, 1);
  no_nan(laws.lower_tail_mean(each, run), "lower tail mean");
  no_nan(laws.upper_tail_mean(each, run), "upper tail mean");

  within(laws.skewness(run).cwiseAbs(), 0, infinity, "skewness");
  within(laws.kurtosis(run), -2 - 1e-6, infinity, "kurtosis");
  no_nan(laws.raw_moment(input.below(5), run), "moment");
  finite(laws.entropy(run), "entropy");
  const Vector crps = laws.crps(y, run);
  within(crps, 0, infinity, "crps");

  const PitMap map(Vector::LinSpaced(9, 0, std::abs(input.share())), Vector::Constant(9, 1 + std::abs(input.share())));
  refused([&] { no_nan(map.apply(laws, run).mean(run), "mean of calibrated distributions"); });
  refused([&] {
    const TargetDistributions targets(laws, {});
    no_nan(distances_to(targets, targets.slice(0, 1), run), "distance");
  });
}

void run(Input& input) {
  const Index d = std::max<Index>(1, input.below(6) - 2);
  const Index m = 1 + input.below(6);
  const Index n = 1 + input.below(3);
  const bool shared = input.flag();
  const Run& run = one_thread;
  std::optional<GaussianMixtures> made;
  if (refused([&] {
        GaussianComponents own = components(input, d, shared ? m : m * n);
        Matrix weights = log_weights(input, m, n);
        made = shared ? GaussianMixtures::shared(std::make_shared<const GaussianComponents>(std::move(own)), weights)
                      : GaussianMixtures::separate(std::move(own), weights);
      }))
    return;
  const GaussianMixtures& laws = *made;
  finite(laws.mean(run), "mean");
  finite(laws.variance(run), "variance");
  finite(laws.covariance(run), "covariance");
  finite(laws.mode(run), "mode");
  for (const Matrix& modes : laws.modes(run)) {
    expect(modes.cols() > 0, "no mode");
    finite(modes, "a mode");
  }
  within(laws.squared_l2_norm(run), 0, infinity, "squared norm");
  within(laws.energy(run), 0, infinity, "energy");
  finite(laws.sample(3, 1, run), "a draw");
  Matrix y(d, n);
  for (double& own : y.reshaped()) own = std::clamp(input.number(), -1e80, 1e80);
  no_nan(laws.log_pdf(y, run), "log density");
  no_nan(laws.log_pdf_grid(y, run), "log density of a grid");
  within(laws.mean_distance(y, run), 0, infinity, "mean distance");
  no_nan(laws.energy_score(y, run), "energy score");
  no_nan(laws.squared_loss(y, run), "squared loss");
  refused([&] {
    const Vector scale = Vector::Constant(d, input.number());
    finite(laws.affine(Vector::Constant(d, input.number()), scale).mean(run), "mean of the moved distribution");
  });
  if (d == 1) return check_univariate(laws, input);
  finite(laws.marginal(0).mean(run), "mean of a marginal distribution");
  refused([&] { finite(laws.conditional({0}, y.topRows(1)).mean(run), "mean of a conditional distribution"); });
}

}  // namespace
}  // namespace condens::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  condens::fuzz::Input input(data, size);
  condens::fuzz::run(input);
  return 0;
}
