#include "self_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "common/markdown.hpp"
#include "common/repetitions.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/metrics/uniformity.hpp"
#include "densities.hpp"

namespace condens::reproduce {

namespace {

constexpr Index n_samples = 100000;
constexpr double allowed_errors = 4;  ///< standard errors
constexpr double least_p_value = 1e-3;
const double root_two_pi = std::sqrt(2 * std::numbers::pi);

void expect(bool holds, const Density& density, const std::string& what) {
  if (!holds) throw std::runtime_error(message(density.name, ": ", what));
}

double square(double value) { return value * value; }

/// (51) with (52).
double printed_51(const VectorView& x) {
  double sum = 0;
  for (int i = 0; i <= 7; ++i) {
    const double sigma = std::sqrt(std::pow(2.0 / 3, i));
    const double mu = 3 * (std::pow(2.0 / 3, i) - 1);
    sum += 1 / (root_two_pi * sigma) * std::exp(-square(x[0] - mu) / (2 * square(sigma)));
  }
  return sum / 8;
}

double printed_53(const VectorView& x) {
  return 1 / (2 * root_two_pi) * std::exp(-square(x[0] - 2) / 2) + 0.7 / 4 * std::exp(-0.7 * std::abs(x[0] + 2));
}

double printed_54(const VectorView& x) {
  return 1 / (4 * std::numbers::pi) * std::exp(-square(x[0] - 2) / 2) * std::exp(-square(x[1] - 2) / 2) +
         0.35 / 8 * std::exp(-0.7 * std::abs(x[0] + 2)) * std::exp(-0.5 * std::abs(x[1] + 2));
}

/// (55) with (56) to (58), or (59) to (61).
double printed_55(const VectorView& x) {
  const std::array<double, 3> means = {1, -1, 0};
  const std::array<std::array<double, 2>, 3> variances = {{{1, 2}, {2, 1}, {2, 1}}};
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double determinant = 1;
    double distance = 0;
    for (Index j = 0; j < x.size(); ++j) {
      const double variance = variances[i][static_cast<std::size_t>(j % 2)];
      determinant *= variance;
      distance += square(x[j] - means[i]) / variance;
    }
    sum += std::exp(-0.5 * distance) / (std::pow(root_two_pi, x.size()) * std::sqrt(determinant));
  }
  return sum / 3;
}

void check_formula(const Density& density, double (*printed)(const VectorView&), const Matrix& points) {
  const Vector ours = density.log_pdf(points).array().exp();
  for (Index i = 0; i < points.cols(); ++i)
    expect(std::abs(ours[i] / printed(points.col(i)) - 1) < 1e-11, density, "differs from the printed formula");
}

struct Estimate {
  double value;
  double error;
};

Estimate estimate(const Vector& values) {
  const std::vector<double> all(values.begin(), values.end());
  return {mean(all), standard_error(all)};
}

/// By the sums of eqs. (49), (50), or by the mean of p/q over draws of the normal law q of variance 3.
Estimate integral(const Density& density) {
  const GridPoints grid = grid_points(density);
  if (grid.points.cols() > 0) return {density.log_pdf(grid.points).array().exp().sum() * grid.cell, 0};
  RandomStream random(3);
  Matrix points(density.dimension(), n_samples);
  for (double& value : points.reshaped()) value = std::sqrt(3.0) * random.normal();
  const Vector log_q = -points.colwise().squaredNorm().transpose().array() / 6 -
                       static_cast<double>(points.rows()) * std::log(std::sqrt(3.0) * root_two_pi);
  return estimate((density.log_pdf(points) - log_q).array().exp());
}

/// By how much a sum on a grid exceeds the integral: (t/2) coth(t/2) = 1 + t^2/12 + ... for a Laplacian whose kink is
/// on a grid point, t = step / scale; nothing for a Gaussian wider than the step.
double excess_of_sum(const Density& density) {
  double out = 0;
  for (const Part& part : density.parts)
    if (part.law == Law::laplacian) out += part.weight * (density.grid.step / part.scale.array()).square().sum() / 12;
  return out;
}

void check_integral(const Density& density, const Estimate& found) {
  const double allowed = found.error > 0 ? allowed_errors * found.error : 1e-6;
  const double excess = found.error > 0 ? 0 : excess_of_sum(density);
  expect(std::abs(found.value - 1 - excess) < allowed, density, "does not integrate to one");
  expect(found.error < 0.02, density, "the integral is not known well enough");
}

void check_samples(const Density& density, const Matrix& samples) {
  const Vector mean = density.mean();
  const Vector variance = density.variance();
  for (Index j = 0; j < density.dimension(); ++j) {
    const Vector centred = samples.row(j).transpose().array() - mean[j];
    const Estimate first = estimate(centred);
    const Estimate second = estimate(centred.array().square());
    expect(std::abs(first.value) < allowed_errors * first.error, density, "the mean of the samples is another");
    expect(std::abs(second.value - variance[j]) < allowed_errors * second.error, density,
           "the variance of the samples is another");
    Vector probability = samples.row(j).transpose();
    for (double& value : probability) value = density.marginal_cdf(j, value);
    expect(kolmogorov_smirnov_test(probability).p_value > least_p_value, density,
           "the samples have another distribution");
  }
}

}  // namespace

void check_densities(std::ostream& out) {
  constexpr std::array printed = {printed_51, printed_53, printed_54, printed_55, printed_55};
  out << "Every density agrees with its printed formula, and " << n_samples << " samples with its moments and marginal "
      << "distributions. *Mean density* E p(x) is the unit in which an L1 test error should be seen.\n\n";
  MarkdownTable table({"density", "integral", "variance of x1", "of samples", "mean density", "entropy"});
  for (std::size_t k = 0; k < densities().size(); ++k) {
    const Density& density = densities()[k];
    const Matrix samples = density.sample(n_samples, 7);
    check_formula(density, printed[k], samples.leftCols(1000));
    const Estimate whole = integral(density);
    check_integral(density, whole);
    check_samples(density, samples);
    const Vector log_p = density.log_pdf(samples);
    const Estimate density_mean = estimate(log_p.array().exp());
    const Estimate entropy = estimate(-log_p);
    const double centre = density.mean()[0];
    const double variance = (samples.row(0).array() - centre).square().mean();
    table.add({density.name, whole.error > 0 ? plus_minus(whole.value, whole.error, 3) : fixed(whole.value, 6),
               fixed(density.variance()[0], 4), fixed(variance, 4), significant(density_mean.value),
               plus_minus(entropy.value, entropy.error, 4)});
  }
  table.print(out);
}

}  // namespace condens::reproduce
