// Forward selection with LSCDE (the paper's FW-LSCDE: its grid of 10 x 10 candidates, 5 folds,
// 100 centres) among 10 inputs of which 2 matter, n = 1,000. Three programs in one run, which
// choose the same inputs with the same scores:
//
//   obvious   the wrapper around the obvious program: every subset, fold, width and regulariser
//             builds its own kernel matrices and solves its own system
//   loop      a loop of Lscde::fit over the subsets, one after the other
//   condens   the model "forward"
//
// The obvious program is timed with numbers below 2e-308 flushed to zero, as condens does;
// without that it takes some twenty times longer (lscde_selection_benchmark). Last, what could
// be saved beyond by adding one input's squared distances to those of the inputs already
// selected: the time that distances take at all.

#include <algorithm>
#include <limits>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/estimators/forward_selection.hpp"
#include "condens/estimators/lscde.hpp"
#include "condens/registry.hpp"
#include "core/flush_subnormals.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "measure.hpp"
#include "obvious_lscde.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

constexpr Index inputs = 10;

struct Path {
  std::vector<Index> order;
  std::vector<double> scores;
  int subsets = 0;
};

/// y follows the first input and, less, the second; the others say nothing.
Dataset two_of_ten(Index n) {
  RandomStream random(1);
  Matrix x(inputs, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < inputs; ++k) x(k, i) = random.normal();
    y(0, i) = 0.8 * x(0, i) + 0.6 * x(1, i) + 0.3 * random.normal();
  }
  return {.x = std::move(x), .y = std::move(y)};
}

/// The wrapper: the empty set has no score (errata of the paper: at least one input enters).
template <class Score>
Path select(const Score& score) {
  Path path;
  double before = std::numeric_limits<double>::infinity();
  while (std::ssize(path.order) < inputs) {
    double best = std::numeric_limits<double>::infinity();
    Index entering = -1;
    for (Index k = 0; k < inputs; ++k) {
      if (std::find(path.order.begin(), path.order.end(), k) != path.order.end()) continue;
      std::vector<Index> rows = path.order;
      rows.push_back(k);
      std::sort(rows.begin(), rows.end());
      const double own = score(rows);
      ++path.subsets;
      if (own < best) {
        best = own;
        entering = k;
      }
    }
    if (!(best < before)) break;
    path.order.push_back(entering);
    path.scores.push_back(before = best);
  }
  return path;
}

/// The best cell; where all kernels underflow the plain formulas give 0/0 and have no score.
double best_cell(const Matrix& scores) {
  double best = std::numeric_limits<double>::infinity();
  for (const double score : scores.reshaped()) {
    if (score < best) best = score;
  }
  return best;
}

}  // namespace

int main() {
  const Index n = 1000;
  const Dataset data = two_of_ten(n);
  const auto fold = assign_folds(n, 5, 3);
  LscdeOptions options = LscdeOptions::paper();
  options.standardize = false;
  options.cv.assign(fold.begin(), fold.end());
  Matrix centers(inputs + 1, 100);
  centers << data.x.leftCols(100), data.y.leftCols(100);

  std::printf("FW-LSCDE: n = 1000, d_x = 10, b = 100, 10 widths x 10 regularisers x 5 folds\n");
  print_limits(1);
  Path by_obvious;
  const double t_obvious = best_seconds(1, [&] {
    const FlushSubnormals guard;
    by_obvious = select([&](const std::vector<Index>& rows) {
      const Matrix x = data.x(rows, Eigen::all);
      return best_cell(obvious(make_study(x, data.y, fold, x.leftCols(100), data.y.leftCols(100), options.bandwidth)));
    });
  });

  const auto loop = [&](int threads) {
    return select([&](const std::vector<Index>& rows) {
      LscdeOptions own = options;
      own.centers = Matrix(std::ssize(rows) + 1, 100);
      own.centers << centers(rows, Eigen::all), centers.bottomRows(1);
      const Lscde model = Lscde::fit(select_inputs(data, rows), own, {.threads = threads, .observer = {}});
      return model.report().details.at("score").as_number();
    });
  };
  Path by_loop;
  const double t_loop = best_seconds(5, [&] { by_loop = loop(1); });

  Document inner;
  inner.set("standardize", false).set("centers", centers);
  Document forward;
  forward.set("options", inner).set("cv", Document(options.cv));
  std::vector<Index> order(inputs, -1);
  Vector scores;
  const auto fit = [&](int threads) {
    const auto model = find_model("forward").fit(data, "paper", forward, {.threads = threads, .observer = {}});
    const auto& found = dynamic_cast<const ForwardSelection&>(*model);
    order.assign(static_cast<std::size_t>(found.state().ranking.maxCoeff()), -1);
    for (Index k = 0; k < inputs; ++k) {
      if (found.state().ranking[k] > 0) order[static_cast<std::size_t>(found.state().ranking[k]) - 1] = k;
    }
    scores = found.scores();
  };
  const double t_one = best_seconds(5, [&] { fit(1); });
  const int cores = resolve_threads(0);
  const double t_all = best_seconds(5, [&] { fit(cores); });

  double distances = 0;
  {
    Matrix out(100, n);
    for (Index size = 1; size <= std::ssize(order) + 1; ++size) {
      const Matrix x = data.x.topRows(size);
      const Matrix u = x.leftCols(100).transpose();
      distances += static_cast<double>(inputs + 1 - size) * best_seconds(5, [&] { squared_distances(u, x, out); });
    }
  }

  bool equal = by_obvious.order == order && by_loop.order == order;
  double largest = 0;
  for (std::size_t i = 0; equal && i < order.size(); ++i) {
    const double own = scores[static_cast<Index>(i) + 1];
    largest = std::max({largest, std::abs(own - by_obvious.scores[i]), std::abs(own - by_loop.scores[i])});
  }
  std::printf("\n%d subsets; entered in this order:", by_loop.subsets);
  for (const Index k : order) std::printf(" x%d", static_cast<int>(k));
  std::printf("; %s, largest difference of the scores %.1e\n\n", equal ? "equal in all programs" : "NOT EQUAL",
              largest);
  std::printf("%-42s %9.1f ms\n", "obvious wrapper, 1 thread", 1e3 * t_obvious);
  std::printf("%-42s %9.1f ms\n", "loop of Lscde::fit, 1 thread", 1e3 * t_loop);
  std::printf("%-42s %9.1f ms (the density without inputs included)\n", "condens, 1 thread", 1e3 * t_one);
  std::printf("%-42s %9.1f ms\n", "condens, all threads", 1e3 * t_all);
  std::printf("%-42s %9.1f x\n", "condens against obvious, 1 thread", t_obvious / t_one);
  std::printf("%-42s %9.2f x\n", "condens against the loop, 1 thread", t_loop / t_one);
  std::printf("%-42s %9.2f x (%d threads)\n", "condens, all threads against the loop", t_loop / t_all, cores);
  std::printf("squared distances in x of all subsets take %.1f ms, %.1f %% of condens: what adding them could save\n",
              1e3 * distances, 100 * distances / t_one);
  return equal && largest < 1e-9 ? 0 : 1;
}
