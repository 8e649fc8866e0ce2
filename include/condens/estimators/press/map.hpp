#pragma once
// The map from inputs to the weights of predictive states: a softmax of linear scores, or of
// the last of some hidden layers, and its gradient.
//
// Source: G. M. Goerg, Predictive state smoothing (PRESS), 2017, eqs. 15 and 29.
//
//   w(x) = softmax(z),  z = theta_L' [1; a_L],  a_1 = x,  a_{l+1} = activation(theta_l' [1; a_l])
//
// Shapes: inputs d, states J, rows n (columns here). The parameters are the layers one after
// the other, each (n_l + 1) x n_{l+1}, column by column, the intercepts in its first row.
// Without hidden layers that is the paper's theta = (beta_1, ..., beta_J), (d + 1) x J.

#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/core/types.hpp"
#include "condens/linalg/packed_observations.hpp"

namespace condens {

enum class PressActivation { tanh, relu };
template <>
inline constexpr auto choice_names<PressActivation> = std::array<std::string_view, 2>{"tanh", "relu"};

/// Some rows of inputs: the numbers, and the bytes that stand for them where there are some.
struct PressInputs {
  MatrixView x;
  const PackedObservations* packed = nullptr;
  Index first_row = 0;  ///< of those that are packed; a multiple of PackedObservations::panel
};

/// x packed where that pays: many numbers, of few levels; else null.
std::shared_ptr<const PackedObservations> pack_inputs(const MatrixView& x, int threads = 1);

class PressMap {
 public:
  PressMap(Index n_inputs, Index n_states, const std::vector<Index>& hidden = {},
           PressActivation activation = PressActivation::tanh);

  Index n_inputs() const { return widths_.front(); }
  Index n_states() const { return widths_.back(); }
  Index n_layers() const { return std::ssize(widths_) - 1; }
  Index n_parameters() const { return begin_.back(); }

  /// Layer l of the parameters, (n_l + 1) x n_{l+1}.
  Eigen::Map<const Matrix> layer(const Vector& theta, Index l) const;
  Eigen::Map<Matrix> layer(Vector& theta, Index l) const;

  /// The scores z of the columns of x, J x n. `hidden` receives a_2, ..., a_L.
  Matrix scores(const Vector& theta, const PressInputs& inputs, std::vector<Matrix>* hidden = nullptr) const;
  Matrix scores(const Vector& theta, const MatrixView& x, std::vector<Matrix>* hidden = nullptr) const {
    return scores(theta, PressInputs{x}, hidden);
  }

  /// The weights of the states at the columns of x, J x n: columns on the simplex.
  Matrix weights(const Vector& theta, const MatrixView& x) const;

  /// Adds to `gradient` what `by_scores` (J x n), the gradient by z, is by the parameters.
  /// `hidden` is what `scores` returned.
  void add_gradient(const Vector& theta, const PressInputs& inputs, const std::vector<Matrix>& hidden, Matrix by_scores,
                    Vector& gradient) const;
  void add_gradient(const Vector& theta, const MatrixView& x, const std::vector<Matrix>& hidden, Matrix by_scores,
                    Vector& gradient) const {
    add_gradient(theta, PressInputs{x}, hidden, std::move(by_scores), gradient);
  }

  /// 1 for the parameters that act directly on x (the paper's theta_X), else 0.
  Vector acts_on_inputs() const;

  /// 1 for all parameters but intercepts, else 0.
  Vector is_coefficient() const;

  /// The same map with coefficients of the last layer that add up to zero over the states.
  Vector centered(Vector theta) const;

  /// The same map with other states.
  PressMap with_states(Index n_states) const;

  /// Parameters of with_states(states.size()) whose state j is that of `states[j]`.
  Vector states_of(const Vector& theta, const std::vector<Index>& states) const;

 private:
  std::vector<Index> widths_;  // d, hidden layers, J
  std::vector<Index> begin_;   // of every layer in the parameters, and the end
  PressActivation activation_;
};

/// Scores become weights: the softmax of every column.
void softmax_columns(Matrix& scores);

}  // namespace condens
