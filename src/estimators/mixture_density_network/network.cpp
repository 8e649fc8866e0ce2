#include "condens/estimators/mixture_density_network/network.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "core/work.hpp"
#include "linalg/vector_math.hpp"

namespace condens::mdn {

namespace {

constexpr Index block_rows = 128;  // a block's numbers stay in the cache
constexpr Index group_blocks = 8;  // blocks that one thread takes at once
const double log_two_pi = std::log(2 * std::numbers::pi);

template <class Scalar>
Eigen::Map<const MatrixOf<Scalar>> weights_of(const Shape& shape, Index layer, const VectorOf<Scalar>& parameters) {
  const Index out = layer == shape.layers ? shape.n_outputs() : shape.hidden;
  return {parameters.data() + shape.layer_offset(layer), shape.fan_in(layer), out};
}

template <class Scalar>
auto biases_of(const Shape& shape, Index layer, const VectorOf<Scalar>& parameters) {
  const Index out = layer == shape.layers ? shape.n_outputs() : shape.hidden;
  return parameters.segment(shape.layer_offset(layer) + shape.fan_in(layer) * out, out);
}

template <class Units>
void squash(Units&& units) {
  if constexpr (std::is_same_v<typename std::decay_t<Units>::Scalar, double>) {
    tanh_in_place(units);
  } else {
    units = units.array().tanh();
  }
}

/// o at the rows of x.
template <class Scalar>
void forward(const Shape& shape, const Eigen::Ref<const MatrixOf<Scalar>>& x, const VectorOf<Scalar>& parameters,
             BasicWorkspace<Scalar>& work) {
  const Index rows = x.rows();
  for (Index layer = 0; layer <= shape.layers; ++layer) {
    auto out = work.activations[static_cast<std::size_t>(layer)].topRows(rows);
    out.rowwise() = biases_of(shape, layer, parameters).transpose();
    if (layer == 0) {
      if (shape.n_inputs > 0) out.noalias() += x * weights_of(shape, 0, parameters);
    } else {
      out.noalias() +=
          work.activations[static_cast<std::size_t>(layer - 1)].topRows(rows) * weights_of(shape, layer, parameters);
    }
    if (layer < shape.layers) squash(out);
    if (shape.is_residual(layer)) out += work.activations[static_cast<std::size_t>(layer - 1)].topRows(rows);
  }
  auto last = work.activations.back().topRows(rows);
  if (shape.skip && shape.n_inputs > 0) {
    const Eigen::Map<const MatrixOf<Scalar>> skip(parameters.data() + shape.skip_offset(), shape.n_inputs,
                                                  shape.n_means());
    last.middleCols(shape.n_components, shape.n_means()).noalias() += x * skip;
  }
  work.outputs.topRows(rows) = last.template cast<double>();
}

/// log sum_c exp(terms(., c)) of every row goes to column `to` of `columns`; column 1 is work space.
void log_sum_of_columns(const Eigen::Ref<const Matrix>& terms, Matrix& columns, Index to) {
  const Index rows = terms.rows();
  auto top = columns.col(to).head(rows);
  auto term = columns.col(1).head(rows);
  auto total = columns.col(2).head(rows);
  top = terms.col(0);
  for (Index c = 1; c < terms.cols(); ++c) top = top.cwiseMax(terms.col(c));
  total.setZero();
  for (Index c = 0; c < terms.cols(); ++c) {
    term = terms.col(c) - top;
    exp_in_place(term.data(), rows);
    total += term;
  }
  top.array() += total.array().log();
}

/// log pi_l in place of the logits, sigma_l in place of s_l.
template <class Scalar>
void finish_mixture(const Shape& shape, Index rows, BasicWorkspace<Scalar>& work) {
  const Index t = shape.n_components;
  auto logits = work.outputs.topLeftCorner(rows, t);
  log_sum_of_columns(logits, work.columns, 0);
  logits.colwise() -= work.columns.col(0).head(rows);
  auto scales = work.outputs.topRows(rows).rightCols(t * shape.scales_per_component());
  scales = scales.cwiseMin(std::log(shape.most_scale));
  exp_in_place(scales);
  scales.array() += shape.scale_floor;
}

/// -log p of every row in column 0 of work.columns; log_joint becomes log pi_l N_l.
template <class Scalar>
void evaluate(const Shape& shape, const BasicBlock<Scalar>& block, const VectorOf<Scalar>& parameters,
              BasicWorkspace<Scalar>& work) {
  const Index rows = block.x.rows();
  forward<Scalar>(shape, block.x, parameters, work);
  finish_mixture(shape, rows, work);
  for (Index c = 0; c < shape.n_components; ++c) {
    auto joint = work.log_joint.col(c).head(rows);
    joint = work.outputs.col(c).head(rows);
    for (Index k = 0; k < shape.n_targets; ++k) {
      const auto scale = work.outputs.col(shape.scale_output(c, k)).head(rows);
      auto z = work.z.col(c * shape.n_targets + k).head(rows);
      z = (block.y.col(k) - work.outputs.col(shape.mean_output(c, k)).head(rows)).cwiseQuotient(scale);
      joint.array() -= 0.5 * z.array().square() + scale.array().log();
    }
  }
  log_sum_of_columns(work.log_joint.topRows(rows), work.columns, 0);
  work.columns.col(0).head(rows) =
      (0.5 * static_cast<double>(shape.n_targets) * log_two_pi - work.columns.col(0).head(rows).array()).matrix();
}

/// Derivatives of sum_i w_i (-log p_i) by o: with responsibilities r_l = pi_l N_l / p,
///   by logits  w (pi_l - r_l),   by means  -w r_l z / sigma,   by s  -w r_l (z^2 - 1) exp(s) / sigma.
template <class Scalar>
void differentiate_mixture(const Shape& shape, const BasicBlock<Scalar>& block, BasicWorkspace<Scalar>& work) {
  const Index rows = block.x.rows();
  const double half_log = 0.5 * static_cast<double>(shape.n_targets) * log_two_pi;
  const double most = shape.scale_floor + shape.most_scale * (1 - 1e-12);
  auto log_density = work.columns.col(0).head(rows);  // without the constant
  log_density = (half_log - log_density.array()).matrix();
  auto share = work.columns.col(1).head(rows);
  auto prior = work.columns.col(2).head(rows);
  for (Index c = 0; c < shape.n_components; ++c) {
    share = work.log_joint.col(c).head(rows) - log_density;
    prior = work.outputs.col(c).head(rows);
    exp_in_place(share.data(), rows);
    exp_in_place(prior.data(), rows);
    work.by_outputs.col(c).head(rows) = block.weights.cwiseProduct(prior - share);
    share.array() *= block.weights.array();
    if (shape.isotropic) work.by_outputs.col(shape.scale_output(c, 0)).head(rows).setZero();
    for (Index k = 0; k < shape.n_targets; ++k) {
      const auto scale = work.outputs.col(shape.scale_output(c, k)).head(rows).array();
      const auto z = work.z.col(c * shape.n_targets + k).head(rows).array();
      work.by_outputs.col(shape.mean_output(c, k)).head(rows).array() = -share.array() * z / scale;
      auto by_scale = work.by_outputs.col(shape.scale_output(c, k)).head(rows).array();
      const auto slope =
          (scale < most).select(share.array() * (1.0 - z.square()) * (1.0 - shape.scale_floor / scale), 0.0);
      if (shape.isotropic) {
        by_scale += slope;
      } else {
        by_scale = slope;
      }
    }
  }
}

/// From the derivatives by o to those by the parameters.
template <class Scalar>
void backward(const Shape& shape, const BasicBlock<Scalar>& block, const VectorOf<Scalar>& parameters,
              BasicWorkspace<Scalar>& work, VectorOf<Scalar>& gradient) {
  const Index rows = block.x.rows();
  work.slopes.back().topRows(rows) = work.by_outputs.topRows(rows).template cast<Scalar>();
  const auto add = [&](Index layer, const auto& input, const auto& by_output) {
    const Index out = by_output.cols();
    Scalar* const begin = gradient.data() + shape.layer_offset(layer);
    if (input.cols() > 0) {
      Eigen::Map<MatrixOf<Scalar>>(begin, input.cols(), out).noalias() += input.transpose() * by_output;
    }
    Eigen::Map<VectorOf<Scalar>>(begin + input.cols() * out, out) += by_output.colwise().sum().transpose();
  };
  if (shape.skip && shape.n_inputs > 0) {
    Eigen::Map<MatrixOf<Scalar>>(gradient.data() + shape.skip_offset(), shape.n_inputs, shape.n_means()).noalias() +=
        block.x.transpose() * work.slopes.back().topRows(rows).middleCols(shape.n_components, shape.n_means());
  }
  for (Index layer = shape.layers; layer >= 0; --layer) {
    const auto current = work.slopes[static_cast<std::size_t>(layer)].topRows(rows);
    if (layer == 0) {
      add(0, block.x, current);
      break;
    }
    const auto below = work.activations[static_cast<std::size_t>(layer - 1)].topRows(rows);
    add(layer, below, current);
    auto by_units = work.by_units.topRows(rows);
    if (!shape.is_residual(layer)) by_units.setZero();
    by_units.noalias() += current * weights_of(shape, layer, parameters).transpose();
    auto slopes = work.slopes[static_cast<std::size_t>(layer - 1)].topRows(rows);
    if (shape.is_residual(layer - 1)) {
      const auto before = work.activations[static_cast<std::size_t>(layer - 2)].topRows(rows);
      slopes.array() = by_units.array() * (Scalar{1} - (below - before).array().square());
    } else {
      slopes.array() = by_units.array() * (Scalar{1} - below.array().square());
    }
  }
}

/// What is done with every number of the network `passes` times, and with its units and outputs. Products of wide
/// layers are the faster ones, and those of float take 60 %.
template <class Scalar>
void count_passes(const Shape& shape, Index rows, double passes) {
  if constexpr (std::is_same_v<Scalar, float>) passes *= 0.6;
  const double product = 0.5 * work::product + 10 * work::narrow_product / static_cast<double>(shape.hidden);
  const double each = passes * product * static_cast<double>(shape.n_parameters()) +
                      work::exponential * static_cast<double>(shape.layers * shape.hidden + shape.n_outputs());
  count_work(each * static_cast<double>(rows));
}

}  // namespace

Index Shape::layer_offset(Index layer) const {
  const Index first = (n_inputs + 1) * hidden;
  return layer == 0 ? 0 : first + (layer - 1) * (hidden + 1) * hidden;
}

Index Shape::n_parameters() const { return skip_offset() + (skip ? n_inputs * n_means() : 0); }

template <class Scalar>
BasicWorkspace<Scalar>::BasicWorkspace(const Shape& shape, Index most_rows)
    : activations(static_cast<std::size_t>(shape.layers), MatrixOf<Scalar>(most_rows, shape.hidden)),
      outputs(most_rows, shape.n_outputs()),
      by_outputs(most_rows, shape.n_outputs()),
      z(most_rows, shape.n_components * shape.n_targets),
      log_joint(most_rows, shape.n_components),
      columns(most_rows, 3) {
  activations.emplace_back(most_rows, shape.n_outputs());
  slopes = activations;
  by_units.resize(most_rows, shape.hidden);
}
template struct BasicWorkspace<double>;
template struct BasicWorkspace<float>;

Eigen::Block<Matrix> mixture(const Shape& shape, const MatrixView& x, const Vector& parameters, Workspace& work) {
  forward<double>(shape, x, parameters, work);
  finish_mixture(shape, x.rows(), work);
  return work.outputs.block(0, 0, x.rows(), work.outputs.cols());
}

double loss(const Shape& shape, const Block& block, const Vector& parameters, Workspace& work, Vector* losses) {
  count_passes<double>(shape, block.x.rows(), 1);
  evaluate(shape, block, parameters, work);
  const auto own = work.columns.col(0).head(block.x.rows());
  if (losses != nullptr) *losses = own;
  return block.weights.dot(own);
}

template <class Scalar>
double add_loss(const Shape& shape, const BasicBlock<Scalar>& block, const VectorOf<Scalar>& parameters,
                BasicWorkspace<Scalar>& work, VectorOf<Scalar>& gradient) {
  count_passes<Scalar>(shape, block.x.rows(), 3);
  evaluate(shape, block, parameters, work);
  const double value = block.weights.dot(work.columns.col(0).head(block.x.rows()));
  differentiate_mixture(shape, block, work);
  backward(shape, block, parameters, work, gradient);
  return value;
}
template double add_loss(const Shape&, const BasicBlock<double>&, const VectorOf<double>&, BasicWorkspace<double>&,
                         VectorOf<double>&);
template double add_loss(const Shape&, const BasicBlock<float>&, const VectorOf<float>&, BasicWorkspace<float>&,
                         VectorOf<float>&);

double add_penalty(const Shape& shape, double decay, const Vector& parameters, Vector& gradient) {
  double squares = 0;
  const auto add = [&](Index begin, Index count) {
    const auto part = parameters.segment(begin, count);
    squares += part.squaredNorm();
    gradient.segment(begin, count) += decay * part;
  };
  for (Index layer = 0; layer <= shape.layers; ++layer) {
    add(shape.layer_offset(layer), weights_of(shape, layer, parameters).size());
  }
  add(shape.skip_offset(), shape.n_parameters() - shape.skip_offset());
  return 0.5 * decay * squares;
}

NetworkLoss::NetworkLoss(const Shape& shape, const MatrixView& x, const MatrixView& y, const VectorView& weights,
                         double decay)
    : shape_(shape), decay_(decay), total_(weights.sum()), n_rows_(y.cols()) {
  for (Index b = 0; b < block_count(n_rows_, block_rows); ++b) {
    const Range range = block_range(n_rows_, block_rows, b);
    Block block{Matrix(range.size(), x.rows()), y.middleCols(range.begin, range.size()).transpose(),
                weights.segment(range.begin, range.size())};
    if (x.rows() > 0) block.x = x.middleCols(range.begin, range.size()).transpose();
    blocks_.push_back(std::move(block));
  }
  const auto groups = static_cast<std::size_t>(block_count(std::ssize(blocks_), group_blocks));
  work_.assign(groups, Workspace(shape, std::min(block_rows, n_rows_)));
  gradients_.assign(groups, Vector(shape.n_parameters()));
  values_.assign(groups, 0.0);
}

template <class Work>
void NetworkLoss::for_groups(int threads, const Work& work) {
  const auto body = [&](Index group) {
    const Range range = block_range(std::ssize(blocks_), group_blocks, group);
    for (Index b = range.begin; b < range.end; ++b) work(static_cast<std::size_t>(group), static_cast<std::size_t>(b));
  };
  const Index groups = std::ssize(work_);
  if (threads == 1 || groups == 1) {
    for (Index group = 0; group < groups; ++group) body(group);
  } else {
    parallel_for(groups, threads, body);
  }
}

double NetworkLoss::operator()(const Vector& parameters, Vector& gradient, int threads) {
  for (Vector& part : gradients_) part.setZero();
  std::fill(values_.begin(), values_.end(), 0.0);
  for_groups(threads, [&](std::size_t group, std::size_t b) {
    values_[group] += add_loss(shape_, blocks_[b], parameters, work_[group], gradients_[group]);
  });
  double value = 0;
  gradient.setZero(shape_.n_parameters());
  for (std::size_t group = 0; group < values_.size(); ++group) {
    value += values_[group];
    gradient += gradients_[group];
  }
  gradient /= total_;
  return value / total_ + add_penalty(shape_, decay_, parameters, gradient);
}

double NetworkLoss::mean_loss(const Vector& parameters, int threads) {
  std::fill(values_.begin(), values_.end(), 0.0);
  for_groups(threads, [&](std::size_t group, std::size_t b) {
    values_[group] += loss(shape_, blocks_[b], parameters, work_[group]);
  });
  double value = 0;
  for (const double part : values_) value += part;
  return value / total_;
}

Vector NetworkLoss::losses(const Vector& parameters, int threads) {
  Vector out(n_rows_);
  std::vector<Vector> own(work_.size());
  for_groups(threads, [&](std::size_t group, std::size_t b) {
    loss(shape_, blocks_[b], parameters, work_[group], &own[group]);
    out.segment(static_cast<Index>(b) * block_rows, own[group].size()) = own[group];
  });
  return out;
}

}  // namespace condens::mdn
