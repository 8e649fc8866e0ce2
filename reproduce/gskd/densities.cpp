#include "densities.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "condens/core/random.hpp"
#include "linalg/log_sum_exp.hpp"

namespace condens::reproduce {

namespace {

double draw(Law law, RandomStream& random) {
  if (law == Law::gaussian) return random.normal();
  const double size = -std::log1p(-random.uniform());
  return random.uniform() < 0.5 ? -size : size;
}

double standard_log_pdf(Law law, double z) {
  if (law == Law::laplacian) return -std::abs(z) - std::numbers::ln2;
  return -0.5 * (z * z + std::log(2 * std::numbers::pi));
}

double standard_cdf(Law law, double z) {
  if (law == Law::gaussian) return 0.5 * std::erfc(-z / std::numbers::sqrt2);
  return z < 0 ? 0.5 * std::exp(z) : 1 - 0.5 * std::exp(-z);
}

/// Of weight `weight`, in one coordinate.
Part line(double weight, Law law, double location, double scale) {
  return {weight, law, Vector::Constant(1, location), Vector::Constant(1, scale)};
}

/// All means `location`, variances first, second, first, ...
Part alternating(Index d, double location, double first, double second) {
  Vector scale(d);
  for (Index j = 0; j < d; ++j) scale[j] = std::sqrt(j % 2 == 0 ? first : second);
  return {1.0 / 3, Law::gaussian, Vector::Constant(d, location), scale};
}

Density three_gaussians(Index d) {
  return {std::to_string(d) + "-D three Gaussians",
          {alternating(d, 1, 1, 2), alternating(d, -1, 2, 1), alternating(d, 0, 2, 1)}};
}

/// Right end points.
Vector axis(const Interval& range, double step) {
  const Index cells = std::lround((range.upper - range.lower) / step);
  return Vector::LinSpaced(cells, range.lower + step, range.upper);
}

bool contains(const std::vector<Interval>& box, const VectorView& point, double slack) {
  for (Index j = 0; j < point.size(); ++j) {
    const Interval& range = box[static_cast<std::size_t>(j)];
    if (point[j] < range.lower + slack || point[j] > range.upper + slack) return false;
  }
  return true;
}

}  // namespace

Matrix Density::sample(Index n, std::uint64_t seed) const {
  RandomStream random(seed);
  Matrix out(dimension(), n);
  for (Index i = 0; i < n; ++i) {
    double rest = random.uniform();
    std::size_t k = 0;
    while (k + 1 < parts.size() && rest >= parts[k].weight) rest -= parts[k++].weight;
    const Part& part = parts[k];
    for (Index j = 0; j < dimension(); ++j) out(j, i) = part.location[j] + part.scale[j] * draw(part.law, random);
  }
  return out;
}

Vector Density::log_pdf(const MatrixView& points) const {
  Vector out(points.cols());
  Vector terms(std::ssize(parts));
  for (Index i = 0; i < points.cols(); ++i) {
    for (Index k = 0; k < terms.size(); ++k) {
      const Part& part = parts[static_cast<std::size_t>(k)];
      terms[k] = std::log(part.weight);
      for (Index j = 0; j < points.rows(); ++j)
        terms[k] +=
            standard_log_pdf(part.law, (points(j, i) - part.location[j]) / part.scale[j]) - std::log(part.scale[j]);
    }
    out[i] = log_sum_exp(terms);
  }
  return out;
}

double Density::marginal_cdf(Index j, double value) const {
  double sum = 0;
  for (const Part& part : parts)
    sum += part.weight * standard_cdf(part.law, (value - part.location[j]) / part.scale[j]);
  return sum;
}

Vector Density::mean() const {
  Vector out = Vector::Zero(dimension());
  for (const Part& part : parts) out += part.weight * part.location;
  return out;
}

Vector Density::variance() const {
  Vector square = Vector::Zero(dimension());
  for (const Part& part : parts) {
    const double unit = part.law == Law::gaussian ? 1 : 2;  // of the law at scale one
    square.array() += part.weight * (part.location.array().square() + unit * part.scale.array().square());
  }
  return square - Vector(mean().array().square());
}

GridPoints grid_points(const Density& density) {
  const Grid& grid = density.grid;
  const Index d = density.dimension();
  if (grid.whole.empty()) return {Matrix(d, 0), {}, 0};
  const Vector first = axis(grid.whole[0], grid.step);
  const Vector second = d == 2 ? axis(grid.whole[1], grid.step) : Vector::Zero(1);
  GridPoints out{Matrix(d, first.size() * second.size()), {}, std::pow(grid.step, d)};
  for (Index i = 0; i < out.points.cols(); ++i) {
    out.points(0, i) = first[i % first.size()];
    if (d == 2) out.points(1, i) = second[i / first.size()];
    out.inner.push_back(contains(grid.inner, out.points.col(i), 0.5 * grid.step));
  }
  return out;
}

Density eight_gaussians() {
  Density out{.name = "eight Gaussians", .parts = {}, .grid = {.step = 5e-4, .whole = {{-9, 9}}, .inner = {{-4, 3}}}};
  for (int i = 0; i < 8; ++i) {
    const double power = std::pow(2.0 / 3, i);
    out.parts.push_back(line(0.125, Law::gaussian, 3 * (power - 1), std::sqrt(power)));
  }
  return out;
}

Density gaussian_laplacian() {
  return {.name = "Gaussian and Laplacian",
          .parts = {line(0.5, Law::gaussian, 2, 1), line(0.5, Law::laplacian, -2, 1 / 0.7)},
          .grid = {.step = 1e-3, .whole = {{-47, 43}}, .inner = {{-12, 7}}}};
}

Density gaussian_laplacian_2d() {
  const Part gaussian{0.5, Law::gaussian, Vector::Constant(2, 2), Vector::Ones(2)};
  const Part laplacian{0.5, Law::laplacian, Vector::Constant(2, -2), Vector{{1 / 0.7, 1 / 0.5}}};
  return {.name = "2-D Gaussian and Laplacian",
          .parts = {gaussian, laplacian},
          .grid = {.step = 0.125, .whole = {{-28, 24}, {-38, 34}}, .inner = {{-8, 8}, {-8, 8}}}};
}

Density three_gaussians_6d() { return three_gaussians(6); }
Density three_gaussians_10d() { return three_gaussians(10); }

const std::vector<Density>& densities() {
  static const std::vector<Density> all = {eight_gaussians(), gaussian_laplacian(), gaussian_laplacian_2d(),
                                           three_gaussians_6d(), three_gaussians_10d()};
  return all;
}

}  // namespace condens::reproduce
