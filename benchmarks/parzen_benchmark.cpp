// Parzen windows, for one thread and for all:
//
//   widths   the scores of 40 widths, N = 10,000, d = 2: leave-one-out and five-fold likelihood, squared error; and
//            the share of the time that the exponentials of all pairs alone would take. Then what a gradient and a
//            whole search cost.
//   window   10^6 points on 10^6 centres in 2-D to a stated relative error, against all kernels of a sample of the
//            points (scaled to all of them).
//   sketch   a table in blocks of 100,000 rows, y of two branches over 0 to 2 normal inputs: seconds of the fit on one
//            thread, kernels, and the bound on what they change; where that is quick, the mean log p(y|x) of fresh rows
//            beside that of a kernel at every row.
//
// usage: parzen_benchmark [widths | window | sketch | five-fold FILE]
//        (five-fold is the C++ side of parzen_rivals.py: FILE holds n, d and the number of widths, then the points, the
//        fold of every point and the widths; prints seconds for one thread and for all, then the mean score of every
//        width over the folds, as GridSearchCV has it)

#include <cstdlib>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/estimators/parzen.hpp"
#include "condens/estimators/parzen/window.hpp"
#include "condens/registry.hpp"
#include "core/flush_subnormals.hpp"
#include "estimators/parzen/criterion.hpp"
#include "estimators/parzen/width.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "measure.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

