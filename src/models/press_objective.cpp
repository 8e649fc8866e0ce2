#include "condens/models/press_objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/flush_subnormals.hpp"
#include "condens/core/parallel.hpp"
#include "press_node_kernels.hpp"
#include "press_state_sums.hpp"

namespace condens {

using press::inverse_sizes;

namespace {

constexpr std::string_view owner = "PRESS objective";
constexpr double infinity = std::numeric_limits<double>::infinity();

// A task's rows: enough to pay for its sums, and not more tasks than that.
constexpr Index least_rows_of_chunk = 256;
constexpr Index most_chunks = 64;
// Multiplications of a pass below which threads cost more than they save.
constexpr double least_work_for_threads = 2e6;
constexpr Index rows_of_tile = 128;        // of the likelihood
constexpr Index nodes_of_tile = 128;       // a panel of kernels between nodes
constexpr double most_kernels_kept = 4e6;  // until the way back; more are computed again

}  // namespace

/// Some rows and their part of the sums.
struct PressObjective::Chunk {
  Range rows;
  std::vector<Matrix> hidden = {};
  Vector sizes = {}, squares = {};
  std::vector<Vector> sums = {};
  double value = 0;
  double squared_error = 0;
  Matrix by_means = {};
  Vector by_sizes = {};
  std::vector<Vector> by_totals = {};
  Vector by_log_width = {};
  Vector gradient = {};
};

/// Some nodes of a state, and the kernels between these and all of its nodes.
struct PressObjective::Tile {
  Index state;
  Range nodes;
  Matrix kernels = {};
};

/// What an evaluation knows of all rows.
struct PressObjective::Pass {
  const Vector& theta;
  const Vector& widths;
  int threads;
  const std::function<void()>& poll;
  std::vector<Chunk> chunks;
  std::vector<Tile> tiles;           // likelihood
  bool keeps_kernels;                // of the tiles
  Matrix w;                          // J x n
  Matrix by_w;                       // J x n: d value / d W at fixed sums, then the gradient by the scores
  Vector sizes = {}, inverse = {};   // sigma, 1 / sigma
  Vector squares = {};               // sum_i a_i W_ji^2
  std::vector<Vector> sums = {};     // of every state: sum_i a_i W_ji (y_i, or the shares of the nodes)
  Matrix means = {};                 // d_y x J
  double freedom = 0;                // nu
  double by_freedom = 0;             // d value / d nu
  Vector by_sizes = {};              // d value / d sigma
  std::vector<Vector> by_sums = {};  // d value / d sums
  // Likelihood: the sums of kernels at the nodes, T, by log h, and d value / d T.
  std::vector<Vector> totals = {}, slopes = {}, by_totals = {};

  template <class Body>
  void over_chunks(const Body& body) {
    parallel_for(
        std::ssize(chunks), threads, [&](Index k) { body(chunks[static_cast<std::size_t>(k)]); }, poll);
  }

