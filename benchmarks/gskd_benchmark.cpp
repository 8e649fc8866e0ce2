// Tunable kernels on the 6-D example of Chen, Hong and Harris (2010), N = 1,000, one thread:
//
//   boosting   the paper's search (population 40, 10 generations of 400 steps): kernel values per
//              second, as a share of the exponentials per second that this machine reaches
//   gradient   quasi-Newton steps from the best of 80 random candidates
//
// and what both find, each stage beside the kernels that the boosting search found before it.

#include <cmath>
#include <numbers>

#include "condens/core/random.hpp"
#include "core/flush_subnormals.hpp"
#include "estimators/gskd/kernel_search.hpp"
#include "estimators/parzen/width.hpp"
#include "measure.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

/// Equations 55 to 58: three Gaussians with variances 1 and 2 in turn.
Matrix three_gaussians(Index n, Index d, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix out(d, n);
  for (Index i = 0; i < n; ++i) {
    const Index component = random.below(3);
    for (Index k = 0; k < d; ++k) {
      const bool wide = (component == 0) == (k % 2 == 1);
      const double mean = component == 0 ? 1.0 : component == 1 ? -1.0 : 0.0;
      out(k, i) = mean + (wide ? std::numbers::sqrt2 : 1.0) * random.normal();
    }
  }
  return out;
}

void compare_searches() {
  const FlushSubnormals guard;
  const Index n = 1000;
  const Index d = 6;
  std::printf("GSKD: 6-D example, N = 1000, window of width 0.65\n");
  const Matrix z = three_gaussians(n, d, 1);
  const Vector weights = Vector::Ones(n);
  const Vector width = Vector::Constant(d, 0.65);
  const KernelRows rows =
      KernelRows::of(z, weights, parzen_density(z, weights, width, false, {.threads = 1, .observer = {}}));
  const Vector spread = (z.colwise() - z.rowwise().mean()).cwiseAbs2().rowwise().mean().cwiseSqrt();
  const KernelBox box{z.rowwise().minCoeff(), z.rowwise().maxCoeff(), width, spread};
  const RegressionPenalty penalty{1e-6, true};
  OrthogonalRegression regression(rows.target, penalty, rows.total_weight);
  const BoostingSettings settings{.population = 40, .generations = 10, .iterations = 400, .seed = 1};
  double evaluations = 0;
  double seconds = 0;
  double exps = 0;
  std::printf("%36s boosting %39s gradient\n", "", "");
  for (int stage = 1; stage <= 7; ++stage) {
    const KernelProblem problem{rows, regression, penalty};
    // The limit changes with the clock of a shared machine: measured beside every stage.
    const double limit = measure_limits(1).exp;
    FoundKernel boosting;
    const double t_boosting = best_seconds(3, [&] { boosting = search_by_boosting(problem, box, settings, 1, {}); });
    FoundKernel gradient;
    const double t_gradient = best_seconds(3, [&] { gradient = search_by_gradient(problem, box, {}, 1, {}); });
    const double values = static_cast<double>(boosting.evaluations * n);
    std::printf(
        "  kernel %d: %5ld evaluations %6.1f ms, %4.2f ns/value, %2.0f %% of exp, J %.4f | %3ld evaluations %5.1f ms, "
        "J %.4f of the J before\n",
        stage, static_cast<long>(boosting.evaluations), 1e3 * t_boosting, 1e9 * t_boosting / values,
        100 * values / t_boosting / limit, boosting.share, static_cast<long>(gradient.evaluations), 1e3 * t_gradient,
        gradient.share);
    evaluations += values;
    seconds += t_boosting;
    exps += values / limit;
    regression.add(rows.column(boosting.center, boosting.scale));
  }
  std::printf("  all: %.2f ns/value, %.0f %% of exp\n", 1e9 * seconds / evaluations, 100 * exps / seconds);
}

}  // namespace

int main() {
  keep_freed_memory();
  compare_searches();
}
