#include "kernel_selection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "estimators/kernels_at_points/kernel_sums.hpp"

namespace condens {

namespace {

struct Best {
  Index candidate = -1;
  double criterion = infinity;
};

/// All points as candidates, with what bounds the criterion of each.
class Candidates {
 public:
  Candidates(const Matrix& points, const Vector& weights, const Vector& target, const SelectionSettings& settings)
      : points_(points),
        settings_(settings),
        root_(weights.cwiseSqrt()),
        squares_(kernel_sums(points, 1.0, weights, settings.threads, settings.poll)),
        products_(kernel_sums(points, 0.5, weights.cwiseProduct(target), settings.threads, settings.poll)),
        column_squares_(squares_),
        target_norm_(root_.cwiseProduct(target).norm()),
        kept_(static_cast<std::size_t>(points.rows())) {}

  Vector column(Index j) const {
    Vector out(points_.rows());
    kernel_column(points_, 0.5, j, out);
    return out.cwiseProduct(root_);
  }

  /// The candidate of the least J: exact evaluations in the order of the bounds, a few at first.
  Best best(const OrthogonalRegression& regression, double total_weight) {
    const Vector bound = bounds(regression);
    std::vector<Index> order;
    for (Index j = 0; j < bound.size(); ++j) {
      if (bound[j] < infinity) order.push_back(j);
    }
    std::sort(order.begin(), order.end(),
              [&](Index i, Index j) { return bound[i] < bound[j] || (bound[i] == bound[j] && i < j); });
    Best out;
    Index first = 0;
    const auto is_open = [&] {
      return first < std::ssize(order) && bound[order[static_cast<std::size_t>(first)]] / total_weight <= out.criterion;
    };
    while (is_open()) {
      const Index count = std::min(first == 0 ? tile : 8 * tile, std::ssize(order) - first);
      const Vector criteria = evaluate(regression, order.data() + first, count);
      for (Index k = 0; k < count; ++k) {
        const Index j = order[static_cast<std::size_t>(first + k)];
        if (out.candidate < 0 || criteria[k] < out.criterion) out = {j, criteria[k]};
      }
      first += count;
      evaluations_ += count;
    }
    return out;
  }

  /// w_j'w_j and w_j't after the column that came last.
  void update(const OrthogonalRegression& regression) {
    const Index last = regression.n_columns() - 1;
    const Vector w = regression.last_orthogonal();
    const double square = regression.squares()[last];
    const double coefficient = regression.orthogonal_coefficients()[last];
    const double product = coefficient * (square + regression.penalties()[last]);
    const Vector share = kernel_sums(points_, 0.5, root_.cwiseProduct(w), settings_.threads, settings_.poll) / square;
    squares_ -= square * share.cwiseAbs2();
    products_ -= product * share;
  }

  Index evaluations() const { return evaluations_; }

 private:
  static constexpr Index tile = 16;
  static constexpr Index most_kept = Index{1} << 23;  // numbers: 64 MiB

  /// Orthogonal columns of the candidates that have been looked at are kept, as far as memory goes: the next look
  /// takes out only what has been chosen since.
  Vector evaluate(const OrthogonalRegression& regression, const Index* candidates, Index count) {
    Vector out(count);
    for (Index k = 0; k < count; ++k) {
      Kept& kept = kept_[static_cast<std::size_t>(candidates[k])];
      if (kept.w.size() > 0 || (n_kept_ + 1) * points_.rows() > most_kept) continue;
      kept.w.resize(points_.rows());
      ++n_kept_;
    }
    const auto body = [&](Index block) {
      const Range range = block_range(count, tile, block);
      for (Index k = range.begin; k < range.end; ++k) out[k] = criterion_of(regression, candidates[k]);
    };
    parallel_for(block_count(count, tile), settings_.threads, body, settings_.poll);
    return out;
  }

  double criterion_of(const OrthogonalRegression& regression, Index j) {
    Kept& kept = kept_[static_cast<std::size_t>(j)];
    if (kept.w.size() == 0) return regression.criterion_with(column(j));
    if (kept.n_columns < 0) kept = {column(j), 0};
    regression.orthogonalize(kept.w, kept.n_columns);
    kept.n_columns = regression.n_columns();
    return regression.criterion_with_orthogonal(kept.w, column_squares_[j]);
  }

  /// RSS_j less what rounding may have added to it; infinite for a combination of chosen columns.
  Vector bounds(const OrthogonalRegression& regression) const {
    const double rest = regression.residuals().squaredNorm();
    const double rounding = 1e-14 * static_cast<double>(regression.n_columns() + 1);
    Vector out(squares_.size());
    for (Index j = 0; j < out.size(); ++j) {
      const double penalty = settings_.penalty.of(column_squares_[j]);
      const double square = std::max(squares_[j], 0.5e-12 * column_squares_[j]);
      const double kappa = square + penalty;
      const double g = kappa > 0 ? products_[j] / kappa : 0.0;
      const double error =
          rounding * (std::abs(g) * std::sqrt(column_squares_[j]) * target_norm_ + g * g * column_squares_[j]);
      const bool spent = squares_[j] <= 0.5e-12 * column_squares_[j];
      out[j] = spent ? infinity : std::max(rest - g * g * (kappa + penalty) - error, 0.0);
    }
    return out;
  }

