#include "condens/estimators/press/objective.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "core/flush_subnormals.hpp"
#include "linalg/vector_math.hpp"
#include "pass.hpp"
#include "state_sums.hpp"

namespace condens {

using press::inverse_sizes;

namespace {

using Array = Eigen::ArrayXd;

constexpr std::string_view objective_name = "PRESS objective";

// A task's rows: enough to pay for its sums, and not more tasks than that.
constexpr Index least_rows_of_chunk = 256;
constexpr Index most_chunks = 64;
// Multiplications of a pass below which threads cost more than they save.
constexpr double least_work_for_threads = 2e6;
constexpr Index rows_of_tile = 128;        // of the likelihood
constexpr Index nodes_of_tile = 128;       // a panel of kernels between nodes
constexpr double most_kernels_kept = 4e6;  // until the way back; more are computed again

/// Scores become weights: the softmax of every row.
void softmax_rows(Eigen::Ref<Matrix> scores) {
  Array largest = scores.col(0);
  for (Index j = 1; j < scores.cols(); ++j) largest = largest.max(scores.col(j).array());
  scores.colwise() -= largest.matrix();
  for (Index j = 0; j < scores.cols(); ++j) exp_in_place(scores.col(j).data(), scores.rows());
  Array total = scores.col(0);
  for (Index j = 1; j < scores.cols(); ++j) total += scores.col(j).array();
  scores.array().colwise() *= total.inverse();
}

}  // namespace

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
  require(rows.size() >= 1 && rows.x.cols() == rows.size() && weights_.size() == rows.size(), objective_name,
          ": x has ", rows.x.cols(), " rows, y ", rows.size(), " and weights ", weights_.size(), ", expected as many");
  require(rows.x.rows() == map_.n_inputs(), objective_name, ": x has ", rows.x.rows(), " columns, expected ",
          map_.n_inputs());
  require(rows.y.rows() >= 1, objective_name, ": y has no columns, expected at least one");
  require(packed_ == nullptr || packed_->size() == rows.size(), objective_name,
          ": the packed inputs are not those of x");
  require((weights_.array() > 0).all() && std::isfinite(total_), objective_name, ": weights must be finite and > 0");
  require(penalties.ridge >= 0 && penalties.smoothness_weight >= 0, objective_name, ": penalties must be >= 0");
}

PressObjective::PressObjective(const Dataset& rows, PressMap map, PressCriterion criterion,
                               const PressPenalties& penalties, std::shared_ptr<const PackedObservations> packed)
    : PressObjective(rows, std::move(map), criterion, penalties, {}, {}, std::move(packed)) {
  require(criterion != PressCriterion::likelihood, objective_name,
          ": the likelihood needs nodes of the state densities");
}

PressObjective::PressObjective(const Dataset& rows, PressMap map, std::vector<PressNodes> nodes,
                               const Defensive& defensive, const PressPenalties& penalties,
                               std::shared_ptr<const PackedObservations> packed)
    : PressObjective(rows, std::move(map), PressCriterion::likelihood, penalties, std::move(nodes), defensive,
                     std::move(packed)) {
  require(nodes_.size() == 1 || std::ssize(nodes_) == map_.n_states(), objective_name, ": ", nodes_.size(),
          " sets of nodes, expected one or ", map_.n_states());
  for (const PressNodes& own : nodes_) {
    require(own.centers.rows() == y_.rows() && own.share.size() == own.corners * y_.cols(), objective_name,
            ": the nodes are not those of y");
  }
  defensive_density_ = Vector::Zero(y_.cols());
  if (defensive_.weight > 0) defensive_density_ = defensive_.log_density(y_).array().exp();
}

