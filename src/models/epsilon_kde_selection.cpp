// A held-out row's neighbours within the largest radius are cut into shells: shell r holds
// those within radius r but not within a smaller one. Sums over shells give every radius.

#include "epsilon_kde_selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "condens/kernels/gaussian_kernel.hpp"
#include "condens/linalg/log_sum_exp.hpp"
#include "condens/linalg/vector_math.hpp"

namespace condens::ekde {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index rows_per_block = 16;

double log_add(double a, double b) {
  const double larger = std::max(a, b);
  return larger == -infinity ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

/// Samples that enter a sum together, with what the sums over y need.
struct Shell {
  std::vector<Index> rows;
  Matrix y;  ///< d_y x rows
  Vector weights;
  Vector log_weights;
  Vector squared_distances_y;  ///< to the held-out row's y

  bool empty() const { return rows.empty(); }

  void complete(const Problem& problem, const Vector& all_log_weights, Index held_out) {
    y = problem.y(Eigen::all, rows);
    weights = problem.weights(rows);
    log_weights = all_log_weights(rows);
    Matrix distances(std::ssize(rows), 1);
    squared_distances(y.transpose(), problem.y.col(held_out), distances);
    squared_distances_y = distances.col(0);
  }
};

/// What the mixture of the samples of some shells is made of, for one width; it grows shell by shell.
struct Sums {
  double weight = 0;               ///< sum_i w_i
  double log_kernels = -infinity;  ///< log sum_i w_i exp(-|y - y_i|^2 / (2 s^2))
  double pairs = 0;                ///< sum_ij w_i w_j N(y_i; y_j, 2 s^2): the integral of the squared sum
  double defensive_overlap = 0;    ///< sum_i w_i integral N(.; y_i, s^2) N(.; defensive)
};

class HeldOutRow {
 public:
  HeldOutRow(const Problem& problem, const Vector& log_weights, Index row, const std::vector<double>& squared_radius)
      : problem_(problem), row_(row), shells_(squared_radius.size()) {
    Neighborhood found;
    problem.neighbors.within(problem.x.col(row), squared_radius.back(), found);
    double nearest = infinity;
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
      if (own_fold(found.rows[i])) continue;
      const double distance = found.squared_distances[i];
      nearest = std::min(nearest, distance);
      const auto shell = std::lower_bound(squared_radius.begin(), squared_radius.end(), distance);
      shells_[static_cast<std::size_t>(shell - squared_radius.begin())].rows.push_back(found.rows[i]);
    }
    while (n_empty_ < shells_.size() && shells_[n_empty_].empty()) ++n_empty_;
    if (n_empty_ > 0) find_fallback(nearest);
    for (Shell& shell : shells_) shell.complete(problem, log_weights, row);
    fallback_.complete(problem, log_weights, row);
    log_defensive_ = problem.defensive.log_density(problem.y.col(row))[0];
  }

  /// The number of radii within which there is no sample.
  std::size_t n_empty() const { return n_empty_; }

  /// The score of every radius at one width.
  Vector score(double width) const {
    Vector out(std::ssize(shells_));
    Sums sums;
    if (n_empty_ > 0) {
      add(fallback_, width, sums);
      out.head(static_cast<Index>(n_empty_)).setConstant(score_of(sums, width));
      sums = Sums();
    }
    for (std::size_t r = n_empty_; r < shells_.size(); ++r) {
      if (!shells_[r].empty()) add(shells_[r], width, sums);
      if (problem_.scoring == Scoring::squared) {
        for (std::size_t s = n_empty_; s < r; ++s) sums.pairs += 2 * pairs(shells_[s], shells_[r], width);
      }
      out[static_cast<Index>(r)] = score_of(sums, width);
    }
    return out;
  }

 private:
  bool own_fold(Index row) const {
    return problem_.fold[static_cast<std::size_t>(row)] == problem_.fold[static_cast<std::size_t>(row_)];
  }

  /// `nearest`: the smallest squared distance of another fold's sample, infinite if none was within the largest radius.
  void find_fallback(double nearest) {
    const Vector distances = problem_.neighbors.squared_distances_to(problem_.x.col(row_));
    const bool all = problem_.empty_neighborhood == EmptyNeighborhood::all;
    if (!all && nearest == infinity) {
      for (Index i = 0; i < distances.size(); ++i) {
        if (!own_fold(i)) nearest = std::min(nearest, distances[i]);
      }
    }
    for (Index i = 0; i < distances.size(); ++i) {
      if (!own_fold(i) && (all || distances[i] <= nearest)) fallback_.rows.push_back(i);
    }
  }

  /// The shell's own terms.
  void add(const Shell& shell, double width, Sums& sums) const {
    Vector work = shell.log_weights - shell.squared_distances_y * (0.5 / (width * width));
    sums.log_kernels = log_add(sums.log_kernels, log_sum_exp_in_place(work.data(), work.size()));
    sums.weight += sum(shell.weights.data(), shell.weights.size());
    if (problem_.scoring == Scoring::nll) return;
    sums.pairs += pairs(shell, shell, width);
    if (problem_.defensive.weight > 0) {
      sums.defensive_overlap += shell.weights.dot(problem_.defensive.overlaps(shell.y, width));
    }
  }

  /// sum over i of `a`, j of `b` of w_i w_j N(y_i; y_j, 2 s^2 I).
  static double pairs(const Shell& a, const Shell& b, double width) {
    const double log_mass = log_kernel_mass(a.y.rows(), std::numbers::sqrt2 * width);
    const Matrix centers = a.y.transpose();
    Matrix column(a.y.cols(), 1);
    double total = 0.0;
    for (Index j = 0; j < b.y.cols(); ++j) {
      squared_distances(centers, b.y.col(j), column);
      column *= -0.25 / (width * width);
      column.col(0) += a.log_weights;
      exp_in_place(column);
      total += b.weights[j] * sum(column.data(), column.size());
    }
    return std::exp(-log_mass) * total;
  }

  double score_of(const Sums& sums, double width) const {
    const double log_density = sums.log_kernels - std::log(sums.weight) - log_kernel_mass(problem_.y.rows(), width);
    const double log_mixed = problem_.defensive.log_mixed(log_density, log_defensive_);
    if (problem_.scoring == Scoring::nll) return -log_mixed;
    const double e = problem_.defensive.weight;
    double integral = sums.pairs / (sums.weight * sums.weight);
    if (e > 0) {
      integral = (1 - e) * (1 - e) * integral + 2 * e * (1 - e) * sums.defensive_overlap / sums.weight +
                 e * e * problem_.defensive.square();
    }
    return 0.5 * integral - std::exp(log_mixed);
  }

  const Problem& problem_;
  Index row_;
  std::vector<Shell> shells_;
  std::size_t n_empty_ = 0;
  Shell fallback_;
  double log_defensive_ = 0;
};

/// Weighted means per fold, over the folds that scored at all, then their mean and its standard error.
void summarise(const Problem& problem, const Matrix& scores, std::vector<Candidate>& out) {
  const Index folds = *std::max_element(problem.fold.begin(), problem.fold.end()) + 1;
  Matrix mean = Matrix::Zero(scores.rows(), folds);
  Vector weight = Vector::Zero(folds);
  for (Index i = 0; i < scores.cols(); ++i) {
    const std::size_t row = static_cast<std::size_t>(problem.scored_rows[static_cast<std::size_t>(i)]);
    const double w = problem.weights[static_cast<Index>(row)];
    mean.col(problem.fold[row]) += w * scores.col(i);
    weight[problem.fold[row]] += w;
  }
  std::vector<Index> scored;
  for (Index k = 0; k < folds; ++k) {
    if (weight[k] > 0) scored.push_back(k);
  }
  const double count = static_cast<double>(scored.size());
  for (std::size_t c = 0; c < out.size(); ++c) {
    double sum = 0;
    for (const Index k : scored) sum += mean(static_cast<Index>(c), k) / weight[k];
    out[c].score = sum / count;
    double squares = 0;
    for (const Index k : scored) squares += std::pow(mean(static_cast<Index>(c), k) / weight[k] - out[c].score, 2);
    out[c].standard_error = count > 1 ? std::sqrt(squares / (count - 1) / count) : 0.0;
  }
}

}  // namespace

