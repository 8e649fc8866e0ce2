// Kernel quantile regression: 9 levels x 10 penalties x 5 folds, n = 500, d_x = 2, width 1: the
// 450 problems of a cross-validation, each solved to its certificate; then whole fits.
//
//   usage: kqr_benchmark [rows | objectives]
//
// `rows` prints the data (x1, x2, y, fold), `objectives` the seconds on one thread and the
// objective of each problem (fold, lambda, level), for benchmarks/kqr_rivals.R.

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "condens/data/folds.hpp"
#include "condens/estimators/kernel_quantile_regression.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "measure.hpp"
#include "optim/quantile_regression.hpp"
#include "simulated.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

constexpr Index n = 500;
constexpr Index folds = 5;
constexpr std::array lambdas = {10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01};
constexpr std::array levels = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};

struct Problems {
  Dataset data = two_branches(n, 2, 1);
  std::vector<Index> fold = assign_folds(n, folds, 1);
};

using Solutions = std::vector<QuantileFit>;  // fold, lambda, level

Solutions solve_fold(const Problems& problems, Index k) {
  std::vector<Index> train;
  for (Index i = 0; i < n; ++i) {
    if (problems.fold[static_cast<std::size_t>(i)] != k) train.push_back(i);
  }
  const Matrix x = problems.data.x(Eigen::all, train);
  const Vector y = problems.data.y.row(0).transpose()(train);
  Matrix kernel(x.cols(), x.cols());
  squared_distances(x.transpose(), x, kernel);
  kernel *= -0.5;
  exp_in_place(kernel);
  const Vector weights = Vector::Ones(y.size());
  const QuantileRegression regression(kernel, y, weights);
  Solutions out;
  for (const double lambda : lambdas) {
    for (const double level : levels) {
      const QuantileFit* start = level > levels.front() ? &out.back()
                                 : out.empty()          ? nullptr
                                                        : &out[out.size() - levels.size()];
      out.push_back(regression.solve(level, lambda, start));
    }
  }
  return out;
}

Solutions solve_all(const Problems& problems, int threads) {
  std::vector<Solutions> parts(folds);
  parallel_for(folds, threads, [&](Index k) { parts[static_cast<std::size_t>(k)] = solve_fold(problems, k); });
  Solutions out;
  for (Solutions& part : parts) std::move(part.begin(), part.end(), std::back_inserter(out));
  return out;
}

void print_objectives(const Problems& problems) {
  Solutions found;
  std::printf("%.6f\n", best_seconds(3, [&] { found = solve_all(problems, 1); }));
  for (const QuantileFit& fit : found) std::printf("%.17g\n", fit.objective);
}

void measure() {
  const Problems problems;
  std::printf("%zu levels x %zu lambdas x %ld folds, n = %ld, d_x = 2\n", levels.size(), lambdas.size(),
              static_cast<long>(folds), static_cast<long>(n));
  for (const int threads : {1, resolve_threads(0)}) {
    Solutions found;
    const double seconds = best_seconds(3, [&] { found = solve_all(problems, threads); });
    double gap = 0;
    double steps = 0;
    double pivots = 0;
    for (const QuantileFit& fit : found) {
      gap = std::max(gap, fit.relative_gap);
      steps += static_cast<double>(fit.newton_steps);
      pivots += static_cast<double>(fit.pivots);
    }
    const auto count = static_cast<double>(found.size());
    std::printf("  %d thread(s) %6.3f s, %.2f ms a problem; %.1f Newton steps, %.1f pivots; largest gap %.1e\n",
                threads, seconds, 1e3 * seconds * threads / count, steps / count, pivots / count, gap);
  }
  std::printf("\nwhole fit, standardisation to model, all threads\n");
  for (const Index rows : {250, 500}) {
    const Dataset data = two_branches(rows, 2, 1);
    for (const bool paper : {false, true}) {
      const double seconds = best_seconds(1, [&] { Kqr::fit(data, paper ? KqrOptions::paper() : KqrOptions{}); });
      std::printf("  n = %4ld, %-11s %7.2f s\n", static_cast<long>(rows), paper ? "paper" : "recommended", seconds);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  const std::string what = argc > 1 ? argv[1] : "";
  if (what.empty()) {
    measure();
    return 0;
  }
  const Problems problems;
  if (what == "objectives") {
    print_objectives(problems);
  } else if (what == "rows") {
    for (Index i = 0; i < n; ++i) {
      std::printf("%.17g,%.17g,%.17g,%ld\n", problems.data.x(0, i), problems.data.x(1, i), problems.data.y(0, i),
                  static_cast<long>(problems.fold[static_cast<std::size_t>(i)]));
    }
  } else {
    return 2;
  }
  return 0;
}
