#include "lscde_selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "condens/core/errors.hpp"
#include "condens/kernels/gaussian_kernel.hpp"
#include "condens/linalg/gram.hpp"
#include "condens/linalg/log_sum_exp.hpp"
#include "condens/linalg/ridge_systems.hpp"
#include "condens/linalg/vector_math.hpp"
#include "condens/optim/nonnegative_qp.hpp"

namespace condens::lscde {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Sums of kernels below this have lost digits to underflow: such rows are summed in the log domain.
constexpr double smallest_sum = 1e-280;
// Systems of at most this order are solved together for all folds (see ridge_systems.hpp).
constexpr Index small_order = 200;
constexpr Index tile_entries = 16384;

/// Consecutive rows of one fold; fold == folds() means unlabelled rows.
struct Block {
  Index fold;
  Range rows;
};

std::vector<Block> cut_into_blocks(const Problem& problem) {
  // Some tiles of b x rows doubles fit in the second-level cache.
  const Index size = std::clamp<Index>(tile_entries / std::max<Index>(problem.centers_x.cols(), 1) / 8 * 8, 32, 256);
  std::vector<Block> blocks;
  const auto cut = [&](Index fold, Index begin, Index end) {
    for (Index i = 0; i < block_count(end - begin, size); ++i) {
      const Range range = block_range(end - begin, size, i);
      blocks.push_back({fold, {begin + range.begin, begin + range.end}});
    }
  };
  for (Index k = 0; k < problem.folds(); ++k) {
    cut(k, problem.fold_begin[static_cast<std::size_t>(k)], problem.fold_begin[static_cast<std::size_t>(k + 1)]);
  }
  cut(problem.folds(), 0, problem.x_unlabeled.cols());
  return blocks;
}

/// What H and h are made of, for one s_x and its s_y: sums over the rows of each fold.
struct Statistics {
  std::vector<Matrix> gram;    ///< per fold, and last the unlabelled rows: sum w phi phi' (lower triangle)
  std::vector<Matrix> target;  ///< per fold: column j is sum w phi o psi at the j-th s_y
  std::vector<double> weight;  ///< per fold: sum w
};

/// Centres as rows: the layout that squared_distances wants.
struct CenterRows {
  Matrix x;
  Matrix y;
  explicit CenterRows(const Problem& problem) : x(problem.centers_x.transpose()), y(problem.centers_y.transpose()) {}
};

void kernel_tile(const Matrix& center_rows, const MatrixView& points, double width, Eigen::Ref<Matrix> out) {
  squared_distances(center_rows, points, out);
  out *= -0.5 / (width * width);
}

/// One superblock of rows at a time: its tile of phi by all threads, then its Gram
/// matrices by all threads.
Statistics accumulate(const Problem& problem, const CenterRows& centers, const std::vector<Block>& blocks,
                      const WidthGroup& widths, Task& task, int threads) {
  const Index b = centers.x.rows();
  const Index folds = problem.folds();
  const Index n_y = static_cast<Index>(widths.y.size());
  Statistics out;
  out.gram.assign(static_cast<std::size_t>(folds + 1), Matrix::Zero(b, b));
  out.target.assign(static_cast<std::size_t>(folds), Matrix::Zero(b, n_y));
  out.weight.assign(static_cast<std::size_t>(folds), 0.0);

  const Index most_rows = std::clamp<Index>(4'000'000 / b, 512, 8192);
  Matrix phi(b, std::min(most_rows, problem.y.cols() + problem.x_unlabeled.cols()));
  std::vector<Matrix> partial_target;
  for (std::size_t first = 0; first < blocks.size();) {
    std::size_t last = first;
    std::vector<Index> offset{0};
    while (last < blocks.size() && offset.back() + blocks[last].rows.size() <= most_rows) {
      offset.push_back(offset.back() + blocks[last].rows.size());
      ++last;
    }
    partial_target.resize(last - first);

    const auto fill = [&](Index index) {
      const Block& block = blocks[first + static_cast<std::size_t>(index)];
      const Range& rows = block.rows;
      auto tile = phi.middleCols(offset[static_cast<std::size_t>(index)], rows.size());
      const bool labeled = block.fold < folds;
      const Matrix& source = labeled ? problem.x : problem.x_unlabeled;
      kernel_tile(centers.x, source.middleCols(rows.begin, rows.size()), widths.x, tile);
      exp_in_place(tile.data(), tile.size());
      if (!labeled) return;
      const auto weight = problem.weights.segment(rows.begin, rows.size());
      Matrix& target = partial_target[static_cast<std::size_t>(index)];
      target.resize(b, n_y);
      Matrix distance(b, rows.size());
      squared_distances(centers.y, problem.y.middleCols(rows.begin, rows.size()), distance);
      Matrix psi(b, rows.size());
      for (Index j = 0; j < n_y; ++j) {
        const double width = widths.y[static_cast<std::size_t>(j)];
        psi = distance * (-0.5 / (width * width));
        exp_in_place(psi.data(), psi.size());
        target.col(j).noalias() = psi.cwiseProduct(tile) * weight;
      }
      tile.array().rowwise() *= weight.array().sqrt().transpose();
      task.advance(1.0);
    };
    parallel_for(static_cast<Index>(last - first), threads, fill, [&] { task.poll(); });

    // Runs of blocks of one fold, each times the panels of its Gram matrix.
    struct Run {
      Index fold;
      Range columns;
    };
    std::vector<Run> runs;
    for (std::size_t i = first; i < last; ++i) {
      const Range columns{offset[i - first], offset[i - first + 1]};
      if (!runs.empty() && runs.back().fold == blocks[i].fold) {
        runs.back().columns.end = columns.end;
      } else {
        runs.push_back({blocks[i].fold, columns});
      }
      if (blocks[i].fold < folds) {
        out.target[static_cast<std::size_t>(blocks[i].fold)] += partial_target[i - first];
        out.weight[static_cast<std::size_t>(blocks[i].fold)] +=
            problem.weights.segment(blocks[i].rows.begin, blocks[i].rows.size()).sum();
      }
    }
    const Index panels = gram_panels(b);
    parallel_for(
        static_cast<Index>(runs.size()) * panels, threads,
        [&](Index index) {
          const Run& run = runs[static_cast<std::size_t>(index / panels)];
          add_gram_panel(phi.middleCols(run.columns.begin, run.columns.size()),
                         out.gram[static_cast<std::size_t>(run.fold)], index % panels);
        },
        [&] { task.poll(); });
    first = last;
  }
  return out;
}

/// Turns the sums of each fold into the sums of all other folds.
void replace_by_training_sums(Statistics& statistics) {
  const Matrix unlabeled = std::move(statistics.gram.back());
  statistics.gram.pop_back();
  replace_by_sums_of_others(statistics.gram);
  replace_by_sums_of_others(statistics.target);
  for (Matrix& gram : statistics.gram) gram += unlabeled;
  std::vector<double> others(statistics.weight.size(), 0.0);
  for (std::size_t k = 0; k < others.size(); ++k) {
    for (std::size_t j = 0; j < others.size(); ++j) others[k] += j == k ? 0.0 : statistics.weight[j];
  }
  statistics.weight = std::move(others);
}

/// The centres that fold k may use.
std::vector<Index> centers_of_fold(const Problem& problem, Index fold) {
  std::vector<Index> out;
  for (std::size_t l = 0; l < problem.center_fold.size(); ++l) {
    if (problem.center_fold[l] != fold) out.push_back(static_cast<Index>(l));
  }
  return out;
}

/// alpha for every lambda: clipped (eq. 7), or the minimiser over alpha >= 0.
void constrain(const Problem& problem, const Matrix& gram, const Vector& right, const std::vector<double>& ridge,
               Eigen::Ref<Matrix> alpha) {
  alpha = alpha.cwiseMax(0.0);
  if (problem.coefficients == LscdeCoefficients::clipped) return;
  for (std::size_t j = 0; j < ridge.size(); ++j) {
    Matrix q = gram;
    q.diagonal().array() += ridge[j];
    const Index column = static_cast<Index>(j);
    alpha.col(column) = solve_nonnegative_qp(q, right, alpha.col(column)).solution;
  }
}

/// Coefficients of folds [begin, end) at one s_y: per fold b x L, zero where masked.
std::vector<Matrix> solve_folds(const Problem& problem, const Statistics& training, const Matrix& overlaps, Index j,
                                const std::vector<double>& ridge, Index begin, Index end) {
  const Index candidates = static_cast<Index>(ridge.size());
  std::vector<std::vector<Index>> centers;
  std::vector<Matrix> gram;
  std::vector<Vector> right;
  for (Index k = begin; k < end; ++k) {
    const std::size_t fold = static_cast<std::size_t>(k);
    centers.push_back(centers_of_fold(problem, k));
    const double weight = training.weight[fold];
    const double weight_x = weight + static_cast<double>(problem.x_unlabeled.cols());
    const auto& index = centers.back();
    if (static_cast<Index>(index.size()) == overlaps.rows()) {
      gram.emplace_back(training.gram[fold].cwiseProduct(overlaps) / weight_x);
      right.emplace_back(training.target[fold].col(j) / weight);
    } else {
      gram.emplace_back(training.gram[fold](index, index).cwiseProduct(overlaps(index, index)) / weight_x);
      right.emplace_back(training.target[fold](index, j) / weight);
    }
  }
  std::vector<RidgeSystem> systems;
  for (std::size_t i = 0; i < gram.size(); ++i) {
    for (const double lambda : ridge) systems.push_back({&gram[i], &right[i], lambda});
  }
  Matrix solutions = solve_ridge_systems(systems);

  std::vector<Matrix> out;
  for (std::size_t i = 0; i < gram.size(); ++i) {
    auto own = solutions.block(0, static_cast<Index>(i) * candidates, gram[i].rows(), candidates);
    constrain(problem, gram[i], right[i], ridge, own);
    Matrix alpha = Matrix::Zero(overlaps.rows(), candidates);
    alpha(centers[i], Eigen::all) = own;
    out.push_back(std::move(alpha));
  }
  return out;
}

/// What the scores of one s_y need.
struct ScoringWidth {
  double width;
  double log_mass;            ///< log c_y
  std::vector<Matrix> alpha;  ///< per fold: b x L
  Matrix overlap_factor;      ///< squared score: F with F F' = V
  Vector defensive_overlap;   ///< squared score: integral of a normalised bump times the defensive component
};

/// Per fold, the centres without a positive coefficient at any s_y and lambda, masked ones among them.
std::vector<std::vector<Index>> find_idle_centers(const std::vector<ScoringWidth>& widths, Index folds) {
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(folds));
  for (std::size_t k = 0; k < out.size(); ++k) {
    Vector largest = Vector::Zero(widths.front().alpha[k].rows());
    for (const ScoringWidth& width : widths) largest = largest.cwiseMax(width.alpha[k].rowwise().maxCoeff());
    for (Index l = 0; l < largest.size(); ++l) {
      if (!(largest[l] > 0)) out[k].push_back(l);
    }
  }
  return out;
}

