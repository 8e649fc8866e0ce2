#include "condens/estimators/press/map.hpp"

#include <cmath>

#include "condens/core/errors.hpp"
#include "linalg/skinny_products.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

// Numbers of x from which packing them costs less than it saves.
constexpr Index least_numbers_to_pack = 1000000;

}  // namespace

std::shared_ptr<const PackedObservations> pack_inputs(const MatrixView& x, int threads) {
  return x.size() < least_numbers_to_pack ? nullptr : PackedObservations::pack(x, threads);
}

PressMap::PressMap(Index n_inputs, Index n_states, const std::vector<Index>& hidden, PressActivation activation)
    : activation_(activation) {
  require(n_inputs >= 0 && n_states >= 1, "PressMap: ", n_inputs, " inputs and ", n_states,
          " states, expected at least 1 state");
  widths_.push_back(n_inputs);
  widths_.insert(widths_.end(), hidden.begin(), hidden.end());
  widths_.push_back(n_states);
  begin_.push_back(0);
  for (Index l = 0; l < n_layers(); ++l) {
    const auto at = static_cast<std::size_t>(l);
    begin_.push_back(begin_.back() + (widths_[at] + 1) * widths_[at + 1]);
  }
}

Eigen::Map<const Matrix> PressMap::layer(const Vector& theta, Index l) const {
  const auto at = static_cast<std::size_t>(l);
  return {theta.data() + begin_[at], widths_[at] + 1, widths_[at + 1]};
}

Eigen::Map<Matrix> PressMap::layer(Vector& theta, Index l) const {
  const auto at = static_cast<std::size_t>(l);
  return {theta.data() + begin_[at], widths_[at] + 1, widths_[at + 1]};
}

Matrix PressMap::scores(const Vector& theta, const PressInputs& inputs, std::vector<Matrix>* hidden) const {
  const Index n = inputs.x.cols();
  if (hidden != nullptr) hidden->clear();
  Matrix z;
  for (Index l = 0; l < n_layers(); ++l) {
    const auto parameters = layer(theta, l);
    const auto coefficients = parameters.bottomRows(parameters.rows() - 1);
    Matrix out(parameters.cols(), n);
    out.colwise() = Vector(parameters.row(0));
    if (l == 0 && inputs.packed != nullptr) {
      inputs.packed->add_transposed_product(coefficients, {inputs.first_row, inputs.first_row + n}, out);
    } else {
      add_transposed_product(coefficients, l == 0 ? inputs.x : MatrixView(z), out);
    }
    z = std::move(out);
    if (l + 1 == n_layers()) break;
    if (activation_ == PressActivation::tanh) {
      z = z.array().tanh();
    } else {
      z = z.cwiseMax(0.0);
    }
    if (hidden != nullptr) hidden->push_back(z);
  }
  return z;
}

Matrix PressMap::weights(const Vector& theta, const MatrixView& x) const {
  Matrix out = scores(theta, x);
  softmax_columns(out);
  return out;
}

void PressMap::add_gradient(const Vector& theta, const PressInputs& inputs, const std::vector<Matrix>& hidden,
                            Matrix by_scores, Vector& gradient) const {
  for (Index l = n_layers() - 1; l >= 0; --l) {
    auto out = layer(gradient, l);
    out.row(0) += by_scores.rowwise().sum().transpose();
    auto coefficients = out.bottomRows(out.rows() - 1);
    if (l == 0 && inputs.packed != nullptr) {
      const Range rows = {inputs.first_row, inputs.first_row + inputs.x.cols()};
      inputs.packed->add_product_with_transpose(rows, by_scores, coefficients);
      break;
    }
    const MatrixView input = l == 0 ? inputs.x : MatrixView(hidden[static_cast<std::size_t>(l - 1)]);
    add_product_with_transpose(input, by_scores, coefficients);
    if (l == 0) break;
    const auto parameters = layer(theta, l);
    Matrix below = parameters.bottomRows(parameters.rows() - 1) * by_scores;
    if (activation_ == PressActivation::tanh) {
      below.array() *= 1.0 - input.array().square();
    } else {
      below.array() *= (input.array() > 0).cast<double>();
    }
    by_scores = std::move(below);
  }
}

Vector PressMap::acts_on_inputs() const {
  Vector out = Vector::Zero(n_parameters());
  layer(out, 0).bottomRows(n_inputs()).setOnes();
  return out;
}

Vector PressMap::is_coefficient() const {
  Vector out = Vector::Ones(n_parameters());
  for (Index l = 0; l < n_layers(); ++l) layer(out, l).row(0).setZero();
  return out;
}

Vector PressMap::centered(Vector theta) const {
  auto last = layer(theta, n_layers() - 1);
  last.colwise() -= Vector(last.rowwise().mean());
  return theta;
}

PressMap PressMap::with_states(Index n_states) const {
  std::vector<Index> hidden(widths_.begin() + 1, widths_.end() - 1);
  return {n_inputs(), n_states, hidden, activation_};
}

Vector PressMap::states_of(const Vector& theta, const std::vector<Index>& states) const {
  const PressMap map = with_states(std::ssize(states));
  const Index last = n_layers() - 1;
  Vector out(map.n_parameters());
  out.head(begin_[static_cast<std::size_t>(last)]) = theta.head(begin_[static_cast<std::size_t>(last)]);
  map.layer(out, last) = layer(theta, last)(Eigen::all, states);
  return out;
}

void softmax_columns(Matrix& scores) {
  if (scores.rows() == 0) return;
  // Eigen's maximum over a column, not a lane's: scores are few and rows are many.
  const Eigen::RowVectorXd largest = scores.colwise().maxCoeff();
  scores.rowwise() -= largest;
  exp_in_place(scores.data(), scores.size());
  const Eigen::RowVectorXd total = scores.colwise().sum();
  scores.array().rowwise() /= total.array();
}

}  // namespace condens
