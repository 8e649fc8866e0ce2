// Predictive state smoothing.
//
// One criterion with its gradient at the shape of MNIST (60,000 x 784, J = 10, random grey levels, or
// the rows of a CSV file without header, target last, that is named): 4 n d J multiplications and
// additions, beside the time of Eigen's general products for the same numbers, and two limits
// measured in the same run: that of a matrix product of order 1,024, and that of reading x twice,
// as the gradient needs sums over all rows that the weights give first.
//
// The path J = 1, ..., 15 with AIC at the shape of abalone (3,320 x 7).

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/estimators/press.hpp"
#include "condens/estimators/press/objective.hpp"
#include "measure.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

Dataset random_images(Index n, Index d) {
  RandomStream random(1);
  Matrix x(d, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) x(k, i) = static_cast<double>(random.below(256)) / 255;
    y(0, i) = static_cast<double>(random.below(10));
  }
  return {.x = std::move(x), .y = std::move(y), .weights = Vector::Ones(n)};
}

Dataset read_rows(const char* file) {
  std::ifstream in(file);
  std::vector<double> values;
  Index n = 0;
  for (std::string line; std::getline(in, line); ++n) {
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) values.push_back(std::strtod(field.c_str(), nullptr));
  }
  const Index width = std::ssize(values) / std::max<Index>(1, n);
  const Eigen::Map<const Matrix> all(values.data(), width, n);
  return {.x = all.topRows(width - 1), .y = all.bottomRows(1), .weights = Vector::Ones(n)};
}

/// Age-like: grows with the first inputs, levels off, spreads.
Dataset shells() {
  RandomStream random(2);
  Matrix x(7, 3320);
  Matrix y(1, 3320);
  for (Index i = 0; i < x.cols(); ++i) {
    const double size = random.normal();
    for (Index k = 0; k < 7; ++k) x(k, i) = size + 0.3 * random.normal();
    y(0, i) = std::round(10 + 3 * std::tanh(size) + 4 * x(6, i) - 4 * x(5, i) + std::exp(0.4 * size) * random.normal());
  }
  return {.x = std::move(x), .y = std::move(y)};
}

void one_gradient(const Dataset& rows) {
  const Index n = rows.size();
  const Index d = rows.x.rows();
  const Index states = 10;
  std::printf("one criterion and its gradient, n = %td, d = %td, J = %td\n", n, d, states);
  const PressMap map(d, states);
  RandomStream random(3);
  Vector theta(map.n_parameters());
  for (double& value : theta) value = 0.05 * random.normal();
  std::shared_ptr<const PackedObservations> packed;
  const double packing = best_seconds(1, [&] { packed = pack_inputs(rows.x, resolve_threads(0)); });
  std::printf("inputs %s in %.2f s\n", packed != nullptr ? "packed as bytes" : "found to be no bytes", packing);
  const double flops = 4.0 * static_cast<double>(n * d * states);
  for (const int threads : {1, resolve_threads(0)}) {
    const Limits limits = print_limits(threads);
    std::vector<double> sums(static_cast<std::size_t>(threads));
    const double reading = 2 * best_seconds(5, [&] {
                             parallel_for(threads, threads, [&](Index t) {
                               const Index size = n / threads;
                               sums[static_cast<std::size_t>(t)] = rows.x.middleCols(t * size, size).sum();
                             });
                           });
    const double eigen = best_seconds(3, [&] {
      parallel_for(threads, threads, [&](Index t) {
        const Index size = n / threads;
        Matrix gradient = Matrix::Zero(d, states);
        for (Index at = t * size; at < (t + 1) * size; at += 256) {
          const Index count = std::min<Index>(256, (t + 1) * size - at);
          const auto x = rows.x.middleCols(at, count);
          const Matrix z = map.layer(theta, 0).bottomRows(d).transpose() * x;
          gradient.noalias() += x * z.transpose();
        }
        sums[static_cast<std::size_t>(t)] += gradient.sum();
      });
    });
    std::printf("  limits: product %.1f ms, reading x twice %.1f ms; Eigen's products alone %.1f ms\n",
                1e3 * flops / limits.gemm, 1e3 * reading, 1e3 * eigen);
    for (const PressCriterion criterion : {PressCriterion::gcv, PressCriterion::loocv, PressCriterion::loo}) {
      const PressObjective objective(rows, map, criterion, {.smoothness = 10, .smoothness_weight = 1e-3}, packed);
      const double seconds = best_seconds(5, [&] { sums[0] += objective.evaluate(theta, Vector(), threads).value; });
      std::printf("  %-10s %7.1f ms   %3.0f %% of the product's limit, %3.0f %% of reading's\n",
                  choice_names<PressCriterion>[static_cast<std::size_t>(criterion)].data(), 1e3 * seconds,
                  100 * flops / limits.gemm / seconds, 100 * reading / seconds);
    }
    const PressObjective likelihood(rows, map, {make_nodes(rows.y, 0.0)}, {}, {}, packed);
    const Vector widths = Vector::Constant(states, 0.3);
    std::printf("  %-10s %7.1f ms\n", "likelihood",
                1e3 * best_seconds(3, [&] { sums[0] += likelihood.evaluate(theta, widths, threads).value; }));
  }
  std::printf("  peak memory %.0f MiB, of which x %.0f MiB\n", peak_memory(),
              static_cast<double>(rows.x.size()) * 8 / (1 << 20));
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  one_gradient(argc > 1 ? read_rows(argv[1]) : random_images(60000, 784));

  const Dataset rows = shells();
  std::printf("\npath J = 1, ..., 15 with AIC, n = 3,320, d = 7, %d threads\n", resolve_threads(0));
  for (const auto& [criterion, name] : {std::pair{PressCriterion::gcv, "gcv"},
                                        {PressCriterion::loocv, "loocv"},
                                        {PressCriterion::likelihood, "likelihood"}}) {
    PressOptions options = PressOptions::paper();
    options.criterion = criterion;
    options.start = PressStart::informed;
    options.n_starts = 3;
    options.holdout = 0;
    options.max_iterations = 300;
    options.regularization = {1e-4};
    Index states = 0;
    const double seconds = best_seconds(1, [&] { states = Press::fit(rows, options).n_states(); });
    std::printf("  %-10s three starts: %6.2f s, J = %td\n", name, seconds, states);
  }
  const double seconds = best_seconds(1, [&] { Press::fit(rows, PressOptions::paper()); });
  std::printf("  preset paper:             %6.2f s\n", seconds);
  return 0;
}
