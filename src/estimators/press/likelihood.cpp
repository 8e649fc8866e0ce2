// The leave-one-out likelihood of PRESS (objective.hpp): from sums of kernels over all rows
// less the row's own, and where that difference loses its digits from sums over the others.

#include <cmath>
#include <limits>

#include "linalg/log_sum_exp.hpp"
#include "pass.hpp"

namespace condens {

namespace {

using Array = Eigen::ArrayXd;

// A row is summed anew where rounding may cost more than this share of its density, or the density is below that.
constexpr double most_lost = 1e-10;
constexpr double least_density = 1e-250;

}  // namespace

/// likelihood: T_ji = the sums of kernels where row i is, so that the density of state j without
/// row i is (T_ji - l_i W_ji k_ji) / (sigma_j - l_i W_ji), k_ji a row's own kernel.
void PressObjective::likelihood_terms(Pass& pass, Chunk& chunk, Index begin, Index count) const {
  const Index states = map_.n_states();
  if (chunk.by_totals.empty()) {
    chunk.by_sizes = chunk.by_log_width = Vector::Zero(states);
    for (const Vector& sum : pass.sums) chunk.by_totals.emplace_back(Vector::Zero(sum.size()));
  }
  Array a = weights_.segment(begin, count).array();
  const auto l = leaves_.segment(begin, count).array();
  Matrix density(count, states);       // without the row
  Matrix inverse_left(count, states);  // 1 / (sigma_j - l_i W_ji); 0 where the row is the state
  Matrix own(count, states);           // k_ji
  Matrix by_log_width(count, states);  // d density / d log h_j
  Array mixed = defensive_.weight * defensive_density_.segment(begin, count).array();
  Array lost = Array::Zero(count);  // of it, to the rounding of the differences
  for (Index j = 0; j < states; ++j) {
    const PressNodes& nodes = nodes_of(j);
    const Vector total = nodes.collect(pass.totals[static_cast<std::size_t>(j)], begin, count);
    const Vector slope = nodes.collect(pass.slopes[static_cast<std::size_t>(j)], begin, count);
    const press::OwnKernels kernels = press::own_kernels(nodes, pass.widths[j], {begin, begin + count});
    const auto w = pass.w.col(j).segment(begin, count).array();
    const Array left = pass.sizes[j] - l * w;
    inverse_left.col(j) = (left > 1e-12 * pass.sizes[j]).select(left.inverse(), 0.0);
    const auto inverse = inverse_left.col(j).array();
    own.col(j) = (inverse > 0).select(kernels.value.array(), 0.0);
    density.col(j) = (total.array() - l * w * kernels.value.array()).max(0.0) * inverse;
    by_log_width.col(j) = (slope.array() - l * w * kernels.slope.array()) * inverse;
    mixed += (1 - defensive_.weight) * w * density.col(j).array();
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    const Array of_difference = rounding * w * inverse * (total.array() + pass.sizes[j] * density.col(j).array());
    lost += (w > 0 && inverse == 0).select(infinity, of_difference);
  }
  for (Index i = 0; i < count; ++i) {
    if (lost[i] <= most_lost * mixed[i] && mixed[i] >= least_density) continue;
    if (is_part_) {
      const double broad = defensive_.weight > 0 ? defensive_.log_density(y_.col(begin + i))[0] : -infinity;
      chunk.value -= a[i] / total_ * (std::log(defensive_.weight) + broad);
    } else {
      chunk.lost.push_back(begin + i);
    }
    a[i] = 0;
    mixed[i] = 1;
  }
  chunk.value -= (a * mixed.log()).sum() / total_;
  const Array by_p = -(1 - defensive_.weight) / total_ * a / mixed;
  for (Index j = 0; j < states; ++j) {
    const auto w = pass.w.col(j).segment(begin, count).array();
    const auto p = density.col(j).array();
    const auto inverse = inverse_left.col(j).array();
    pass.by_w.col(j).segment(begin, count) = by_p * (p + l * w * inverse * (p - own.col(j).array()));
    chunk.by_sizes[j] -= (by_p * w * p * inverse).sum();
    chunk.by_log_width[j] += (by_p * w * by_log_width.col(j).array()).sum();
    nodes_of(j).spread((by_p * w * inverse).matrix(), begin, chunk.by_totals[static_cast<std::size_t>(j)]);
  }
}

/// The rows that lost their digits.
void PressObjective::sum_anew(Pass& pass) const {
  for (const Chunk& chunk : pass.chunks) {
    for (const Index row : chunk.lost) pass.anew.push_back({.row = row});
  }
  if (pass.anew.empty()) return;
  pass.log_w.resize(y_.cols(), map_.n_states());
  pass.by_log_w = Matrix::Zero(y_.cols(), map_.n_states());
  pass.over_chunks([&](const Chunk& chunk) {
    Matrix scores = map_.scores(pass.theta, inputs(chunk.rows));
    log_normalize_columns(scores);
    pass.log_w.middleRows(chunk.rows.begin, chunk.rows.size()) = scores.transpose();
  });
  parallel_for(
      std::ssize(pass.anew), pass.threads,
      [&](Index k) {
        Anew& own = pass.anew[static_cast<std::size_t>(k)];
        own = sum_anew(pass, own.row);
      },
      pass.poll);
  pass.over_chunks([&](const Chunk& chunk) { spread_anew(pass, chunk); });
}

/// log((1 - e) sum_j W_ji sum_k a_k W_jk k(y_i, y_k) / sum_k a_k W_jk + e N_0(y_i)) over the rows k but i, and the
/// derivative by log h.
PressObjective::Anew PressObjective::sum_anew(const Pass& pass, Index row) const {
  const Index states = map_.n_states();
  Anew out{row, 0, Vector(states), Vector(states), Vector::Ones(states), Vector(states), Vector::Zero(states)};
  for (Index j = 0; j < states; ++j) {
    const press::LogKernels kernels = press::log_kernels(nodes_of(j), pass.widths[j], row, {0, y_.cols()});
    Vector mass = weights_.array().log() + pass.log_w.col(j).array();
    mass[row] = -infinity;
    const Vector term = mass + kernels.value;
    out.log_left[j] = log_sum_exp(mass);
    out.log_total[j] = log_sum_exp(term);
    out.share[j] = pass.log_w(row, j) + out.log_total[j] - out.log_left[j];
    if (!std::isfinite(out.log_total[j])) {
      out.share[j] = -infinity;
      continue;
    }
    const Vector part = (term.array() - out.log_total[j]).exp();
    out.rounding[j] = part.sum();
    out.by_log_width[j] = part.dot(kernels.slope) / out.rounding[j];
  }
  const double of_states = log_sum_exp(out.share);
  const double broad = defensive_.weight > 0 ? defensive_.log_density(y_.col(row))[0] : -infinity;
  out.value = defensive_.log_mixed(of_states, broad);
  out.share = (out.share.array() + std::log1p(-defensive_.weight) - out.value).exp();
  if (defensive_.weight == 0) out.share /= out.share.sum();
  out.by_log_width.array() *= out.share.array();
  return out;
}

/// What the rows of `chunk` add to the sums of those that are summed anew.
void PressObjective::spread_anew(Pass& pass, const Chunk& chunk) const {
  const auto [begin, end] = chunk.rows;
  const Index count = end - begin;
  const Array log_weights = weights_.segment(begin, count).array().log();
  for (const Anew& own : pass.anew) {
    const double factor = -weights_[own.row] / total_;
    const bool inside = own.row >= begin && own.row < end;
    for (Index j = 0; j < map_.n_states(); ++j) {
      if (!(own.share[j] > 0)) continue;
      const press::LogKernels kernels = press::log_kernels(nodes_of(j), pass.widths[j], own.row, chunk.rows);
      const Array mass = log_weights + pass.log_w.col(j).segment(begin, count).array();
      Array by = (mass + kernels.value.array() - own.log_total[j]).exp() / own.rounding[j];
      by -= (mass - own.log_left[j]).exp();
      if (inside) by[own.row - begin] = 1;
      pass.by_log_w.col(j).segment(begin, count).array() += factor * own.share[j] * by;
    }
  }
}

}  // namespace condens