  /// Sums of kernels at the nodes of every state, each node with its factor: a vector for each state.
  std::vector<Vector> kernel_sums(const PressObjective& objective, const std::vector<Vector>& factors,
                                  std::vector<Vector>* by_log_width) {
    std::vector<Vector> out = factors;
    parallel_for(
        std::ssize(tiles), threads,
        [&](Index k) {
          Tile& tile = tiles[static_cast<std::size_t>(k)];
          const auto [begin, end] = tile.nodes;
          const auto j = static_cast<std::size_t>(tile.state);
          Vector slope;
          out[j].segment(begin, end - begin) =
              press::kernel_sums(objective.nodes_of(tile.state), widths[tile.state], tile.nodes, factors[j],
                                 tile.kernels, by_log_width == nullptr ? nullptr : &slope);
          if (by_log_width != nullptr) (*by_log_width)[j].segment(begin, end - begin) = slope;
          if (!keeps_kernels) tile.kernels = Matrix();
        },
        poll);
    return out;
  }
};

PressObjective::PressObjective(const Dataset& rows, PressMap map, PressCriterion criterion,
                               const PressPenalties& penalties, std::vector<PressNodes> nodes, Defensive defensive,
                               std::shared_ptr<const PackedObservations> packed)
    : x_(rows.x),
      packed_(std::move(packed)),
      y_(rows.y),
      weights_(rows.weights.size() > 0 ? rows.weights : Vector::Ones(rows.size())),
      leaves_(criterion == PressCriterion::likelihood ? weights_ : Vector(weights_.cwiseMin(1.0))),
      total_(weights_.sum()),
      map_(std::move(map)),
      criterion_(criterion),
      penalties_(penalties),
      nodes_(std::move(nodes)),
      defensive_(std::move(defensive)) {
  require(rows.size() >= 1 && rows.x.cols() == rows.size() && weights_.size() == rows.size(), owner, ": x has ",
          rows.x.cols(), " rows, y ", rows.size(), " and weights ", weights_.size(), ", expected as many");
  require(rows.x.rows() == map_.n_inputs(), owner, ": x has ", rows.x.rows(), " columns, expected ", map_.n_inputs());
  require(rows.y.rows() >= 1, owner, ": y has no columns, expected at least one");
  require(packed_ == nullptr || packed_->size() == rows.size(), owner, ": the packed inputs are not those of x");
  require((weights_.array() > 0).all() && std::isfinite(total_), owner, ": weights must be finite and > 0");
  require(penalties.ridge >= 0 && penalties.smoothness_weight >= 0, owner, ": penalties must be >= 0");
}

PressObjective::PressObjective(const Dataset& rows, PressMap map, PressCriterion criterion,
                               const PressPenalties& penalties, std::shared_ptr<const PackedObservations> packed)
    : PressObjective(rows, std::move(map), criterion, penalties, {}, {}, std::move(packed)) {
  require(criterion != PressCriterion::likelihood, owner, ": the likelihood needs nodes of the state densities");
}

PressObjective::PressObjective(const Dataset& rows, PressMap map, std::vector<PressNodes> nodes,
                               const Defensive& defensive, const PressPenalties& penalties,
                               std::shared_ptr<const PackedObservations> packed)
    : PressObjective(rows, std::move(map), PressCriterion::likelihood, penalties, std::move(nodes), defensive,
                     std::move(packed)) {
  require(nodes_.size() == 1 || std::ssize(nodes_) == map_.n_states(), owner, ": ", nodes_.size(),
          " sets of nodes, expected one or ", map_.n_states());
  for (const PressNodes& own : nodes_) {
    require(own.centers.rows() == y_.rows() && own.share.size() == own.corners * y_.cols(), owner,
            ": the nodes are not those of y");
  }
  defensive_density_ = Vector::Zero(y_.cols());
  if (defensive_.weight > 0) defensive_density_ = defensive_.log_density(y_).array().exp();
}

PressEvaluation PressObjective::evaluate(const Vector& theta, const Vector& widths, int threads,
                                         const std::function<void()>& poll) const {
  require(theta.size() == map_.n_parameters(), owner, ": theta has ", theta.size(), " numbers, expected ",
          map_.n_parameters());
  const bool likelihood = criterion_ == PressCriterion::likelihood;
  require(widths.size() == (likelihood ? map_.n_states() : 0), owner, ": ", widths.size(), " widths, expected ",
          likelihood ? map_.n_states() : 0);
  require((widths.array() > 0).all(), owner, ": widths must be > 0");
  const FlushSubnormals guard;
  Pass pass = begin(theta, widths, threads, poll);
  pass.over_chunks([&](Chunk& chunk) { find_weights(pass, chunk); });
  combine_states(pass);
  if (likelihood) {
    pass.slopes = pass.sums;
    pass.totals = pass.kernel_sums(*this, pass.sums, &pass.slopes);
  }
  pass.over_chunks([&](Chunk& chunk) { find_terms(pass, chunk); });
  PressEvaluation out = combine_terms(pass);
  if (!std::isfinite(out.value)) {
    out.value = infinity;
    return out;
  }
  pass.over_chunks([&](Chunk& chunk) { find_gradient(pass, chunk); });
  for (const Chunk& chunk : pass.chunks) out.gradient += chunk.gradient;
  if (penalties_.ridge > 0) {
    const Vector coefficients = theta.cwiseProduct(map_.is_coefficient());
    out.value += 0.5 * penalties_.ridge * coefficients.squaredNorm();
    out.gradient += penalties_.ridge * coefficients;
  }
  return out;
}

/// Chunks of rows and tiles of nodes, whatever the number of threads.
PressObjective::Pass PressObjective::begin(const Vector& theta, const Vector& widths, int threads,
                                           const std::function<void()>& poll) const {
  const Index n = y_.cols();
  constexpr Index panel = PackedObservations::panel;
  const Index chunk_size = std::max(least_rows_of_chunk, block_count(block_count(n, most_chunks), panel) * panel);
  std::vector<Chunk> chunks;
  for (Index k = 0; k < block_count(n, chunk_size); ++k) chunks.push_back({block_range(n, chunk_size, k)});
  std::vector<Tile> tiles;
  double pairs = 0;
  for (Index j = 0; j < map_.n_states() && !nodes_.empty(); ++j) {
    const Index size = nodes_of(j).size();
    pairs += static_cast<double>(size) * static_cast<double>(size);
    for (Index k = 0; k < block_count(size, nodes_of_tile); ++k) {
      tiles.push_back({j, block_range(size, nodes_of_tile, k)});
    }
  }
  return {theta,
          widths,
          work() < least_work_for_threads ? 1 : threads,
          poll,
          std::move(chunks),
          std::move(tiles),
          pairs <= most_kernels_kept,
          Matrix(map_.n_states(), n),
          Matrix(map_.n_states(), n)};
}

void PressObjective::find_terms(Pass& pass, Chunk& chunk) const {
  const auto [begin, end] = chunk.rows;
  if (criterion_ == PressCriterion::likelihood) {
    for (Index at = begin; at < end; at += rows_of_tile) {
      likelihood_terms(pass, chunk, at, std::min(rows_of_tile, end - at));
    }
  } else if (criterion_ == PressCriterion::loo) {
    exact_terms(pass, chunk, begin, end - begin);
  } else {
    square_terms(pass, chunk, begin, end - begin);
  }
}

/// The value without its ridge, and its derivatives by the sums of the states.
PressEvaluation PressObjective::combine_terms(Pass& pass) const {
  const bool likelihood = criterion_ == PressCriterion::likelihood;
  PressEvaluation out;
  out.gradient = Vector::Zero(pass.theta.size());
  out.freedom = pass.freedom;
  if (likelihood) out.by_log_width = Vector::Zero(map_.n_states());
  pass.by_sizes = Vector::Zero(map_.n_states());
  Matrix by_means = Matrix::Zero(y_.rows(), map_.n_states());
  pass.by_sums = pass.sums;
  for (Vector& sum : pass.by_sums) sum.setZero();
  if (likelihood) pass.by_totals = pass.by_sums;
  for (const Chunk& chunk : pass.chunks) {
    out.value += chunk.value;
    out.mse += chunk.squared_error / total_;
    pass.by_sizes += chunk.by_sizes;
    if (likelihood) {
      out.by_log_width += chunk.by_log_width;
      for (std::size_t j = 0; j < pass.by_totals.size(); ++j) pass.by_totals[j] += chunk.by_totals[j];
    } else {
      by_means += chunk.by_means;
    }
  }
  if (likelihood) pass.by_sums = pass.kernel_sums(*this, pass.by_totals, nullptr);
  for (Index j = 0; j < map_.n_states() && !likelihood; ++j) {  // m_j = sums_j / sigma_j
    pass.by_sums[static_cast<std::size_t>(j)] = by_means.col(j) * pass.inverse[j];
    pass.by_sizes[j] -= by_means.col(j).dot(pass.means.col(j)) * pass.inverse[j];
  }
  if (criterion_ == PressCriterion::gcv) {
    const double left = 1 - pass.freedom / total_;
    pass.by_freedom += 2 * out.value / (left * total_);
  }
  if (penalties_.smoothness_weight > 0) {
    const double excess = pass.freedom - penalties_.smoothness;
    out.value += penalties_.smoothness_weight * excess * excess;
    pass.by_freedom += 2 * penalties_.smoothness_weight * excess;
  }
  return out;
}

double PressObjective::work() const {
  const auto n = static_cast<double>(y_.cols());
  double out = n * static_cast<double>(map_.n_parameters());
  for (Index j = 0; j < map_.n_states() && !nodes_.empty(); ++j) {
    const PressNodes& nodes = nodes_of(j);
    out += 16 * (n * static_cast<double>(nodes.corners) + std::pow(static_cast<double>(nodes.size()), 2));
  }
  return out;
}

/// W of the chunk's rows (15) and its part of the sums of the states.
void PressObjective::find_weights(Pass& pass, Chunk& chunk) const {
  const auto [begin, end] = chunk.rows;
  const Index count = end - begin;
  Matrix w = map_.scores(pass.theta, inputs(chunk.rows), &chunk.hidden);
  softmax_columns(w);
  const Matrix weighted = w * weights_.segment(begin, count).asDiagonal();
  chunk.sizes = weighted.rowwise().sum();
  chunk.squares = weighted.cwiseProduct(w).rowwise().sum();
  chunk.sums.resize(static_cast<std::size_t>(w.rows()));
  for (Index j = 0; j < w.rows(); ++j) {
    Vector& sum = chunk.sums[static_cast<std::size_t>(j)];
    const Vector mass = weighted.row(j).transpose();
    if (criterion_ == PressCriterion::likelihood) {
      sum = Vector::Zero(nodes_of(j).size());
      nodes_of(j).spread(mass, begin, sum);
    } else {
      sum = y_.middleCols(begin, count) * mass;
    }
  }
  pass.w.middleCols(begin, count) = w;
}

void PressObjective::combine_states(Pass& pass) const {
  pass.sizes = pass.squares = Vector::Zero(map_.n_states());
  pass.sums = pass.chunks.front().sums;
  for (Vector& sum : pass.sums) sum.setZero();
  for (const Chunk& chunk : pass.chunks) {
    pass.sizes += chunk.sizes;
    pass.squares += chunk.squares;
    for (std::size_t j = 0; j < pass.sums.size(); ++j) pass.sums[j] += chunk.sums[j];
  }
  pass.inverse = inverse_sizes(pass.sizes);
  pass.freedom = pass.squares.dot(pass.inverse);
  if (criterion_ == PressCriterion::likelihood) return;
  pass.means.resize(y_.rows(), map_.n_states());
  for (Index j = 0; j < map_.n_states(); ++j) {
    pass.means.col(j) = pass.sums[static_cast<std::size_t>(j)] * pass.inverse[j];
  }
}

/// mse, loocv, gcv.
void PressObjective::square_terms(Pass& pass, Chunk& chunk, Index begin, Index count) const {
  const auto w = pass.w.middleCols(begin, count);
  const auto a = weights_.segment(begin, count).array();
  const Matrix u = y_.middleCols(begin, count) - pass.means * w;
  const Eigen::ArrayXd error = u.colwise().squaredNorm().transpose().array();
  chunk.squared_error = (a * error).sum();
  Eigen::ArrayXd factor = Eigen::ArrayXd::Constant(count, 1.0);  // 1 / (1 - s_i)^2
  Eigen::ArrayXd by_h = Eigen::ArrayXd::Zero(count);             // d value / d sum_j W_ji^2 / sigma_j
  if (criterion_ == PressCriterion::loocv) {
    const auto l = leaves_.segment(begin, count).array();
    const Eigen::ArrayXd left = 1 - l * (w.cwiseAbs2().transpose() * pass.inverse).array();
    factor = (left > 1e-12).select(left.square().inverse(), infinity);
    by_h = 2 * a * error * factor * l / (left * total_);
  } else if (criterion_ == PressCriterion::gcv) {
    const double left = 1 - pass.freedom / total_;
    factor.setConstant(left > 1e-12 ? 1 / (left * left) : infinity);
  }
  chunk.value = (a * error * factor).sum() / total_;
  const Matrix e = u * (-2 * a * factor / total_).matrix().asDiagonal();
  auto by_w = pass.by_w.middleCols(begin, count);
  by_w.noalias() = pass.means.transpose() * e;
  by_w += pass.inverse.asDiagonal() * w * (2 * by_h).matrix().asDiagonal();
  chunk.by_means = e * w.transpose();
  chunk.by_sizes = -(w.cwiseAbs2() * by_h.matrix()).cwiseProduct(pass.inverse.cwiseAbs2());
}

/// loo.
void PressObjective::exact_terms(Pass& pass, Chunk& chunk, Index begin, Index count) const {
  const Index states = map_.n_states();
  chunk.by_means = Matrix::Zero(y_.rows(), states);
  chunk.by_sizes = Vector::Zero(states);
  for (Index i = begin; i < begin + count; ++i) {
    const Vector w = pass.w.col(i);
    const Vector left = 1 - leaves_[i] * w.array() * pass.inverse.array();
    const Vector c = (left.array() > 1e-12).select(left.array().inverse(), infinity);
    const Matrix gap = (-pass.means).colwise() + y_.col(i);  // y_i - m_j
    const Vector v = gap * (w.array() > 0).select(w.cwiseProduct(c), 0.0).matrix();
    chunk.value += weights_[i] * v.squaredNorm() / total_;
    chunk.squared_error += weights_[i] * (gap * w).squaredNorm();
    const Vector g = 2 * weights_[i] / total_ * v;
    const Vector along = gap.transpose() * g;
    pass.by_w.col(i) = along.cwiseProduct(c.cwiseAbs2());
    chunk.by_means -= g * w.cwiseProduct(c).transpose();
    chunk.by_sizes.array() -= leaves_[i] * (w.array() * c.array() * pass.inverse.array()).square() * along.array();
  }
}

/// likelihood: T_ji = the sums of kernels where row i is, so that the density of state j without
/// row i is (T_ji - l_i W_ji k_ji) / (sigma_j - l_i W_ji), k_ji a row's own kernel.
void PressObjective::likelihood_terms(Pass& pass, Chunk& chunk, Index begin, Index count) const {
  const Index states = map_.n_states();
  if (chunk.by_totals.empty()) {
    chunk.by_sizes = chunk.by_log_width = Vector::Zero(states);
    for (const Vector& sum : pass.sums) chunk.by_totals.emplace_back(Vector::Zero(sum.size()));
  }
  Matrix density = Matrix::Zero(states, count);       // without the row
  Matrix inverse_left = Matrix::Zero(states, count);  // 1 / (sigma_j - l_i W_ji)
  Matrix own = Matrix::Zero(states, count);           // k_ji
  Matrix by_log_width = Matrix::Zero(states, count);  // d density / d log h_j
  for (Index j = 0; j < states; ++j) {
    const PressNodes& nodes = nodes_of(j);
    const Vector total = nodes.collect(pass.totals[static_cast<std::size_t>(j)], begin, count);
    const Vector slope = nodes.collect(pass.slopes[static_cast<std::size_t>(j)], begin, count);
    const press::OwnKernels kernels = press::own_kernels(nodes, pass.widths[j], {begin, begin + count});
    for (Index i = 0; i < count; ++i) {
      const double leaving = leaves_[begin + i] * pass.w(j, begin + i);
      const double left = pass.sizes[j] - leaving;
      if (!(left > 1e-12 * pass.sizes[j]) || pass.inverse[j] == 0) continue;  // the row is the state
      own(j, i) = kernels.value[i];
      inverse_left(j, i) = 1 / left;
      density(j, i) = std::max(0.0, total[i] - leaving * kernels.value[i]) / left;
      by_log_width(j, i) = (slope[i] - leaving * kernels.slope[i]) / left;
    }
  }

  Matrix by_total(states, count);  // d value / d T
  for (Index i = 0; i < count; ++i) {
    const Index row = begin + i;
    const auto w = pass.w.col(row).array();
    const auto p = density.col(i).array();
    const double mixed = (1 - defensive_.weight) * (w * p).sum() + defensive_.weight * defensive_density_[row];
    chunk.value -= weights_[row] * std::log(mixed) / total_;
    const double by_p = -weights_[row] * (1 - defensive_.weight) / (mixed * total_);
    const double l = leaves_[row];
    const auto inverse = inverse_left.col(i).array();
    pass.by_w.col(row) = by_p * (p + l * w * inverse * (p - own.col(i).array()));
    by_total.col(i) = by_p * w * inverse;
    chunk.by_sizes.array() -= by_p * w * p * inverse;
    chunk.by_log_width.array() += by_p * w * by_log_width.col(i).array();
  }
  for (Index j = 0; j < states; ++j) {
    nodes_of(j).spread(by_total.row(j).transpose(), begin, chunk.by_totals[static_cast<std::size_t>(j)]);
  }
}

/// d value / d W with what W does to the sums, through the softmax, to the parameters.
void PressObjective::find_gradient(Pass& pass, Chunk& chunk) const {
  const auto [begin, end] = chunk.rows;
  const Index count = end - begin;
  const auto a = weights_.segment(begin, count);
  const auto w = pass.w.middleCols(begin, count);
  auto by_w = pass.by_w.middleCols(begin, count);
  for (Index j = 0; j < map_.n_states(); ++j) {
    const Vector& by_sum = pass.by_sums[static_cast<std::size_t>(j)];
    Vector through = criterion_ == PressCriterion::likelihood
                         ? nodes_of(j).collect(by_sum, begin, count)
                         : Vector(y_.middleCols(begin, count).transpose() * by_sum);
    const double inverse = pass.inverse[j];
    through.array() += pass.by_sizes[j] - pass.by_freedom * pass.squares[j] * inverse * inverse;
    through += 2 * pass.by_freedom * inverse * w.row(j).transpose();
    by_w.row(j) += a.cwiseProduct(through).transpose();
  }
  const Eigen::RowVectorXd mean = by_w.cwiseProduct(w).colwise().sum();
  Matrix by_scores = w.cwiseProduct(by_w.rowwise() - mean);
  chunk.gradient = Vector::Zero(pass.theta.size());
  map_.add_gradient(pass.theta, inputs(chunk.rows), chunk.hidden, std::move(by_scores), chunk.gradient);
}

}  // namespace condens