/// log of sum_l alpha_l exp(exponent_l), without underflow.
double log_weighted_sum(const Matrix& exponent, Index i, const Matrix& alpha, Index j, Vector& work) {
  work = exponent.col(i) + alpha.col(j).array().log().matrix();
  return log_sum_exp_in_place(work.data(), work.size());
}

/// log p of the defensive component at every y.
Vector log_defensive(const Problem& problem, const MatrixView& y) {
  const Matrix z = (y.colwise() - problem.defensive_mean).array().colwise() / problem.defensive_scale.array();
  const double mass = log_kernel_mass(y.rows(), 1.0) + problem.defensive_scale.array().log().sum();
  return (-0.5 * z.colwise().squaredNorm().array() - mass).transpose();
}

/// Weighted sums of the scores of one block: L x (number of s_y).
class BlockScorer {
 public:
  /// `idle_centers`, per fold, have no positive coefficient: the nearest of the others sets the scale of each sum.
  BlockScorer(const Problem& problem, const CenterRows& centers, const std::vector<std::vector<Index>>& idle_centers,
              const Block& block, double width_x)
      : problem_(problem),
        fold_(block.fold),
        rows_(block.rows),
        weight_(problem.weights.segment(rows_.begin, rows_.size())),
        exponent_x_(centers.x.rows(), rows_.size()),
        distance_y_(centers.x.rows(), rows_.size()) {
    const auto y = problem.y.middleCols(rows_.begin, rows_.size());
    kernel_tile(centers.x, problem.x.middleCols(rows_.begin, rows_.size()), width_x, exponent_x_);
    for (const Index l : idle_centers[static_cast<std::size_t>(fold_)]) exponent_x_.row(l).setConstant(-infinity);
    squared_distances(centers.y, y, distance_y_);
    phi_ = exponent_x_;
    shift_x_ = shift_and_exp(phi_);
    if (problem.defensive_weight > 0) log_defensive_ = log_defensive(problem, y);
  }

