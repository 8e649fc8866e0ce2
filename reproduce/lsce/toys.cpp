#include "toys.hpp"

#include <cmath>
#include <numbers>
#include <ostream>
#include <stdexcept>

#include "common/markdown.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/data/standardizer.hpp"

namespace condens::reproduce {

namespace {

constexpr Index n_inputs = 5;
constexpr double noise = 0.25;

double sum_of_squares(const double* x) { return x[0] * x[0] + x[1] * x[1]; }

double cubic(const double* x) { return x[1] + x[1] * x[1] + x[1] * x[1] * x[1]; }

}  // namespace

Dataset Toy::sample(Index n, std::uint64_t seed) const {
  RandomStream random(seed);
  Matrix x(n_inputs, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index d = 0; d < n_inputs; ++d) x(d, i) = random.normal();
    y(0, i) = location(x.col(i).data()) + noise * random.normal();
  }
  return {.x = std::move(x), .y = std::move(y)};
}

GaussianMixtures Toy::truth(const MatrixView& x) const {
  const Matrix inputs = x;
  Matrix means(1, x.cols());
  for (Index i = 0; i < x.cols(); ++i) means(0, i) = location(inputs.col(i).data());
  return GaussianMixtures::separate(means, Matrix::Constant(1, x.cols(), noise), Matrix::Zero(1, x.cols()));
}

Matrix Toy::components() const {
  Matrix out = Matrix::Zero(n_components(), n_inputs);
  for (Index k = 0; k < n_components(); ++k) out(k, relevant[static_cast<std::size_t>(k)]) = 1;
  return out;
}

// Var x^2 = 2; Var (x + x^2 + x^3) = 1 + 2 + 15 + 2 E x^4 = 24.
Toy toy_a() { return {"dataset (a)", {0, 1}, sum_of_squares, std::sqrt(4 + noise * noise)}; }
Toy toy_b() { return {"dataset (b)", {1}, cubic, std::sqrt(24 + noise * noise)}; }

double least_error() { return -1 / (4 * std::sqrt(std::numbers::pi) * noise); }

void check_toys(std::ostream& out) {
  constexpr Index n_samples = 200000;
  constexpr double allowed_errors = 4;
  out << "Error_CDE of the true density, the least that any estimate can have; and of " << n_samples
      << " samples ± standard error:\n\n";
  MarkdownTable table({"data", "d_z", "as it is", "samples", "sd of y", "of samples", "y at unit variance"});
  for (const Toy& toy : {toy_a(), toy_b()}) {
    const Dataset data = toy.sample(n_samples, 7);
    const Matrix losses = toy.truth(data.x).squared_loss(data.y).transpose();
    const double error = Standardizer::fit(losses, Vector()).scale()[0] / std::sqrt(double{n_samples});
    if (std::abs(losses.mean() - least_error()) > allowed_errors * error)
      throw std::runtime_error(message(toy.name, ": the bound differs from the samples"));
    const double deviation = Standardizer::fit(data.y, Vector()).scale()[0];
    if (std::abs(deviation / toy.target_deviation - 1) > 0.05)
      throw std::runtime_error(message(toy.name, ": the standard deviation of y differs from the samples"));
    table.add({toy.name, std::to_string(toy.n_components()), fixed(least_error(), 4),
               plus_minus(losses.mean(), error, 4), fixed(toy.target_deviation, 4), fixed(deviation, 4),
               fixed(least_error() * toy.target_deviation, 4)});
  }
  table.print(out);
}

}  // namespace condens::reproduce
