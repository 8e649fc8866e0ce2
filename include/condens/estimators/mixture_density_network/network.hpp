#pragma once
// The neural network of a mixture density network, its loss and the exact gradient.
//
// Source: C. M. Bishop, Mixture density networks, report NCRG/94/004, Aston University 1994;
// M. Sugiyama et al., IEICE Trans. E93-D(3), 2010, section 3.2; order of outputs: errata L17.
//
//   a_1 = tanh(W_1'x + b_1), ..., a_L = tanh(W_L'a_{L-1} + b_L),   o = V'a_L + c (+ S'x for the means)
//   with residual layers a_l = a_{l-1} + tanh(W_l'a_{l-1} + b_l) for l > 1 (He et al., 2016)
//   o   = (logits of pi_1, ..., pi_t; means mu_1, ..., mu_t, each d_y numbers; s_1, ..., s_t)
//   p(y|x) = sum_l pi_l N(y; mu_l, diag(sigma_l^2)),  pi = softmax,  sigma_l = floor + min(exp(s_l), most)
//
// sigma_l has d_y numbers, or one for all targets. The parameters are one vector: W_1, b_1, ...,
// W_L, b_L, V, c, S, matrices (inputs of the layer x its outputs) column by column.
//
// Blocks of rows are matrices with a row per observation, so that a column - one unit, one
// output - is contiguous and every loop over a column is vector code.

#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/core/types.hpp"

namespace condens::mdn {

struct Shape {
  Index n_inputs = 0;       ///< d_x >= 0
  Index n_targets = 1;      ///< d_y
  Index hidden = 1;         ///< units in every layer
  Index layers = 1;         ///< L >= 1
  Index n_components = 1;   ///< t
  bool skip = false;        ///< S is there: means have a part that is linear in x
  bool isotropic = false;   ///< one standard deviation per component
  bool residual = false;    ///< a_l = a_{l-1} + tanh(...) from the second layer on
  double scale_floor = 0;   ///< sigma > floor
  double most_scale = 1e3;  ///< exp(s) <= most_scale

  Index scales_per_component() const { return isotropic ? 1 : n_targets; }
  Index n_means() const { return n_components * n_targets; }
  Index n_outputs() const { return n_components * (1 + n_targets + scales_per_component()); }
  Index n_parameters() const;

  /// Whether layer `layer + 1`, hidden, adds to what it takes.
  bool is_residual(Index layer) const { return residual && layer >= 1 && layer < layers; }
  Index fan_in(Index layer) const { return layer == 0 ? n_inputs : hidden; }
  /// Where W_{layer + 1} begins, V for layer = L; the biases follow it.
  Index layer_offset(Index layer) const;
  Index skip_offset() const { return layer_offset(layers) + (hidden + 1) * n_outputs(); }

  Index mean_output(Index component, Index target) const { return n_components + component * n_targets + target; }
  Index scale_output(Index component, Index target) const {
    return n_components * (1 + n_targets) + component * scales_per_component() + (isotropic ? 0 : target);
  }
};

template <class Scalar>
using MatrixOf = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
template <class Scalar>
using VectorOf = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

/// Some observations as rows. Inputs, parameters and units are of type `Scalar`, float for steps that are noisy anyway;
/// the mixture is always computed in double.
template <class Scalar>
struct BasicBlock {
  MatrixOf<Scalar> x;  ///< rows x d_x
  Matrix y;            ///< rows x d_y
  Vector weights;      ///< rows
};
using Block = BasicBlock<double>;

/// Everything a block needs on its way through the network and back, allocated once.
template <class Scalar>
struct BasicWorkspace {
  BasicWorkspace(const Shape& shape, Index most_rows);

  std::vector<MatrixOf<Scalar>> activations;  ///< of every layer, rows x hidden; last o
  std::vector<MatrixOf<Scalar>> slopes;       ///< derivatives of the loss by W'x + b; last by o
  MatrixOf<Scalar> by_units;                  ///< derivatives by the activations of one layer
  Matrix outputs;                             ///< o; log_weights, means, scales in their place after `mixture`
  Matrix by_outputs;                          ///< derivatives by o
  Matrix z;                                   ///< (y - mu) / sigma, rows x t d_y
  Matrix log_joint;                           ///< log pi_l N_l, rows x t
  Matrix columns;                             ///< rows x 3, sums over components
};
using Workspace = BasicWorkspace<double>;

/// o becomes what the mixture is made of: log pi_l, mu_l and sigma_l. Returns the rows in use.
Eigen::Block<Matrix> mixture(const Shape& shape, const MatrixView& x, const Vector& parameters, Workspace& work);

/// sum_i w_i (-log p(y_i|x_i)); -log p of every row goes to `losses` where there is one.
double loss(const Shape& shape, const Block& block, const Vector& parameters, Workspace& work,
            Vector* losses = nullptr);

/// The same, and its derivatives added to `gradient`. `Scalar`: double or float.
template <class Scalar>
double add_loss(const Shape& shape, const BasicBlock<Scalar>& block, const VectorOf<Scalar>& parameters,
                BasicWorkspace<Scalar>& work, VectorOf<Scalar>& gradient);

/// The mean loss over many rows plus the penalty (decay / 2) |weights|^2, biases apart.
class NetworkLoss {
 public:
  /// Observations in columns, as elsewhere; weights > 0.
  NetworkLoss(const Shape& shape, const MatrixView& x, const MatrixView& y, const VectorView& weights, double decay);

  /// The value; overwrites `gradient`. Fixed groups of rows share the threads and are added in their order.
  double operator()(const Vector& parameters, Vector& gradient, int threads);
  /// The mean loss without the penalty.
  double mean_loss(const Vector& parameters, int threads);
  /// -log p of every row.
  Vector losses(const Vector& parameters, int threads);

  Index n_rows() const { return n_rows_; }

 private:
  struct Group;  // rows that one thread works on
  template <class Work>
  void for_groups(int threads, const Work& work);

  Shape shape_;
  double decay_;
  double total_;
  Index n_rows_;
  std::vector<Block> blocks_;
  std::vector<Workspace> work_;    // one per group
  std::vector<Vector> gradients_;  // one per group
  std::vector<double> values_;
};

/// (decay / 2) |weights|^2 and its derivatives, added to `gradient`; biases apart.
double add_penalty(const Shape& shape, double decay, const Vector& parameters, Vector& gradient);

}  // namespace condens::mdn