  Vector score(const ScoringWidth& width) {
    const Matrix& alpha = width.alpha[static_cast<std::size_t>(fold_)];
    exponent_ = exponent_x_ - distance_y_ * (0.5 / (width.width * width.width));
    psi_ = exponent_;
    const Vector shift = shift_and_exp(psi_);
    numerator_.noalias() = psi_.transpose() * alpha;
    denominator_.noalias() = phi_.transpose() * alpha;
    Vector out(alpha.cols());
    for (Index j = 0; j < alpha.cols(); ++j) {
      if (!(alpha.col(j).maxCoeff() > 0)) {
        out[j] = infinity;
        continue;
      }
      const Vector log_density = log_density_of(width, shift, j);
      out[j] = problem_.scoring == LscdeScoring::nll ? negative_log_likelihood(log_density)
                                                     : squared_error(width, log_density, j);
    }
    return out;
  }

 private:
  /// Subtracts each column's maximum before exponentiating; returns the maxima.
  static Vector shift_and_exp(Matrix& exponent) {
    Vector shift(exponent.cols());
    for (Index i = 0; i < exponent.cols(); ++i) {
      const double largest = maximum(exponent.col(i).data(), exponent.rows());
      shift[i] = largest;
      if (std::isfinite(largest)) exponent.col(i).array() -= largest;
    }
    exp_in_place(exponent.data(), exponent.size());
    return shift;
  }

