// SA-CDE of Shiga, Tangkaratt and Sugiyama (2015). First the whole selection on their toy data 1 (section 3: N = 1000,
// D_x = 6, B = 100, 20 widths x 20 penalties x 5 folds, and the fit on all rows) by three programs on one thread:
//
//   condens    the certified path, its relative gap at most 1e-6 in every cell, final fit included; then the same
//              with stop_early, as recommended: paths that cannot win are left, the choice and its model stay
//   truncated  the paper's iteration, 50 steps from 0 in every cell (errata S4), H built once per width and fold
//   converged  the same iteration, accelerated by nothing, to the same gap in every cell, at most 300,000 steps each
//
// The paper's iteration multiplies by the whole of H, as its program does; and, a help that it does not have, by the
// columns of the coefficients that are not 0.
//
// Then growth with the number of inputs at two that matter: time, peak memory, and how many products of all inputs a
// penalty took in the mean. Last, the fit as recommended, with widths to choose, of 10,000 inputs and 500 rows.
//
// usage: sacde_selection_benchmark [selection | growth | large | search]     (large: 10,000 inputs of 2,000 rows)

#include <algorithm>
#include <array>
#include <ctime>
#include <string>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "condens/estimators/sacde.hpp"
#include "core/flush_subnormals.hpp"
#include "measure.hpp"
#include "optim/proximal_group_lasso.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

constexpr Index most_steps = 300'000;

/// Of this process: other programs on the machine do not count.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Toy data 1: y on sinc(3/4 pi x_1) with falling noise; the others are x_1 and three times its spread of noise.
Dataset toy_data(Index n, Index d_x) {
  RandomStream random(1);
  Matrix x(d_x, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = 2 * random.uniform() - 1;
    for (Index k = 1; k < d_x; ++k) x(k, i) = x(0, i) + 3 / std::sqrt(3.0) * random.normal();
    const double t = 0.75 * 3.14159265358979 * x(0, i);
    y(0, i) = (t == 0 ? 1 : std::sin(t) / t) + std::exp(1 - x(0, i)) / 8 * random.normal();
  }
  return {.x = std::move(x), .y = std::move(y)};
}

Matrix standardized(const Matrix& data) {
  const Standardizer scale = Standardizer::fit(data, Vector());
  return scale.transform(data);
}

/// H a by one product with the whole matrix.
class WholeQuadratic final : public GroupQuadratic {
 public:
  explicit WholeQuadratic(const DenseGroupQuadratic& parts) : parts_(parts) {}
  const Matrix& linear() const override { return parts_.linear(); }
  void product(const Matrix& a, const std::vector<Index>&, Matrix& q) const override {
    q.reshaped().noalias() = parts_.gram() * a.reshaped();
  }
  Matrix entries(const std::vector<Index>& rows, const std::vector<Index>& columns) const override {
    return parts_.entries(rows, columns);
  }

 private:
  const DenseGroupQuadratic& parts_;
};

/// What the paper's iteration took in all cells.
struct Rival {
  const char* name;
  double truncated = 0;
  double converged = 0;
  Index unfinished = 0;
};

/// H and h of the paper at one width, by matrix products.
DenseGroupQuadratic paper_problem(const Matrix& x, const Matrix& y, const Matrix& u, const Matrix& v, double s) {
  const Index b = u.cols();
  const Index n = x.cols();
  const auto kernel = [&](const auto& centers, const auto& points, double scale) -> Matrix {
    Matrix d = (centers.transpose().replicate(1, points.cols()).rowwise() - points).array().square();
    return (d.array() * (-0.5 / (scale * scale))).exp();
  };
  Matrix phi(b * x.rows(), n);
  for (Index d = 0; d < x.rows(); ++d) {
    phi.middleRows(d * b, b) = kernel(Eigen::RowVectorXd(u.row(d)), Eigen::RowVectorXd(x.row(d)), s);
  }
  const Matrix eta = kernel(Eigen::RowVectorXd(v.row(0)), Eigen::RowVectorXd(y.row(0)), s);
  const Matrix overlap = std::sqrt(3.14159265358979) * s *
                         kernel(Eigen::RowVectorXd(v.row(0)), Eigen::RowVectorXd(v.row(0)), std::sqrt(2.0) * s);
  const double rows = static_cast<double>(n);
  Matrix gram = Matrix::Zero(phi.rows(), phi.rows());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(phi);
  gram = Matrix(gram.selfadjointView<Eigen::Lower>()).cwiseProduct(overlap.replicate(x.rows(), x.rows())) / rows;
  const Vector h = phi.cwiseProduct(eta.replicate(x.rows(), 1)).rowwise().sum() / rows;
  return {std::move(gram), Matrix(h.reshaped(b, x.rows()))};
}