std::vector<Candidate> score_candidates(const Problem& problem, const std::vector<double>& radius,
                                        const std::vector<double>& bandwidth_y, Task& task) {
  const Index widths = std::ssize(bandwidth_y);
  std::vector<double> squared;
  for (const double r : radius) squared.push_back(squared_radius(r, problem.radius_of));
  const Vector log_weights = problem.weights.array().log();
  const Index count = std::ssize(problem.scored_rows);
  Matrix scores(std::ssize(radius) * widths, count);
  std::vector<Index> n_empty(problem.scored_rows.size());
  parallel_for(
      block_count(count, rows_per_block), task.threads(),
      [&](Index block) {
        const Range range = block_range(count, rows_per_block, block);
        for (Index i = range.begin; i < range.end; ++i) {
          const std::size_t index = static_cast<std::size_t>(i);
          const HeldOutRow row(problem, log_weights, problem.scored_rows[index], squared);
          n_empty[index] = static_cast<Index>(row.n_empty());
          auto own = scores.col(i).reshaped(widths, std::ssize(radius));
          for (Index j = 0; j < widths; ++j) own.row(j) = row.score(bandwidth_y[static_cast<std::size_t>(j)]);
          task.advance(1.0);
          task.poll();
        }
      },
      [&] { task.poll(); });

  std::vector<Candidate> out;
  for (std::size_t r = 0; r < radius.size(); ++r) {
    const auto empty =
        std::count_if(n_empty.begin(), n_empty.end(), [&](Index n) { return n > static_cast<Index>(r); });
    for (const double width : bandwidth_y) {
      out.push_back({radius[r], width, 0.0, 0.0, static_cast<double>(empty) / static_cast<double>(count)});
    }
  }
  summarise(problem, scores, out);
  return out;
}

}  // namespace condens::ekde