  Vector log_density_of(const ScoringWidth& width, const Vector& shift, Index j) {
    const Matrix& alpha = width.alpha[static_cast<std::size_t>(fold_)];
    Vector out(rows_.size());
    for (Index i = 0; i < out.size(); ++i) {
      const double above = numerator_(i, j);
      const double below = denominator_(i, j);
      if (above > smallest_sum && below > smallest_sum) {
        out[i] = std::log(above / below) + (shift[i] - shift_x_[i]);
      } else {
        out[i] = log_weighted_sum(exponent_, i, alpha, j, work_) - log_weighted_sum(exponent_x_, i, alpha, j, work_);
      }
    }
    return out.array() - width.log_mass;
  }

  double negative_log_likelihood(const Vector& log_density) const {
    const double e = problem_.defensive_weight;
    if (e == 0.0) return -weight_.dot(log_density);
    double sum = 0.0;
    for (Index i = 0; i < log_density.size(); ++i) {
      const double own = std::log1p(-e) + log_density[i];
      const double other = std::log(e) + log_defensive_[i];
      const double larger = std::max(own, other);
      sum -= weight_[i] * (larger + std::log1p(std::exp(std::min(own, other) - larger)));
    }
    return sum;
  }

  /// Half the integral of p^2 minus p(y), of the mixture with the defensive component (section 2.5).
  double squared_error(const ScoringWidth& width, const Vector& log_density, Index j) {
    const Matrix& alpha = width.alpha[static_cast<std::size_t>(fold_)];
    const double e = problem_.defensive_weight;
    // The weights of the components at each x, normalised also where phi'alpha underflows.
    Matrix share = phi_.array().colwise() * alpha.col(j).array();
    for (Index i = 0; i < share.cols(); ++i) {
      if (denominator_(i, j) > smallest_sum) {
        share.col(i) /= denominator_(i, j);
      } else {
        share.col(i) = exponent_x_.col(i) + alpha.col(j).array().log().matrix();
        const double total = log_sum_exp(share.col(i));
        share.col(i).array() -= total;
        exp_in_place(share.col(i).data(), share.rows());
      }
    }
    const Vector square =
        (width.overlap_factor.transpose() * share).colwise().squaredNorm().transpose() * std::exp(-2 * width.log_mass);
    double sum = 0.0;
    const double defensive_square =
        e == 0.0 ? 0.0
                 : std::exp(-log_kernel_mass(problem_.y.rows(), std::numbers::sqrt2)) / problem_.defensive_scale.prod();
    for (Index i = 0; i < square.size(); ++i) {
      double integral = square[i];
      double density = std::exp(log_density[i]);
      if (e > 0.0) {
        const double cross = share.col(i).dot(width.defensive_overlap);
        integral = (1 - e) * (1 - e) * integral + 2 * e * (1 - e) * cross + e * e * defensive_square;
        density = (1 - e) * density + e * std::exp(log_defensive_[i]);
      }
      sum += weight_[i] * (0.5 * integral - density);
    }
    return sum;
  }