PressEvaluation PressObjective::evaluate(const Vector& theta, const Vector& widths, int threads,
                                         const std::function<void()>& poll) const {
  require(theta.size() == map_.n_parameters(), objective_name, ": theta has ", theta.size(), " numbers, expected ",
          map_.n_parameters());
  const bool likelihood = criterion_ == PressCriterion::likelihood;
  require(widths.size() == (likelihood ? map_.n_states() : 0), objective_name, ": ", widths.size(),
          " widths, expected ", likelihood ? map_.n_states() : 0);
  require((widths.array() > 0).all(), objective_name, ": widths must be > 0");
  const FlushSubnormals guard;
  Pass pass = begin(theta, widths, threads, poll);
  pass.over_chunks([&](Chunk& chunk) { find_weights(pass, chunk); });
  combine_states(pass);
  if (likelihood) {
    pass.slopes = pass.sums;
    pass.totals = pass.kernel_sums(*this, pass.sums, &pass.slopes);
  }
  pass.over_chunks([&](Chunk& chunk) { find_terms(pass, chunk); });
  if (likelihood) sum_anew(pass);
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

void PressObjective::become_part_of(double total_weight) {
  total_ = total_weight;
  is_part_ = true;
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
          Matrix(n, map_.n_states()),
          Matrix(n, map_.n_states())};
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

PressTermSums PressObjective::add_up_terms(const Pass& pass) const {
  const bool likelihood = criterion_ == PressCriterion::likelihood;
  PressTermSums out;
  if (likelihood) out.by_log_width = Vector::Zero(map_.n_states());
  out.by_sizes = Vector::Zero(map_.n_states());
  out.by_means = Matrix::Zero(y_.rows(), map_.n_states());
  if (likelihood) {
    for (Index j = 0; j < map_.n_states(); ++j) out.by_totals.emplace_back(Vector::Zero(nodes_of(j).size()));
  }
  for (const Chunk& chunk : pass.chunks) {
    out.value += chunk.value;
    out.mse += chunk.squared_error / total_;
    out.by_sizes += chunk.by_sizes;
    if (likelihood) {
      out.by_log_width += chunk.by_log_width;
      for (std::size_t j = 0; j < out.by_totals.size(); ++j) out.by_totals[j] += chunk.by_totals[j];
    } else {
      out.by_means += chunk.by_means;
    }
  }
  for (const Anew& own : pass.anew) {
    const double share = weights_[own.row] / total_;
    out.value -= share * own.value;
    out.by_log_width -= share * own.by_log_width;
  }
  return out;
}

PressEvaluation PressObjective::combine_terms(Pass& pass) const { return follow_terms(pass, add_up_terms(pass)); }

/// The value without its ridge, and its derivatives by the sums of the states.
PressEvaluation PressObjective::follow_terms(Pass& pass, const PressTermSums& terms) const {
  const bool likelihood = criterion_ == PressCriterion::likelihood;
  PressEvaluation out;
  out.gradient = Vector::Zero(pass.theta.size());
  out.freedom = pass.freedom;
  out.value = terms.value;
  out.mse = terms.mse;
  out.by_log_width = terms.by_log_width;
  pass.by_sizes = terms.by_sizes;
  pass.by_sums = pass.sums;
  if (likelihood) pass.by_sums = pass.kernel_sums(*this, terms.by_totals, nullptr);
  for (Index j = 0; j < map_.n_states() && !likelihood; ++j) {  // m_j = sums_j / sigma_j
    pass.by_sums[static_cast<std::size_t>(j)] = terms.by_means.col(j) * pass.inverse[j];
    pass.by_sizes[j] -= terms.by_means.col(j).dot(pass.means.col(j)) * pass.inverse[j];
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
  auto w = pass.w.middleRows(begin, count);
  w = map_.scores(pass.theta, inputs(chunk.rows), &chunk.hidden).transpose();
  softmax_rows(w);
  const Matrix weighted = weights_.segment(begin, count).asDiagonal() * w;
  chunk.sizes = weighted.colwise().sum().transpose();
  chunk.squares = weighted.cwiseProduct(w).colwise().sum().transpose();
  chunk.sums.resize(static_cast<std::size_t>(w.cols()));
  Matrix of_y;
  if (criterion_ != PressCriterion::likelihood) of_y = y_.middleCols(begin, count) * weighted;
  for (Index j = 0; j < w.cols(); ++j) {
    Vector& sum = chunk.sums[static_cast<std::size_t>(j)];
    if (criterion_ == PressCriterion::likelihood) {
      sum = Vector::Zero(nodes_of(j).size());
      nodes_of(j).spread(weighted.col(j), begin, sum);
    } else {
      sum = of_y.col(j);
    }
  }
}

void PressObjective::combine_states(Pass& pass) const {
  add_up_states(pass);
  derive_states(pass);
}

void PressObjective::add_up_states(Pass& pass) const {
  pass.sizes = pass.squares = Vector::Zero(map_.n_states());
  pass.sums = pass.chunks.front().sums;
  for (Vector& sum : pass.sums) sum.setZero();
  for (const Chunk& chunk : pass.chunks) {
    pass.sizes += chunk.sizes;
    pass.squares += chunk.squares;
    for (std::size_t j = 0; j < pass.sums.size(); ++j) pass.sums[j] += chunk.sums[j];
  }
}

void PressObjective::set_states(Pass& pass, const PressStateSums& states) const {
  pass.sizes = states.sizes;
  pass.squares = states.squares;
  pass.sums = states.sums;
  derive_states(pass);
}

void PressObjective::derive_states(Pass& pass) const {
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
  const auto w = pass.w.middleRows(begin, count);
  auto by_w = pass.by_w.middleRows(begin, count);
  const auto a = weights_.segment(begin, count).array();
  const Matrix u = y_.middleCols(begin, count).transpose() - w * pass.means.transpose();
  const Array error = u.rowwise().squaredNorm().array();
  chunk.squared_error = (a * error).sum();
  chunk.by_sizes = Vector::Zero(map_.n_states());
  Array factor = Array::Constant(count, 1.0);  // 1 / (1 - s_i)^2
  by_w.setZero();
  if (criterion_ == PressCriterion::gcv) {
    const double left = 1 - pass.freedom / total_;
    factor.setConstant(left > 1e-12 ? 1 / (left * left) : infinity);
  } else if (criterion_ == PressCriterion::loocv) {
    const auto l = leaves_.segment(begin, count).array();
    const Matrix squares = w.cwiseAbs2();
    const Array left = 1 - l * (squares * pass.inverse).array();
    factor = (left > 1e-12).select(left.square().inverse(), infinity);
    const Array by_h = 2 * a * error * factor * l / (left * total_);  // d value / d sum_j W_ji^2 / sigma_j
    by_w = (2 * by_h).matrix().asDiagonal() * w * pass.inverse.asDiagonal();
    chunk.by_sizes = -(squares.transpose() * by_h.matrix()).cwiseProduct(pass.inverse.cwiseAbs2());
  }
  chunk.value = (a * error * factor).sum() / total_;
  const Matrix e = (-2 * a * factor / total_).matrix().asDiagonal() * u;
  by_w += e.lazyProduct(pass.means);
  chunk.by_means = e.transpose() * w;
}

/// loo.
void PressObjective::exact_terms(Pass& pass, Chunk& chunk, Index begin, Index count) const {
  const Index states = map_.n_states();
  const auto a = weights_.segment(begin, count).array();
  const auto l = leaves_.segment(begin, count).array();
  const auto y = y_.middleCols(begin, count).transpose();
  Matrix c(count, states);  // 1 / (1 - l_i W_ji / sigma_j)
  Matrix u = Matrix::Zero(count, y.cols());
  Matrix v = u;  // residuals with and without the row
  for (Index j = 0; j < states; ++j) {
    const auto w = pass.w.col(j).segment(begin, count).array();
    const Array left = 1 - l * w * pass.inverse[j];
    c.col(j) = (left > 1e-12).select(left.inverse(), infinity);
    const Matrix gap = y.rowwise() - pass.means.col(j).transpose();
    u += w.matrix().asDiagonal() * gap;
    v += (w > 0).select(w * c.col(j).array(), 0.0).matrix().asDiagonal() * gap;
  }
  chunk.squared_error = (a * u.rowwise().squaredNorm().array()).sum();
  chunk.value = (a * v.rowwise().squaredNorm().array()).sum() / total_;
  const Matrix g = (2 / total_ * a).matrix().asDiagonal() * v;
  chunk.by_means = Matrix::Zero(y.cols(), states);
  chunk.by_sizes = Vector::Zero(states);
  for (Index j = 0; j < states; ++j) {
    const auto w = pass.w.col(j).segment(begin, count).array();
    const auto own = c.col(j).array();
    const Array along = (y.rowwise() - pass.means.col(j).transpose()).cwiseProduct(g).rowwise().sum().array();
    pass.by_w.col(j).segment(begin, count) = along * own.square();
    chunk.by_means.col(j) = -g.transpose() * (w * own).matrix();
    chunk.by_sizes[j] = -(l * (w * own * pass.inverse[j]).square() * along).sum();
  }
}

/// d value / d W with what W does to the sums, through the softmax, to the parameters.
void PressObjective::find_gradient(Pass& pass, Chunk& chunk) const {
  const auto [begin, end] = chunk.rows;
  const Index count = end - begin;
  const auto a = weights_.segment(begin, count).array();
  const auto w = pass.w.middleRows(begin, count);
  auto by_w = pass.by_w.middleRows(begin, count);
  Array mean = Array::Zero(count);
  for (Index j = 0; j < map_.n_states(); ++j) {
    const Vector& by_sum = pass.by_sums[static_cast<std::size_t>(j)];
    const Array through = criterion_ == PressCriterion::likelihood
                              ? nodes_of(j).collect(by_sum, begin, count)
                              : Vector(y_.middleCols(begin, count).transpose().lazyProduct(by_sum));
    const double inverse = pass.inverse[j];
    const double by_size = pass.by_sizes[j] - pass.by_freedom * pass.squares[j] * inverse * inverse;
    by_w.col(j).array() += a * (through + by_size + 2 * pass.by_freedom * inverse * w.col(j).array());
    mean += by_w.col(j).cwiseProduct(w.col(j)).array();
  }
  Matrix by_scores = w.cwiseProduct(by_w.colwise() - mean.matrix());
  if (!pass.anew.empty()) {
    const Matrix by_log_w = pass.by_log_w.middleRows(begin, count);
    by_scores += by_log_w - by_log_w.rowwise().sum().asDiagonal() * w;
  }
  chunk.gradient = Vector::Zero(pass.theta.size());
  map_.add_gradient(pass.theta, inputs(chunk.rows), chunk.hidden, by_scores.transpose(), chunk.gradient);
}

}  // namespace condens
