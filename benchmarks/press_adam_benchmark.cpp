// PRESS by stochastic gradients beside quasi-Newton steps: three states whose weights follow three of twenty inputs.
//
// press_adam_benchmark [ROWS]: 40,000 without it. Prints for each search the seconds of the fit, on one thread, the
// mean log score of as many new rows, and how far coefficients are from those of the first, in root mean squares.

#include <cmath>
#include <cstdlib>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/estimators/press.hpp"
#include "measure.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

Dataset draw(Index n, std::uint64_t seed) {
  RandomStream random(seed, 11);
  Matrix x(20, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (double& value : x.col(i)) value = random.normal();
    const Vector score{{std::exp(1.5 * x(0, i)), std::exp(x(1, i) - x(2, i)), 1.0}};
    const double at = random.uniform() * score.sum();
    const int state = at < score[0] ? 0 : at < score[0] + score[1] ? 1 : 2;
    y(0, i) = 2.0 * state + (0.3 + 0.2 * state) * random.normal();
  }
  return {.x = x, .y = y};
}

}  // namespace

int main(int argc, char** argv) {
  const Index n = argc > 1 ? std::atoi(argv[1]) : 40000;
  keep_freed_memory();
  const Dataset rows = draw(n, 1);
  const Dataset test = draw(n, 2);
  const Run alone{.threads = 1, .observer = {}};
  Matrix first;
  const auto show = [&](const char* name, const PressOptions& options) {
    const double begin = now();
    const Press model = Press::fit(rows, options, alone);
    const double seconds = now() - begin;
    if (first.size() == 0) first = model.coefficients();
    const double distance = std::sqrt((model.coefficients() - first).squaredNorm() / static_cast<double>(first.size()));
    std::printf("%-28s %7.1f s   log score %.5f   coefficients differ by %.4f\n", name, seconds,
                model.log_density(test.x, test.y, alone).mean(), distance);
  };
  PressOptions options;
  options.n_states = {3};
  options.regularization = {1e-4};
  options.n_starts = 3;
  show("quasi-Newton", options);
  options.batch_size = 0;
  show("quasi-Newton, no batches", options);
  options.batch_size = PressOptions{}.batch_size;
  options.optimizer = PressOptimizer::adam;
  for (const Index passes : {5, 30}) {
    options.adam_passes = passes;
    show(passes == 5 ? "Adam, 5 passes" : "Adam, 30 passes", options);
  }
}