  const Problem& problem_;
  Index fold_;
  Range rows_;
  Vector weight_;
  Matrix exponent_x_;
  Matrix distance_y_;
  Matrix exponent_;
  Matrix phi_;
  Matrix psi_;
  Matrix numerator_;
  Matrix denominator_;
  Vector shift_x_;
  Vector log_defensive_;
  Vector work_;
};

/// For each centre, the integral of N(y; v_l, s_y^2) N(y; m, t^2): a product over coordinates.
Vector defensive_overlaps(const Problem& problem, double width) {
  Vector log_value = Vector::Zero(problem.centers_y.cols());
  for (Index k = 0; k < problem.centers_y.rows(); ++k) {
    const double scale = std::hypot(width, problem.defensive_scale[k]);
    const auto z = (problem.centers_y.row(k).array() - problem.defensive_mean[k]) / scale;
    log_value.array() -= 0.5 * z.square().transpose() + log_kernel_mass(1, scale);
  }
  return log_value.array().exp();
}

/// The candidates of one group, written to `out` (s_y outer, lambda inner).
void score_group(const Problem& problem, const CenterRows& centers, const std::vector<Block>& blocks,
                 const WidthGroup& group, const std::vector<double>& ridge, Task& task, int threads, Candidate* out) {
  Statistics training = accumulate(problem, centers, blocks, group, task, threads);
  const std::vector<double> fold_weight = training.weight;
  replace_by_training_sums(training);

  const Index folds = problem.folds();
  const Index n_y = static_cast<Index>(group.y.size());
  const Index n_ridge = static_cast<Index>(ridge.size());
  std::vector<ScoringWidth> widths(static_cast<std::size_t>(n_y));
  std::vector<Matrix> overlaps(static_cast<std::size_t>(n_y));
  parallel_for(n_y, threads, [&](Index j) {
    ScoringWidth& width = widths[static_cast<std::size_t>(j)];
    Matrix& overlap = overlaps[static_cast<std::size_t>(j)];
    width.width = group.y[static_cast<std::size_t>(j)];
    width.log_mass = log_kernel_mass(problem.y.rows(), width.width);
    overlap = kernel_overlaps(problem.centers_y, width.width);
    width.alpha.resize(static_cast<std::size_t>(folds));
    if (problem.scoring == LscdeScoring::squared) {
      width.overlap_factor = pivoted_cholesky(overlap, 1e-15);
      if (problem.defensive_weight > 0) width.defensive_overlap = defensive_overlaps(problem, width.width);
    }
  });
  const Index folds_per_task = centers.x.rows() <= small_order ? folds : 1;
  const Index tasks_per_width = block_count(folds, folds_per_task);
  parallel_for(
      n_y * tasks_per_width, threads,
      [&](Index index) {
        const Index j = index / tasks_per_width;
        const Range range = block_range(folds, folds_per_task, index % tasks_per_width);
        auto alpha =
            solve_folds(problem, training, overlaps[static_cast<std::size_t>(j)], j, ridge, range.begin, range.end);
        std::move(alpha.begin(), alpha.end(), widths[static_cast<std::size_t>(j)].alpha.begin() + range.begin);
      },
      [&] { task.poll(); });

  const auto idle = find_idle_centers(widths, folds);

  std::vector<Matrix> block_score(blocks.size());
  parallel_for(
      static_cast<Index>(blocks.size()), threads,
      [&](Index index) {
        const Block& block = blocks[static_cast<std::size_t>(index)];
        if (block.fold == folds) return;
        BlockScorer scorer(problem, centers, idle, block, group.x);
        Matrix& score = block_score[static_cast<std::size_t>(index)];
        score.resize(n_ridge, n_y);
        for (Index j = 0; j < n_y; ++j) score.col(j) = scorer.score(widths[static_cast<std::size_t>(j)]);
        task.advance(1.0);
      },
      [&] { task.poll(); });

  std::vector<Matrix> fold_score(static_cast<std::size_t>(folds), Matrix::Zero(n_ridge, n_y));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].fold < folds) fold_score[static_cast<std::size_t>(blocks[i].fold)] += block_score[i];
  }
  for (Index j = 0; j < n_y; ++j) {
    for (Index l = 0; l < n_ridge; ++l) {
      Vector score(folds);
      for (Index k = 0; k < folds; ++k) {
        score[k] = fold_score[static_cast<std::size_t>(k)](l, j) / fold_weight[static_cast<std::size_t>(k)];
      }
      const double mean = score.mean();
      const double error =
          std::isfinite(mean)
              ? std::sqrt((score.array() - mean).square().sum() / static_cast<double>(folds * (folds - 1)))
              : 0.0;
      *out++ = {group.x, group.y[static_cast<std::size_t>(j)], ridge[static_cast<std::size_t>(l)],
                std::isnan(mean) ? infinity : mean, error};
    }
  }
}

}  // namespace