void whole_selection() {
  const Dataset data = toy_data(1000, 6);
  SacdeOptions options = SacdeOptions::paper();
  options.standardize = false;
  const Matrix x = standardized(data.x);
  const Matrix y = standardized(data.y);
  options.centers = Matrix(7, 100);
  options.centers << x.leftCols(100), y.leftCols(100);
  const auto fold = assign_folds(1000, 5, 3);
  options.cv.assign(fold.begin(), fold.end());
  const std::vector<double>& grid = options.bandwidth;

  std::printf("selection on toy data 1: N = 1000, D_x = 6, B = 100, 20 widths x 20 penalties x (5 folds + all rows)\n");
  print_limits(1);
  const auto fit = [&](int threads) {
    return Sacde::fit({.x = x, .y = y}, options, {.threads = threads, .observer = {}});
  };
  const auto timed = [&](double& seconds) {
    const double cpu = processor_seconds();
    const Sacde model = fit(1);
    seconds = processor_seconds() - cpu;
    return model;
  };
  double t_one = 0;
  double t_early = 0;
  const Sacde model = timed(t_one);
  const int cores = resolve_threads(0);
  const double t_all = best_seconds(1, [&] { fit(cores); });
  options.stop_early = true;
  const Sacde early = timed(t_early);
  const bool same = early.state().bandwidth == model.state().bandwidth &&
                    early.state().regularization == model.state().regularization &&
                    early.coefficients() == model.coefficients();

  std::printf("%-44s %9.2f s\n", "condens, one thread, gap <= 1e-6", t_one);
  std::printf("%-44s %9.2f s, %s\n", "condens, stop_early", t_early, same ? "the same model" : "ANOTHER MODEL");
  std::fflush(stdout);
  // The rival solves; scores, which cost it the same as condens, are left out in its favour.
  const FlushSubnormals guard;
  const Vector weights = Vector::Ones(6);
  std::array<Rival, 2> rivals{Rival{.name = "with the whole of H"}, Rival{.name = "without columns of zeros"}};
  double gap_truncated = 0;
  double gap_at_best = 0;
  Index cells = 0;
  for (Index k = 0; k <= 5; ++k) {
    std::vector<Index> train;
    for (Index i = 0; i < 1000; ++i) {
      if (fold[static_cast<std::size_t>(i)] != k) train.push_back(i);
    }
    const Matrix x_train = x(Eigen::all, train);
    const Matrix y_train = y(Eigen::all, train);
    for (const double s : grid) {
      double begin = processor_seconds();
      const auto nonzero = paper_problem(x_train, y_train, x.leftCols(100), y.leftCols(100), s);
      const WholeQuadratic whole(nonzero);
      const double lipschitz = largest_eigenvalue(whole);
      const double preparation = processor_seconds() - begin;
      for (Rival& rival : rivals) rival.truncated += preparation;
      for (const double lambda : grid) {
        ++cells;
        for (Rival& rival : rivals) {
          const GroupQuadratic& problem = &rival == rivals.data() ? static_cast<const GroupQuadratic&>(whole) : nonzero;
          begin = processor_seconds();
          const Matrix a = proximal_group_lasso(problem, weights, lambda, lipschitz, {}).coefficients;
          rival.truncated += processor_seconds() - begin;
          const double gap = certify_group_lasso(problem.linear(), weights, lambda, a, problem.product(a)).relative_gap;
          if (std::isfinite(gap)) gap_truncated = std::max(gap_truncated, gap);
          if (k == 5 && s > 0.2 && s < 0.3 && lambda < 0.02) gap_at_best = std::max(gap_at_best, gap);
          begin = processor_seconds();
          const auto converged = proximal_group_lasso(problem, weights, lambda, lipschitz,
                                                      {.iterations = most_steps, .change = 0, .relative_gap = 1e-6});
          rival.converged += processor_seconds() - begin;
          if (converged.iterations == most_steps) ++rival.unfinished;
        }
      }
    }
  }
  std::printf("%-44s %9.2f s   (score %.4f)\n", "condens, all cores, every cell", t_all,
              model.report().details.at("score").as_number());
  std::printf("the paper's iteration, %d cells, solves only; ratios against every cell | against stop_early\n",
              static_cast<int>(cells));
  for (const Rival& rival : rivals) {
    std::printf("  %-42s %9.2f s   %5.1f x | %5.1f x\n", message("truncated, ", rival.name).c_str(), rival.truncated,
                rival.truncated / t_one, rival.truncated / t_early);
    std::printf("  %-42s %9.2f s   %5.1f x | %5.1f x; %d cells unfinished after 300,000 steps\n",
                message("converged, ", rival.name).c_str(), rival.converged, rival.converged / t_one,
                rival.converged / t_early, static_cast<int>(rival.unfinished));
  }
  std::printf("  relative gap of truncated up to %.0f %%, %.1f %% at widths near 0.25 and small penalties\n",
              100 * gap_truncated, 100 * gap_at_best);
}

