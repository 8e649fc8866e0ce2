#include "trend_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "condens/core/random.hpp"
#include "condens/estimators/gaussian_process/likelihood.hpp"
#include "condens/kernels/centers.hpp"
#include "estimators/gaussian_process/inducing.hpp"
#include "estimators/gaussian_process/search.hpp"
#include "linalg/cholesky.hpp"
#include "model/preparation.hpp"
#include "trend_ridge.hpp"

namespace condens::trends {

namespace {

constexpr Index columns_per_block = 64;
constexpr double least_width = 0.125;  // of the grid, in units of the spread of x
constexpr int widths = 7;              // each twice the one before

/// Rounding decides nothing.
bool clearly_less(double a, double b) { return a < (1 - 1e-9) * b; }

/// The mean, and the residuals without the row: the others' mean.
std::vector<Fitted> constants(const Dataset& data, Loss loss) {
  const double total = data.weights.sum();
  std::vector<Fitted> out;
  for (Index t = 0; t < data.y.rows(); ++t) {
    Fitted own;
    const double mean = data.y.row(t).dot(data.weights) / total;
    own.trend = Trend::constant(mean, data.x.rows());
    own.residuals.resize(data.size());
    for (Index i = 0; i < data.size(); ++i) {
      own.residuals[i] = left_out(data.y(t, i) - mean, data.weights[i] / total);
    }
    own.score = own.constant_score = score_of(own.residuals, data.weights, loss).mean;
    out.push_back(std::move(own));
  }
  return out;
}

// --- ridge regression --------------------------------------------------------------------------

class Ridge {
 public:
  Ridge(const Dataset& data, const Settings& settings, const Run& run)
      : data_(data), settings_(settings), task_(run, std::string(settings.task), expected_widths()) {
    spread_ = Standardizer::fit(data.x, data.weights).scale().norm();
    lambda_ = settings.regularization.empty() ? preparation::log_spaced(1e-8, 10, 19) : settings.regularization;
    centers_ = Matrix(data.x.rows(), 0);
    if (settings.kind != TrendKind::linear) {
      const auto stream = static_cast<std::uint64_t>(settings.seed);
      const Index most = std::min(settings.n_centers, data.size());
      centers_ = data.x(Eigen::all, kmeans_centers(data.x, data.weights, most, stream, task_.threads()));
    }
  }

  /// Improves on `fitted`, the constants.
  void fit(std::vector<Fitted>& fitted) {
    if (settings_.kind == TrendKind::linear) {
      compare({0.0}, fitted);
    } else if (!settings_.bandwidth.empty()) {
      compare(settings_.bandwidth, fitted);
    } else {
      search(fitted);
    }
    for (std::size_t t = 0; t < fitted.size(); ++t) finish(static_cast<Index>(t), fitted[t]);
  }

 private:
  /// A grid of widths, no kernels at all, and the widths between the best and its neighbours.
  void search(std::vector<Fitted>& fitted) {
    std::vector<double> grid;
    for (int i = 0; i < widths; ++i) grid.push_back(least_width * std::pow(2.0, i) * spread_);
    std::vector<double> all{0.0};
    all.insert(all.end(), grid.begin(), grid.end());
    compare(all, fitted);
    std::set<double> more;
    for (const Fitted& own : fitted) {
      const double best = best_of(own.candidates).bandwidth;
      if (best == 0) continue;
      for (const double width : preparation::between_neighbours(grid, best)) more.insert(width);
    }
    for (const double width : grid) more.erase(width);
    compare({more.begin(), more.end()}, fitted);
  }

  double expected_widths() const {
    return settings_.bandwidth.empty() ? widths + 3.0 : static_cast<double>(settings_.bandwidth.size());
  }

  Features features(double width) const { return {centers_, width, 1.0 / spread_}; }

  void compare(const std::vector<double>& grid, std::vector<Fitted>& fitted) {
    std::vector<std::vector<std::vector<Score>>> scores(grid.size());
    parallel_for(
        std::ssize(grid), task_.threads(),
        [&](Index k) {
          const auto place = static_cast<std::size_t>(k);
          scores[place] = RidgePath(features(grid[place]), data_, task_).scores(lambda_, settings_.loss, task_);
          task_.advance(1.0);
        },
        [&] { task_.poll(); });
    for (std::size_t k = 0; k < grid.size(); ++k) {
      for (std::size_t t = 0; t < fitted.size(); ++t) {
        for (std::size_t j = 0; j < lambda_.size(); ++j) {
          fitted[t].candidates.push_back({grid[k], lambda_[j], scores[k][t][j]});
        }
      }
    }
  }

  static const Candidate& best_of(const std::vector<Candidate>& candidates) {
    const Candidate* best = &candidates.front();
    for (const Candidate& own : candidates) {
      if (clearly_less(own.score.mean, best->score.mean)) best = &own;
    }
    return *best;
  }