double scoring_work(const Problem& problem, Index groups) {
  return 2.0 * static_cast<double>(groups) * static_cast<double>(cut_into_blocks(problem).size());
}

std::vector<Candidate> score_candidates(const Problem& problem, const std::vector<WidthGroup>& groups,
                                        const std::vector<double>& regularization, Task& task) {
  const CenterRows centers(problem);
  const std::vector<Block> blocks = cut_into_blocks(problem);
  std::vector<std::size_t> begin{0};
  for (const WidthGroup& group : groups) begin.push_back(begin.back() + group.y.size() * regularization.size());
  std::vector<Candidate> out(begin.back());

  // Small problems: one group per thread. Large ones: all threads in one group, so
  // that memory does not grow with threads. The arithmetic is the same.
  const double b = static_cast<double>(centers.x.rows());
  const bool small = static_cast<double>(problem.y.cols()) * b < 4e6 && b <= 512;
  const int outer = small ? task.threads() : 1;
  const int inner = small ? 1 : task.threads();
  parallel_for(
      static_cast<Index>(groups.size()), outer,
      [&](Index g) {
        const std::size_t index = static_cast<std::size_t>(g);
        score_group(problem, centers, blocks, groups[index], regularization, task, inner, out.data() + begin[index]);
      },
      [&] { task.poll(); });
  return out;
}

Vector fit_coefficients(const Problem& problem, double bandwidth, double bandwidth_y, double regularization,
                        Task& task) {
  const CenterRows centers(problem);
  const Statistics sums =
      accumulate(problem, centers, cut_into_blocks(problem), {bandwidth, {bandwidth_y}}, task, task.threads());
  Matrix gram = sums.gram.back();
  Vector right = Vector::Zero(centers.x.rows());
  double weight = 0.0;
  for (std::size_t k = 0; k < sums.target.size(); ++k) {
    gram += sums.gram[k];
    right += sums.target[k].col(0);
    weight += sums.weight[k];
  }
  gram = gram.cwiseProduct(kernel_overlaps(problem.centers_y, bandwidth_y)) /
         (weight + static_cast<double>(problem.x_unlabeled.cols()));
  right /= weight;
  Matrix alpha = solve_ridge_systems({{&gram, &right, regularization}});
  constrain(problem, gram, right, {regularization}, alpha);
  if (!(alpha.maxCoeff() > 0)) {
    throw NumericalError(
        message("LSCDE: every coefficient is zero: no sample lies within reach of any center at bandwidth ", bandwidth,
                " (x) and ", bandwidth_y, " (y); give larger ones, or other centers"));
  }
  return alpha.col(0);
}

}  // namespace condens::lscde
