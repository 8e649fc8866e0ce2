// A held-out row's neighbours within the largest radius are cut into shells: shell r holds
// those within radius r but not within a smaller one. Sums over shells give every radius.

#include "selection.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "kernels/gaussian_kernel.hpp"
#include "linalg/log_sum_exp.hpp"
#include "linalg/vector_math.hpp"

namespace condens::ekde {

namespace {

constexpr Index rows_per_block = 16;

double log_add(double a, double b) {
  const double larger = std::max(a, b);
  return larger == -infinity ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

/// Consecutive neighbours with what the sums over y need of them: few enough to stay in the cache
/// for all widths.
struct Piece {
  Matrix y;  ///< d_y x rows
  Vector weights;
  Vector log_weights;
  Vector squared_distances_y;  ///< to the held-out row's y
};

/// What the mixture of some neighbours is made of, for one width; it grows piece by piece.
struct Sums {
  double weight = 0;               ///< sum_i w_i
  double log_kernels = -infinity;  ///< log sum_i w_i exp(-|y - y_i|^2 / (2 s^2))
  double pairs = 0;                ///< sum_ij w_i w_j N(y_i; y_j, 2 s^2): the integral of the squared sum
  double defensive_overlap = 0;    ///< sum_i w_i integral N(.; y_i, s^2) N(.; defensive)
};

/// Scores held-out rows one after the other; keeps its work space, which may hold all samples.
class Scorer {
 public:
  Scorer(const Problem& problem, const Vector& log_weights, const std::vector<double>& squared_radius,
         const std::vector<double>& widths)
      : problem_(problem), log_weights_(log_weights), squared_radius_(squared_radius), widths_(widths) {}

  /// The scores of `row`, widths x radii; returns the number of radii within which there is no sample.
  std::size_t score(Index row, Eigen::Ref<Matrix> out) {
    row_ = row;
    log_defensive_ = problem_.defensive.log_density(problem_.y.col(row))[0];
    const double nearest = sort_into_shells();
    std::size_t n_empty = 0;
    while (n_empty < squared_radius_.size() && shell_end_[n_empty] == 0) ++n_empty;
    if (n_empty > 0) {
      find_fallback(nearest);
      const std::vector<Sums> sums = grow(fallback_, 0, fallback_.size(), std::vector<Sums>(widths_.size()));
      out.leftCols(static_cast<Index>(n_empty)).colwise() = scores_of(sums);
    }
    std::vector<Sums> sums(widths_.size());
    for (std::size_t r = n_empty; r < squared_radius_.size(); ++r) {
      sums = grow(order_, r == 0 ? 0 : shell_end_[r - 1], shell_end_[r], std::move(sums));
      out.col(static_cast<Index>(r)) = scores_of(sums);
    }
    return n_empty;
  }

 private:
  static constexpr std::size_t piece_size = 2048;

  bool own_fold(Index row) const {
    return problem_.fold[static_cast<std::size_t>(row)] == problem_.fold[static_cast<std::size_t>(row_)];
  }

  /// order_: other folds' neighbours, shell after shell. Returns the smallest squared distance, infinite if there are
  /// none.
  double sort_into_shells() {
    problem_.neighbors.within(problem_.x.col(row_), squared_radius_.back(), found_);
    double nearest = infinity;
    shell_.assign(found_.rows.size(), squared_radius_.size());
    shell_end_.assign(squared_radius_.size(), 0);
    for (std::size_t i = 0; i < found_.rows.size(); ++i) {
      if (own_fold(found_.rows[i])) continue;
      const double distance = found_.squared_distances[i];
      nearest = std::min(nearest, distance);
      const auto shell = std::lower_bound(squared_radius_.begin(), squared_radius_.end(), distance);
      shell_[i] = static_cast<std::size_t>(shell - squared_radius_.begin());
      ++shell_end_[shell_[i]];
    }
    std::partial_sum(shell_end_.begin(), shell_end_.end(), shell_end_.begin());
    std::vector<std::size_t> next(squared_radius_.size(), 0);
    std::copy(shell_end_.begin(), shell_end_.end() - 1, next.begin() + 1);
    order_.resize(shell_end_.back());
    for (std::size_t i = 0; i < found_.rows.size(); ++i) {
      if (shell_[i] < next.size()) order_[next[shell_[i]]++] = found_.rows[i];
    }
    return nearest;
  }

  /// `nearest` is infinite where no sample is within the largest radius. What is farther by rounding is as near.
  void find_fallback(double nearest) {
    constexpr double as_near = 1 + 1e-10;
    const Vector distances = problem_.neighbors.squared_distances_to(problem_.x.col(row_));
    const bool all = problem_.empty_neighborhood == EmptyNeighborhood::all;
    if (!all && nearest == infinity) {
      for (Index i = 0; i < distances.size(); ++i) {
        if (!own_fold(i)) nearest = std::min(nearest, distances[i]);
      }
    }
    fallback_.clear();
    for (Index i = 0; i < distances.size(); ++i) {
      if (!own_fold(i) && (all || distances[i] <= as_near * nearest)) fallback_.push_back(i);
    }
  }

  Piece load(const std::vector<Index>& rows, std::size_t begin, std::size_t end) const {
    const Eigen::Map<const Eigen::Matrix<Index, Eigen::Dynamic, 1>> index(rows.data() + begin,
                                                                          static_cast<Index>(end - begin));
    Piece out{problem_.y(Eigen::all, index), problem_.weights(index), log_weights_(index), {}};
    Matrix distances(index.size(), 1);
    squared_distances(out.y.transpose(), problem_.y.col(row_), distances);
    out.squared_distances_y = distances.col(0);
    return out;
  }

  /// `sums` of rows[0], ..., rows[begin - 1], carried on to rows[end - 1], for every width.
  std::vector<Sums> grow(const std::vector<Index>& rows, std::size_t begin, std::size_t end,
                         std::vector<Sums> sums) const {
    for (; begin < end; begin = std::min(begin + piece_size, end)) {
      const Piece piece = load(rows, begin, std::min(begin + piece_size, end));
      for (std::size_t j = 0; j < widths_.size(); ++j) add(piece, widths_[j], sums[j]);
      if (problem_.scoring == Scoring::nll) continue;
      for (std::size_t before = 0; before < begin; before += piece_size) {
        const Piece earlier = load(rows, before, std::min(before + piece_size, begin));
        for (std::size_t j = 0; j < widths_.size(); ++j) sums[j].pairs += 2 * pairs(earlier, piece, widths_[j]);
      }
    }
    return sums;
  }

  /// The piece's own terms.
  void add(const Piece& piece, double width, Sums& sums) const {
    Vector work = piece.log_weights - piece.squared_distances_y * (0.5 / (width * width));
    sums.log_kernels = log_add(sums.log_kernels, log_sum_exp_in_place(work.data(), work.size()));
    sums.weight += sum(piece.weights.data(), piece.weights.size());
    if (problem_.scoring == Scoring::nll) return;
    sums.pairs += pairs(piece, piece, width);
    if (problem_.defensive.weight > 0) {
      sums.defensive_overlap += piece.weights.dot(problem_.defensive.overlaps(piece.y, width));
    }
  }

  /// sum over i of `a`, j of `b` of w_i w_j N(y_i; y_j, 2 s^2 I).
  static double pairs(const Piece& a, const Piece& b, double width) {
    const double log_mass = log_kernel_mass(a.y.rows(), std::numbers::sqrt2 * width);
    const Matrix centers = a.y.transpose();
    Matrix column(a.y.cols(), 1);
    double total = 0.0;
    for (Index j = 0; j < b.y.cols(); ++j) {
      check_cancelled();
      squared_distances(centers, b.y.col(j), column);
      column *= -0.25 / (width * width);
      column.col(0) += a.log_weights;
      exp_in_place(column);
      total += b.weights[j] * sum(column.data(), column.size());
    }
    return std::exp(-log_mass) * total;
  }

  Vector scores_of(const std::vector<Sums>& sums) const {
    Vector out(std::ssize(widths_));
    for (std::size_t j = 0; j < widths_.size(); ++j) out[static_cast<Index>(j)] = score_of(sums[j], widths_[j]);
    return out;
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
  const Vector& log_weights_;
  const std::vector<double>& squared_radius_;
  const std::vector<double>& widths_;
  Index row_ = 0;
  double log_defensive_ = 0;
  Neighborhood found_;
  std::vector<std::size_t> shell_;      // of every neighbour found; the number of shells: of the row's own fold
  std::vector<std::size_t> shell_end_;  // shell r holds order_[shell_end_[r - 1]], ..., order_[shell_end_[r] - 1]
  std::vector<Index> order_;
  std::vector<Index> fallback_;
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
    out[c].folds.resize(std::ssize(scored));
    for (std::size_t k = 0; k < scored.size(); ++k) {
      out[c].folds[static_cast<Index>(k)] = mean(static_cast<Index>(c), scored[k]) / weight[scored[k]];
    }
    double sum = 0;
    for (const double own : out[c].folds) sum += own;
    out[c].score = sum / count;
    double squares = 0;
    for (const double own : out[c].folds) squares += std::pow(own - out[c].score, 2);
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
  std::vector<std::size_t> n_empty(problem.scored_rows.size());
  parallel_for(
      block_count(count, rows_per_block), task.threads(),
      [&](Index block) {
        const Range range = block_range(count, rows_per_block, block);
        Scorer scorer(problem, log_weights, squared, bandwidth_y);
        Matrix own(widths, std::ssize(radius));
        for (Index i = range.begin; i < range.end; ++i) {
          const std::size_t index = static_cast<std::size_t>(i);
          n_empty[index] = scorer.score(problem.scored_rows[index], own);
          scores.col(i) = own.reshaped();
          task.advance(1.0);
          task.poll();
        }
      },
      [&] { task.poll(); });

  std::vector<Candidate> out;
  for (std::size_t r = 0; r < radius.size(); ++r) {
    const auto empty = std::count_if(n_empty.begin(), n_empty.end(), [&](std::size_t n) { return n > r; });
    for (const double width : bandwidth_y) {
      out.push_back({radius[r], width, 0.0, 0.0, static_cast<double>(empty) / static_cast<double>(count)});
    }
  }
  summarise(problem, scores, out);
  return out;
}

}  // namespace condens::ekde
