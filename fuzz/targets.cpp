// Distributions of targets that are not any real number: every support over every mixture.

#include <algorithm>
#include <cmath>
#include <optional>

#include "condens/distributions/target_distributions.hpp"
#include "input.hpp"

namespace condens::fuzz {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
const Run one_thread{.threads = 1, .observer = {}};

std::vector<double> rising(Input& input, Index count) {
  std::vector<double> out;
  for (Index k = 0; k < count; ++k) out.push_back(input.number());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

TargetSupport support_of(Input& input) {
  TargetSupport out;
  const Index ends = input.below(4);
  if (ends == 1 || ends == 3) out.map.lower = input.flag() ? 0 : input.number();
  if (ends == 2) out.map.upper = input.number();
  if (ends == 3) out.map.upper = out.map.lower + std::abs(input.number());
  if (input.flag()) out.map.reach = std::abs(input.number());
  const Index values = input.below(6);
  if (values == 4) {
    out.values = TargetValues::counts();
    if (ends % 2 == 0) out.map = {.lower = -0.5, .upper = infinity, .reach = out.map.reach};
  }
  if (values == 5) {
    out.values = TargetValues::listed(rising(input, 2 + input.below(6)));
    if (ends < 3) out.map = {};
  }
  if (input.below(3) == 2) out.atoms = rising(input, 1 + input.below(3));
  return TargetSupport::from_document(out.to_document());  // with its checks
}

void within(const MatrixView& values, double low, double high, std::string_view what) {
  for (const double value : values.reshaped()) {
    expect(value >= low && value <= high, what, " is ", value, ", expected ", low, " to ", high);
  }
}

void no_nan(const MatrixView& values, std::string_view what) { expect(!values.hasNaN(), what, " is NaN"); }

/// Of everything that a target with this support can be.
Interval ends_of(const TargetSupport& support) {
  Interval out{support.map.lower, support.map.upper};
  if (support.values.are_counts()) out.lower = 0;
  if (const auto& list = support.values.list(); !list.empty()) out = {list.front(), list.back()};
  for (const double atom : support.atoms) out = {std::min(out.lower, atom), std::max(out.upper, atom)};
  return out;
}

void check(const TargetDistributions& laws, Input& input) {
  const Run& run = one_thread;
  const Index n = laws.size();
  Vector y(n);
  for (double& own : y) own = input.number();
  if (const auto& list = laws.support().values.list(); !list.empty()) y.setConstant(list.front());
  no_nan(laws.log_pdf(y.transpose(), run), "log density");
  no_nan(laws.log_pdf_grid(y.transpose(), run), "log density of a grid");
  const Vector cdf = laws.cdf(y, run);
  within(cdf, 0, 1 + 1e-12, "cdf");
  within(laws.cdf_below(y, run) - cdf, -1 - 1e-12, 1e-12, "cdf below less cdf");
  within(laws.sf(y, run) + cdf, 1 - 1e-9, 1 + 1e-9, "cdf + sf");
  within(laws.mass_at(y, run), 0, 1 + 1e-12, "probability of a value");
  const double p = 0.5 + 0.499 * input.share();
  const Matrix quantiles = laws.quantile(Vector{{0.01, p, std::min(0.9999, p + 1e-3)}}, run);
  const Interval ends = ends_of(laws.support());
  within(quantiles, ends.lower, ends.upper, "quantile");
  for (Index i = 0; i < n; ++i) {
    const double low = quantiles(1, i);
    const double high = quantiles(2, i);
    // A scale may vanish in the rounding of the place on the line, to which its quantiles are known.
    const TargetMap& map = laws.support().map;
    const double x = map.forward(low);
    const double of_place = std::isfinite(x) ? std::abs(x) * std::exp(-map.log_slope(low)) : 0;
    const double slack = laws.support().is_discrete() ? 0 : 2 * epsilon * (std::abs(low) + of_place);
    expect(high >= low || low - high <= slack, "quantiles that fall from ", low, " to ", high);
  }
  within(laws.interval(p, run), ends.lower, ends.upper, "interval");
  const Matrix means = laws.mean(run);
  const Matrix variances = laws.variance(run);
  within(variances, 0, infinity, "variance");
  for (Index i = 0; i < n; ++i) {
    const double rounding = 1e-9 * (std::sqrt(variances(0, i)) + std::abs(means(0, i)));
    within(means.col(i), ends.lower - rounding, ends.upper + rounding, "mean");
  }
  within(laws.mode(run), ends.lower, ends.upper, "mode");
  for (const auto& region : laws.highest_density_region(p, run)) {
    for (const Interval& own : region) expect(own.upper >= own.lower, "a region from ", own.lower, " to ", own.upper);
  }
  within(laws.highest_density_mass(y, run), 0, 1 + 1e-9, "mass of a region");
  within(laws.crps(y, run), -1e-9, infinity, "crps");
  within(laws.sample(2, 1, run), ends.lower, ends.upper, "a draw");
}

void run(Input& input) {
  std::optional<TargetDistributions> laws;
  if (refused([&] {
        const Index m = 1 + input.below(4);
        const Index n = 1 + input.below(2);
        Matrix means(1, m * n);
        Matrix scales(1, m * n);
        Matrix weights(m, n);
        const double size = std::clamp(input.scale(), 1e-104, 1e104);
        for (double& own : means.reshaped()) own = size * input.share() * 4;
        for (double& own : scales.reshaped())
          own = std::clamp(size * std::abs(input.share()) * input.scale(), 1e-105, 1e105);
        for (double& own : weights.reshaped()) own = 5 * input.share();
        const TargetSupport support = support_of(input);
        Matrix shares;
        if (!support.atoms.empty()) {
          shares = Matrix(1 + std::ssize(support.atoms), n);
          for (double& own : shares.reshaped()) own = std::abs(input.share()) + 1e-9;
          for (Index i = 0; i < n; ++i) shares.col(i) = (shares.col(i) / shares.col(i).sum()).array().log();
        }
        laws.emplace(GaussianMixtures::separate(means, scales, weights), support, shares);
      }))
    return;
  refused([&] { check(*laws, input); });
}

}  // namespace
}  // namespace condens::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  condens::fuzz::Input input(data, size);
  condens::fuzz::run(input);
  return 0;
}