/// Two noisy rings of radius 1 and 2.
Matrix two_rings(Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix z(2, n);
  for (Index i = 0; i < n; ++i) {
    const double radius = (random.uniform() < 0.5 ? 1.0 : 2.0) + 0.1 * random.normal();
    const double angle = 2 * std::numbers::pi * random.uniform();
    z.col(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  return z;
}

void print_share(const char* what, double seconds, double exponentials, const Limits& limits) {
  std::printf("  %-34s %8.3f s   all exponentials alone: %.0f %%\n", what, seconds,
              100 * exponentials / limits.exp / seconds);
}

void widths() {
  const Index n = 10000;
  const Matrix z = two_rings(n, 1);
  std::vector<double> grid;
  for (int k = 0; k < 40; ++k) grid.push_back(0.01 * std::pow(200.0, k / 39.0));
  std::vector<Index> fold(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) fold[static_cast<std::size_t>(i)] = i % 5;
  const ParzenCriterion one_out(Scoring::nll, z);
  const ParzenCriterion five_fold(Scoring::nll, z, Vector(), fold);
  const ParzenCriterion squared(Scoring::squared, z);
  const double pairs = 0.5 * static_cast<double>(n * n);
  std::printf("N = 10,000, d = 2 (two rings)\n");
  for (const int threads : {1, resolve_threads(0)}) {
    const Limits limits = print_limits(threads);
    const auto time = [&](const ParzenCriterion& of) {
      return best_seconds(3, [&] { of.of_candidates(grid, threads); });
    };
    print_share("40 widths, leave-one-out", time(one_out), 40 * pairs, limits);
    print_share("40 widths, five folds", time(five_fold), 40 * 0.8 * pairs, limits);
    print_share("40 widths, squared error", time(squared), 40 * pairs, limits);
    print_share("one width 0.1 and its derivative", best_seconds(5, [&] { one_out.of_width(0.1, threads); }), pairs,
                limits);
    print_share("two widths 0.1 and the gradient",
                best_seconds(5, [&] { one_out.of_widths(Vector::Constant(2, 0.1), threads); }), pairs, limits);
    double found = 0;
    const Run run{.threads = threads, .observer = {}};
    const double seconds = best_seconds(3, [&] { found = parzen_likelihood_width(z, Vector(), run); });
    std::printf("  the best width of all (%.4f)       %8.3f s\n", found, seconds);
  }
}

/// log p by every kernel; eight points at a time share each block of centres.
Vector brute_force(const Matrix& centers, const Matrix& points, double width, int threads) {
  const FlushSubnormals guard;  // as every fit and every window has it
  const Matrix u = centers.transpose() / width;
  const Index block = 1024;
  const Index together = 8;
  Vector totals = Vector::Zero(points.cols());
  parallel_for(block_count(points.cols(), together), threads, [&](Index task) {
    const Range range = block_range(points.cols(), together, task);
    Vector terms(block);
    for (Index begin = 0; begin < u.rows(); begin += block) {
      const Index count = std::min(block, u.rows() - begin);
      for (Index i = range.begin; i < range.end; ++i) {
        squared_distances(u.middleRows(begin, count), points.col(i) / width, terms.head(count));
        for (Index k = 0; k < count; ++k) terms[k] *= -0.5;
        exp_in_place(terms.data(), count);
        totals[i] += sum(terms.data(), count);
      }
    }
  });
  return (totals / static_cast<double>(u.rows())).array().log() - log_kernel_mass(2, width);
}

void window() {
  const Index n = 1000000;
  const Index sample = 400;
  const Matrix centers = two_rings(n, 1);
  const Matrix points = two_rings(n, 2);
  const double width = 0.1 * parzen_likelihood_width(centers.leftCols(20000) / 0.1, Vector()) *
                       std::pow(20000.0 / static_cast<double>(n), 1.0 / 6);
  std::printf("\n10^6 points on 10^6 centres in 2-D (two rings), width %.4f\n", width);
  const int threads = resolve_threads(0);
  const Limits limits = print_limits(threads);
  Vector exact;
  const double brute = best_seconds(2, [&] { exact = brute_force(centers, points.leftCols(sample), width, threads); }) *
                       static_cast<double>(n) / static_cast<double>(sample);
  std::printf("  all kernels     %8.0f s (timed on %ld points, scaled); all exponentials alone: %.0f %%\n", brute,
              static_cast<long>(sample), 100 * static_cast<double>(n) * static_cast<double>(n) / limits.exp / brute);
  for (const double error : {1e-12, 1e-6}) {
    double begin = now();
    const ParzenWindow of(centers, Vector(), Vector::Constant(2, width), error);
    const double build = now() - begin;
    begin = now();
    const Vector found = of.log_density(points, {.threads = threads, .observer = {}});
    const double seconds = now() - begin;
    const double worst = (found.head(sample) - exact).array().expm1().abs().maxCoeff();
    std::printf(
        "  error %.0e     %8.1f s, and %.1f s to arrange the centres: %.0f times faster; worst error of the sample "
        "%.1e\n",
        error, seconds, build, brute / (seconds + build), worst);
  }
}

Dataset narrow_branches(Index n, Index d_x, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x(d_x, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) x(k, i) = random.normal();
    const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
    y(0, i) = branch + (d_x > 0 ? std::sin(2 * x(0, i)) : 0.0) + 0.2 * random.normal();
  }
  return {.x = std::move(x), .y = std::move(y)};
}

void sketch() {
  constexpr Index most_in_memory = 200'000;
  const Run run{.threads = 1, .observer = {}};
  std::printf("\nTables in blocks of 100,000 rows, 1 thread\n");
  for (const Index n : {most_in_memory, Index{1'000'000}}) {
    for (const Index d_x : {0, 1, 2}) {
      const Dataset data = narrow_branches(n, d_x, 1);
      BlocksInMemory table(data, 100'000, run);
      const double begin = now();
      const Parzen found = Parzen::fit(table, {}, run);
      const double seconds = now() - begin;
      const Document& told = found.report().details;
      std::printf("  N = %7ld, d = %ld  %6.2f s  %6ld kernels, edge %.3f widths, bound %.4f\n", static_cast<long>(n),
                  static_cast<long>(d_x) + 1, seconds, static_cast<long>(found.n_kernels()),
                  told.at("sketch_edge").as_number(), told.at("total_variation_bound").as_number());
      if (n > most_in_memory) continue;
      const Vector& widths = found.bandwidths();
      const Parzen all =
          Parzen::fit(data, {.shape = ParzenShapeChoice::diagonal, .bandwidth = {widths.begin(), widths.end()}}, run);
      const Dataset fresh = narrow_branches(20'000, d_x, 2);
      std::printf("    mean log p(y|x) of fresh rows %.6f, of a kernel at every row %.6f\n",
                  found.log_density(fresh.x, fresh.y).mean(), all.log_density(fresh.x, fresh.y).mean());
    }
  }
}

int five_fold(const char* path) {
  std::ifstream in(path);
  Index n = 0;
  Index d = 0;
  std::size_t count = 0;
  in >> n >> d >> count;
  Matrix z(d, n);
  for (double& value : z.reshaped()) in >> value;
  std::vector<Index> fold(static_cast<std::size_t>(n));
  for (Index& value : fold) in >> value;
  std::vector<double> grid(count);
  for (double& value : grid) in >> value;
  if (!in) return 2;
  std::vector<ParzenLoss> losses;
  for (const int threads : {1, resolve_threads(0)}) {
    const double seconds = best_seconds(
        3, [&] { losses = ParzenCriterion(Scoring::nll, z, Vector(), fold).of_candidates(grid, threads); });
    std::printf("%d %.6f\n", threads, seconds);
  }
  const double folds = static_cast<double>(*std::max_element(fold.begin(), fold.end()) + 1);
  for (const ParzenLoss& loss : losses) std::printf("%.17g\n", -loss.rows.sum() / folds);
  const double seconds = best_seconds(3, [&] { ParzenCriterion(Scoring::nll, z).of_candidates(grid, 1); });
  std::printf("%.6f\n", seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "five-fold" && argc == 3) return five_fold(argv[2]);
  if (argc > 2 || (!what.empty() && what != "widths" && what != "window" && what != "sketch")) return 2;
  if (what.empty() || what == "widths") widths();
  if (what.empty() || what == "window") window();
  if (what.empty() || what == "sketch") sketch();
}
