// Full model selection of LSCDE at the size of the paper: 10 x 10 candidates, 5 folds,
// n = 1,000, d_x = 5, b = 100. Three programs in one run, with equal scores:
//
//   obvious   each fold, width and regulariser rebuilt and solved from scratch
//   good      one Gram matrix per fold and width, one Cholesky per regulariser
//   condens   one pass per width for all folds and regularisers
//
// The rivals use the same linear algebra (Eigen) with vectorised exponentials. At the
// narrow widths of the paper's grid they work on numbers below 2e-308, which is slow;
// they are timed as they are, and again with such numbers flushed to zero as condens does.

#include "condens/data/folds.hpp"
#include "condens/estimators/lscde.hpp"
#include "core/flush_subnormals.hpp"
#include "measure.hpp"
#include "obvious_lscde.hpp"
#include "simulated.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

Matrix good(const Study& study) {
  const Index cells = static_cast<Index>(study.grid.size());
  Matrix out = Matrix::Zero(cells, cells);
  for (const Split& fold : study.folds) {
    for (Index i = 0; i < cells; ++i) {
      const double s = study.grid[i];
      const Matrix phi = kernel(fold.x_train, study.centers_x, s);
      const Matrix psi = phi.cwiseProduct(kernel(fold.y_train, study.centers_y, s));
      const double n = static_cast<double>(phi.cols());
      const Matrix h_matrix = (phi * phi.transpose()).cwiseProduct(overlaps(study.centers_y, s)) / n;
      const Vector h = psi.rowwise().sum() / n;
      const Matrix phi_test = kernel(fold.x_test, study.centers_x, s);
      const Matrix psi_test = phi_test.cwiseProduct(kernel(fold.y_test, study.centers_y, s));
      for (Index j = 0; j < cells; ++j) {
        Matrix shifted = h_matrix;
        shifted.diagonal().array() += study.grid[j];
        out(j, i) += score(phi_test, psi_test, shifted.llt().solve(h), s) / static_cast<double>(study.folds.size());
      }
    }
  }
  return out;
}

}  // namespace

int main() {
  const Index n = 1000;
  const Dataset data = two_branches(n, 5, 1);
  LscdeOptions options = LscdeOptions::paper();
  options.standardize = false;
  options.centers = Matrix(6, 100);
  options.centers << data.x.leftCols(100), data.y.leftCols(100);
  const auto fold = assign_folds(n, 5, 3);
  options.cv.assign(fold.begin(), fold.end());

  const Study study = make_study(data.x, data.y, fold, data.x.leftCols(100), data.y.leftCols(100), options.bandwidth);

  std::printf("LSCDE selection: n = 1000, d_x = 5, b = 100, 10 widths x 10 regularisers x 5 folds\n");
  print_limits(1);
  Matrix scores_obvious;
  Matrix scores_good;
  const double t_obvious = best_seconds(1, [&] { scores_obvious = obvious(study); });
  const double t_good = best_seconds(3, [&] { scores_good = good(study); });
  double t_obvious_flushed = 0;
  double t_good_flushed = 0;
  {
    const FlushSubnormals guard;
    t_obvious_flushed = best_seconds(5, [&] { obvious(study); });
    t_good_flushed = best_seconds(10, [&] { good(study); });
  }
  Vector scores;
  const auto fit = [&](int threads) {
    return best_seconds(20, [&] {
      const Lscde model = Lscde::fit(data, options, {.threads = threads, .observer = {}});
      scores = model.report().details.at("candidates").at("score").as_vector();
    });
  };
  const double t_one = fit(1);
  const int cores = resolve_threads(0);
  const double t_all = fit(cores);

  // The rivals' plain formulas are 0/0 where all kernels underflow: compare where all are finite
  // and held-out densities do not hang on rounding errors of tiny coefficients.
  double largest = 0;
  Index compared = 0;
  for (Index c = 0; c < scores.size(); ++c) {
    const double ours = scores[c];
    const double obvious_score = scores_obvious(c % 10, c / 10);
    const double good_score = scores_good(c % 10, c / 10);
    if (!std::isfinite(obvious_score) || ours > 50) continue;
    largest = std::max({largest, std::abs(ours - obvious_score), std::abs(ours - good_score)});
    ++compared;
  }
  std::printf("\n%-34s %10s %12s\n", "1 thread", "as it is", "flushed");
  std::printf("%-34s %7.1f ms %9.1f ms\n", "obvious", 1e3 * t_obvious, 1e3 * t_obvious_flushed);
  std::printf("%-34s %7.1f ms %9.1f ms\n", "good", 1e3 * t_good, 1e3 * t_good_flushed);
  std::printf("%-34s %7.1f ms\n", "condens, final fit included", 1e3 * t_one);
  std::printf("%-34s %8.1f x %10.1f x\n", "condens against obvious", t_obvious / t_one, t_obvious_flushed / t_one);
  std::printf("%-34s %8.1f x %10.1f x\n", "condens against good", t_good / t_one, t_good_flushed / t_one);
  std::printf("condens with %d threads: %.1f ms (%.2f x one thread)\n", cores, 1e3 * t_all, t_one / t_all);
  std::printf("largest difference of the scores: %.1e over %d of 100 cells (elsewhere the rivals give inf or NaN)\n",
              largest, static_cast<int>(compared));
  return largest < 1e-9 ? 0 : 1;
}