  const Matrix& points_;
  const SelectionSettings& settings_;
  Vector root_;
  Vector squares_;
  Vector products_;
  Vector column_squares_;
  double target_norm_;
  struct Kept {
    Vector w;
    Index n_columns = -1;  // taken out of w
  };
  std::vector<Kept> kept_;
  Index n_kept_ = 0;
  Index evaluations_ = 0;
};

/// lambda_i <- (gamma_i / (N - sum gamma)) |eps|^2 / g_i^2, gamma_i = w_i'w_i / (lambda_i + w_i'w_i).
Vector evidence_penalties(const OrthogonalRegression& regression, double total_weight) {
  const Vector squares = regression.squares();
  const Vector effective = squares.cwiseQuotient(regression.penalties() + squares);
  const double freedom = std::max(total_weight, static_cast<double>(regression.n_rows())) - effective.sum();
  const double noise = regression.residuals().squaredNorm() / std::max(freedom, 1e-3);
  const Vector power = regression.orthogonal_coefficients().cwiseAbs2();
  // Between what changes nothing and what takes the column out.
  const Vector most = 1e12 * squares;
  return (power.array() > 0)
      .select(noise * effective.array() / power.array(), most.array())
      .max(1e-12 * squares.array())
      .min(most.array())
      .matrix();
}

/// Forward regression once more on the chosen columns alone, each with its own regulariser.
class Refinement {
 public:
  Refinement(std::vector<Index> points, Matrix columns, const SelectionSettings& settings, Vector target,
             double total_weight)
      : points_(std::move(points)),
        columns_(std::move(columns)),
        settings_(settings),
        target_(std::move(target)),
        total_weight_(total_weight) {}

  /// Replaces the selection by that with `penalties`; false where the same columns came again.
  bool select(KernelSelection& selection, const Vector& penalties) const {
    OrthogonalRegression regression(target_, settings_.penalty, total_weight_);
    std::vector<double> path = {regression.criterion()};
    std::vector<Index> order;
    std::vector<Index> rest(points_.size());
    std::iota(rest.begin(), rest.end(), Index{0});
    while (!rest.empty()) {
      const auto [criterion, at] = best(regression, rest, penalties);
      if (!(criterion < (1 - settings_.stop_tolerance) * regression.criterion()) && !order.empty()) break;
      const Index j = rest[static_cast<std::size_t>(at)];
      rest.erase(rest.begin() + at);
      if (!regression.add(columns_.col(j), penalty_of(penalties[j]))) break;
      order.push_back(j);
      path.push_back(regression.criterion());
    }
    if (order.empty()) return false;
    const bool changed = order.size() != selection.points.size();
    selection.points.clear();
    for (const Index j : order) selection.points.push_back(points_[static_cast<std::size_t>(j)]);
    selection.regression = std::move(regression);
    selection.path = std::move(path);
    return changed;
  }

 private:
  static RegressionPenalty penalty_of(double value) { return {.value = value, .relative = false}; }

  std::pair<double, Index> best(const OrthogonalRegression& regression, const std::vector<Index>& rest,
                                const Vector& penalties) const {
    std::pair<double, Index> out{infinity, 0};
    for (std::size_t k = 0; k < rest.size(); ++k) {
      const double criterion = regression.criterion_with(columns_.col(rest[k]), penalty_of(penalties[rest[k]]));
      out = std::min(out, {criterion, static_cast<Index>(k)});
    }
    return out;
  }

  std::vector<Index> points_;
  Matrix columns_;
  const SelectionSettings& settings_;
  Vector target_;
  double total_weight_;
};

}  // namespace

KernelSelection select_kernels(const Matrix& points, const Vector& weights, const Vector& target,
                               const SelectionSettings& settings) {
  const double total_weight = weights.sum();
  const Vector scaled_target = weights.cwiseSqrt().cwiseProduct(target);
  Candidates candidates(points, weights, target, settings);
  KernelSelection out{{}, {scaled_target, settings.penalty, total_weight}, {}, 0, false};
  out.path.push_back(out.regression.criterion());
  while (std::ssize(out.points) < settings.max_kernels) {
    const Best best = candidates.best(out.regression, total_weight);
    const bool lower = best.criterion < (1 - settings.stop_tolerance) * out.regression.criterion();
    if (best.candidate < 0 || (!lower && !out.points.empty())) break;
    if (!out.regression.add(candidates.column(best.candidate))) break;
    out.forced = !lower;
    out.points.push_back(best.candidate);
    out.path.push_back(out.regression.criterion());
    if (out.forced) break;
    candidates.update(out.regression);
  }
  if (out.points.empty()) {
    throw NumericalError("no kernel can be chosen: at this bandwidth none has a value that numbers can hold");
  }
  out.evaluations = candidates.evaluations();
  if (!settings.local_regularization || out.forced) return out;

  for (int round = 0; round < 10; ++round) {
    const std::vector<Index> chosen = out.points;
    Matrix columns(points.rows(), std::ssize(chosen));
    for (Index j = 0; j < columns.cols(); ++j) columns.col(j) = candidates.column(chosen[static_cast<std::size_t>(j)]);
    const Vector before = out.regression.penalties();
    const Vector penalties = evidence_penalties(out.regression, total_weight);
    const bool changed =
        Refinement(chosen, std::move(columns), settings, scaled_target, total_weight).select(out, penalties);
    if (!changed && (penalties - before).cwiseAbs().maxCoeff() <= 1e-3 * before.maxCoeff()) break;
  }
  return out;
}

}  // namespace condens
