#include "toys.hpp"

#include <cmath>
#include <numbers>

namespace condens::reproduce {

namespace {

double location(double r, Sinc reading) { return sinc(0.75 * std::numbers::pi * r, reading); }

double spread(double r) { return std::exp(1 - r) / 8; }

/// Var y = Var E(y | r) + E Var(y | r), by the midpoint rule; `density` of r on [-half, half].
template <class Density>
double target_variance(double half, Sinc reading, const Density& density) {
  constexpr Index cells = 20000;
  double mean = 0;
  double square = 0;
  for (Index i = 0; i < cells; ++i) {
    const double r = half * (2 * (static_cast<double>(i) + 0.5) / cells - 1);
    const double mass = density(r) * 2 * half / cells;
    const double m = location(r, reading);
    mean += mass * m;
    square += mass * (m * m + spread(r) * spread(r));
  }
  return square - mean * mean;
}

}  // namespace

Dataset Toy::sample(Index n, std::uint64_t seed) const {
  RandomStream random(seed);
  const double noise = 3 / std::sqrt(3.0);
  Matrix x(n_inputs, n);
  Matrix y(n_targets, n);
  for (Index i = 0; i < n; ++i) {
    for (Index d = 0; d < n_inputs; ++d) {
      if (sums && d % 3 == 2)
        x(d, i) = x(d - 2, i) + x(d - 1, i);
      else if (sums || d == 0 || irrelevant == Irrelevant::uniform)
        x(d, i) = 2 * random.uniform() - 1;
      else
        x(d, i) = x(0, i) + noise * random.normal();
    }
    for (Index d = 0; d < n_targets; ++d) {
      const double r = x(relevant(d), i);
      y(d, i) = location(r, sinc) + spread(r) * random.normal();
    }
  }
  return {.x = std::move(x), .y = std::move(y)};
}

GaussianMixtures Toy::truth(const MatrixView& x) const {
  Matrix means(n_targets, x.cols());
  Matrix scales(n_targets, x.cols());
  for (Index i = 0; i < x.cols(); ++i) {
    for (Index d = 0; d < n_targets; ++d) {
      means(d, i) = location(x(relevant(d), i), sinc);
      scales(d, i) = spread(x(relevant(d), i));
    }
  }
  return GaussianMixtures::separate(means, scales, Matrix::Zero(1, x.cols()));
}

double Toy::entropy() const {
  const double normal = 0.5 * std::log(2 * std::numbers::pi * std::numbers::e);
  return static_cast<double>(n_targets) * (normal + 1 - std::log(8.0));
}

double Toy::standardized_entropy() const {
  const double variance = sums ? target_variance(2, sinc, [](double r) { return (2 - std::abs(r)) / 4; })
                               : target_variance(1, sinc, [](double) { return 0.5; });
  return entropy() - static_cast<double>(n_targets) * 0.5 * std::log(variance);
}

Toy toy_1(Index n_irrelevant, Sinc sinc, Irrelevant irrelevant) {
  return {.name = "toy data 1", .n_inputs = 1 + n_irrelevant, .n_targets = 1, .sinc = sinc, .irrelevant = irrelevant};
}

Toy toy_2(Index n_targets, Sinc sinc) {
  return {.name = "toy data 2", .n_inputs = 3 * n_targets, .n_targets = n_targets, .sums = true, .sinc = sinc};
}

}  // namespace condens::reproduce
