// LSCDE at size: n = 100,000 rows, d_x = 10, b = 1,000 centres, and n = 1,000,000 once
// (argument: rows). The time is held against the limit that the machine's own GEMM and
// exp rates, measured in the same run, set for the arithmetic that cannot be avoided:
//
//   Gram matrices     S n b^2          (2 flops each, half of the symmetric matrix)
//   kernels           2 S n b exps for the Gram pass, 2 S n b for the scores
//   scores            4 S L n b flops
//   solves            S L K b^3 / 3 flops
//   final fit         n b^2 flops, 2 n b exps
//
// where S = 5 widths, L = 5 regularisers, K = 5 folds.
//
// Usage: lscde_large_benchmark [rows [centers]]

#include <cstdlib>

#include "condens/estimators/lscde.hpp"
#include "measure.hpp"
#include "simulated.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

struct Cost {
  double flops;
  double exps;
};

Cost unavoidable(double n, double b, double widths, double ridges, double folds) {
  return {widths * n * b * b + 4 * widths * ridges * n * b + widths * ridges * folds * b * b * b / 3 + n * b * b,
          4 * widths * n * b + 2 * n * b};
}

double run(Index n, Index b, const Limits& limits, int threads) {
  const Dataset data = two_branches(n, 10, 1);
  LscdeOptions options = LscdeOptions::paper();
  options.n_centers = b;
  options.bandwidth = {0.5, 1, 2, 3, 5};
  options.regularization = {0.001, 0.01, 0.1, 1, 10};
  const double seconds = best_seconds(1, [&] { Lscde::fit(data, options, {.threads = threads, .observer = {}}); });
  const Cost cost = unavoidable(static_cast<double>(n), static_cast<double>(b), 5, 5, 5);
  const double limit = cost.flops / limits.gemm + cost.exps / limits.exp;
  std::printf(
      "n = %8td  b = %4td  %8.2f s   limit %7.2f s   %3.0f %% of the limit   peak memory %.0f MiB (data %.0f MiB)\n", n,
      b, seconds, limit, 100 * limit / seconds, peak_memory(), static_cast<double>(n) * 11 * 8 / 1048576);
  std::fflush(stdout);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const Index n = argc > 1 ? std::atol(argv[1]) : 100000;
  const Index b = argc > 2 ? std::atol(argv[2]) : 1000;
  const int threads = resolve_threads(0);
  std::printf("LSCDE fit with selection: d_x = 10, 5 widths x 5 regularisers x 5 folds, %d threads\n", threads);
  const Limits limits = print_limits(threads);
  if (n > 200000) {
    run(n, b, limits, threads);
    return 0;
  }
  const double half = run(n / 2, b, limits, threads);
  const double whole = run(n, b, limits, threads);
  std::printf("twice the rows take %.2f times as long\n", whole / half);
}