/// Two of the inputs matter: one weighs two branches, one moves both.
Dataset two_of(Index d_x, Index n) {
  RandomStream random(2);
  Matrix x(d_x, n);
  for (double& value : x.reshaped()) value = random.normal();
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    y(0, i) = (random.uniform() < 1 / (1 + std::exp(-3 * x(0, i))) ? 1.5 : -1.5) + x(1, i) + 0.3 * random.normal();
  }
  return {.x = std::move(x), .y = std::move(y)};
}

void growth(Index d_x, Index n, bool search = false) {
  const Dataset data = two_of(d_x, n);
  SacdeOptions options;
  if (!search) {
    options.bandwidth = {0.5};
    options.bandwidth_y = {0.3};
  }
  const double begin = now();
  const Sacde model = Sacde::fit(data, options);
  const double seconds = now() - begin;
  const Document& certificate = model.report().details.at("certificate");
  std::printf("%6d %8d %10.2f s %10.3f ms %10.0f MiB %8d %12.1e %8.2f\n", static_cast<int>(n), static_cast<int>(d_x),
              seconds, 1e3 * seconds / static_cast<double>(d_x), peak_memory(), static_cast<int>(model.support().sum()),
              certificate.at("relative_gap").as_number(), certificate.at("mean_products").as_number());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  const std::string part = argc > 1 ? argv[1] : "";
  if (part.empty() || part == "selection") whole_selection();
  if (part == "selection") return 0;
  std::printf("\ngrowth: B = 100, one pair of widths, 20 penalties, 5 folds, all cores; two inputs matter\n");
  std::printf("%6s %8s %12s %13s %14s %8s %12s %8s\n", "rows", "inputs", "time", "per input", "peak memory", "selected",
              "gap", "products");
  if (part == "large") {
    growth(10000, 2000);
    return 0;
  }
  if (part != "search") {
    for (const Index d_x : {6, 60, 600, 6000}) growth(d_x, 500);
  }
  std::printf("as recommended, 25 pairs of widths to choose from\n");
  growth(10000, 500, true);
}
