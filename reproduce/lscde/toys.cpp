#include "toys.hpp"

#include <cmath>
#include <numbers>

namespace condens::reproduce {

namespace {

double location(double x, Sinc reading) { return sinc(2 * std::numbers::pi * x, reading); }

double spread(double x) { return std::exp(1 - x) / 8; }

GaussianMixture mixture(const Vector& weights, const Vector& means, const Vector& deviations) {
  return {weights, means.transpose(), deviations.transpose()};
}

}  // namespace

Dataset Toy::sample(Index n, std::uint64_t seed) const {
  RandomStream random(seed);
  Matrix x(1, n);
  Matrix y = noise.sample(n, random);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = 2 * random.uniform() - 1;
    y(0, i) = location(x(0, i), sinc) + spread(x(0, i)) * y(0, i);
  }
  return {.x = std::move(x), .y = std::move(y)};
}

GaussianMixtures Toy::truth(const MatrixView& x) const {
  const Index m = noise.n_components();
  Matrix means(1, m * x.cols());
  Matrix scales(1, m * x.cols());
  for (Index i = 0; i < x.cols(); ++i) {
    const double s = spread(x(0, i));
    means.middleCols(i * m, m) = (location(x(0, i), sinc) + s * noise.means().array()).matrix();
    scales.middleCols(i * m, m) = s * noise.scales();
  }
  return GaussianMixtures::separate(means, scales, noise.log_weights().replicate(1, x.cols()));
}

double Toy::entropy() const {
  return noise.entropy() + 1 - std::log(8.0);  // E x = 0
}

std::vector<Toy> toys(Sinc sinc) {
  const Vector one = Vector::Ones(1);
  return {
      {"Gaussian", mixture(one, 0 * one, one), sinc},
      {"bimodal", mixture(Vector{{0.5, 0.5}}, Vector{{-1.0, 1.0}}, Vector{{2.0 / 3, 2.0 / 3}}), sinc},
      {"skewed", mixture(Vector{{0.75, 0.25}}, Vector{{0.0, 1.5}}, Vector{{1.0, 1.0 / 3}}), sinc},
  };
}

}  // namespace condens::reproduce