  void finish(Index target, Fitted& own) {
    const Candidate& best = best_of(own.candidates);
    if (!clearly_less(best.score.mean, own.constant_score)) return;
    const RidgePath path(features(best.bandwidth), data_, task_);
    own.kind = best.bandwidth > 0 ? TrendKind::ridge : TrendKind::linear;
    own.trend = path.trend(target, best.regularization);
    own.residuals = path.residuals(target, best.regularization);
    own.score = best.score.mean;
    own.regularization = best.regularization;
  }

  const Dataset& data_;
  const Settings& settings_;
  Task task_;
  double spread_ = 0;  // the root of the total variance of x
  std::vector<double> lambda_;
  Matrix centers_;
};

// --- Gaussian process --------------------------------------------------------------------------

/// The diagonal of K^-1, the squared norms of the columns of L^-1.
Vector inverse_diagonal(const Matrix& lower, int threads) {
  const Index n = lower.rows();
  Vector out(n);
  parallel_for(block_count(n, columns_per_block), threads, [&](Index block) {
    const Range range = block_range(n, columns_per_block, block);
    const Index rows = n - range.begin;  // those above are zero
    Matrix columns = Matrix::Zero(rows, range.size());
    columns.topRows(range.size()).setIdentity();
    solve_lower_in_place(lower.bottomRightCorner(rows, rows), columns);
    out.segment(range.begin, range.size()) = columns.colwise().squaredNorm().transpose();
  });
  return out;
}

/// Around zero. `shuffled` are the rows `order` of the data, those of the search.
Fitted process(const Dataset& data, Index target, const std::vector<Index>& order, const Dataset& shuffled,
               const gp::Found& found, Loss loss, int threads) {
  Fitted out;
  out.kind = TrendKind::gp;
  out.finished = found.finished;
  out.regularization = found.at.noise_variance / found.at.signal_variance / shuffled.weights.sum();
  out.trend = {0.0, Vector::Zero(data.x.rows()), found.at.length_scales, {}, {}};
  out.residuals = Vector(data.size());
  if (found.induced) {
    out.trend.centers = found.induced->points();
    out.trend.coefficients = found.at.signal_variance * found.induced->kernel_coefficients();
    out.residuals(order) = found.left_out.residuals;
  } else {
    const gp::Factor factor = gp::factorize(shuffled.x, shuffled.weights, found.at, threads);
    const Vector alpha = gp::solve(factor, shuffled.y.row(target).transpose());
    out.trend.centers = shuffled.x;
    out.trend.coefficients = found.at.signal_variance * alpha;
    out.residuals(order) = alpha.cwiseQuotient(inverse_diagonal(factor.lower, threads));
  }
  out.score = score_of(out.residuals, data.weights, loss).mean;
  return out;
}

/// Length scales and variances fit all rows, those left out among them: Akaike's (1970) factor from the error of a fit
/// with p parameters to that of new rows, (n + p) / (n - p).
double price_of_lengths(const Dataset& data) {
  const auto n = static_cast<double>(data.size());
  const auto p = static_cast<double>(data.x.rows() + 2);
  return n > p ? (n + p) / (n - p) : std::numeric_limits<double>::infinity();
}

/// Improves on `fitted` by processes around the means of y.
void fit_processes(const Dataset& data, const Settings& settings, const Run& run, std::vector<Fitted>& fitted) {
  const Vector mean = data.y * data.weights / data.weights.sum();
  const Dataset centred{.x = data.x, .y = data.y.colwise() - mean, .weights = data.weights};
  const std::vector<Index> order = RandomStream(static_cast<std::uint64_t>(settings.seed)).permutation(data.size());
  const Dataset shuffled = centred.subset(order);
  const GaussianProcessOptions options{.max_rows = settings.max_rows, .seed = settings.seed};
  const std::vector<gp::Found> found = gp::search(shuffled, options, run);
  for (std::size_t t = 0; t < fitted.size(); ++t) {
    const auto target = static_cast<Index>(t);
    Fitted own = process(centred, target, order, shuffled, found[t], settings.loss, resolve_threads(run.threads));
    const double price = settings.kind == TrendKind::automatic ? price_of_lengths(data) : 1.0;
    if (!clearly_less(price * own.score, fitted[t].score)) continue;
    own.trend.intercept = mean[target];
    own.constant_score = fitted[t].constant_score;
    own.candidates = std::move(fitted[t].candidates);
    fitted[t] = std::move(own);
  }
}

}  // namespace

std::vector<Fitted> fit(const Dataset& data, const Settings& settings, const Run& run) {
  std::vector<Fitted> out = constants(data, settings.loss);
  const bool varies = data.x.rows() > 0 && (Standardizer::fit(data.x, data.weights).scale().array() > 0).any();
  if (settings.kind == TrendKind::constant || !varies) return out;
  if (settings.kind != TrendKind::gp) Ridge(data, settings, run).fit(out);
  if (settings.kind == TrendKind::gp || settings.kind == TrendKind::automatic) fit_processes(data, settings, run, out);
  return out;
}

}  // namespace condens::trends
