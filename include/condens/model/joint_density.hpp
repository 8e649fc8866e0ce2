#pragma once
// Base of the models that estimate the density of all columns together, z = (x, y), by
// a Gaussian mixture. Without inputs that is the density of y; with inputs the law of y
// given x is the mixture conditioned on x, exactly:
//
//   p(z) = sum_l w_l N(x; a_l, A_l) N(y; b_l, B_l)   (independent coordinates in a kernel)
//   p(y|x) = sum_l w_l(x) N(y; b_l, B_l),  w_l(x) proportional to w_l N(x; a_l, A_l),
//
// and where a kernel's coordinates are correlated, with b_l + C_l' A_l^-1 (x - a_l) for b_l and
// B_l - C_l' A_l^-1 C_l for B_l, C_l the covariance of x and y in kernel l. The Cholesky factor
// F = (F_xx 0; F_yx F_yy) of the kernel's covariance has both at hand: z = F_xx^-1 (x - a_l) is white
// under A_l, the mean is b_l + F_yx z, and the covariance F_yy F_yy'.

#include <memory>

#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/fitted_model.hpp"
#include "condens/model/kernel_mixture.hpp"

namespace condens {

class GriddedKernels;

class JointDensity : public ConditionalDensity {
 public:
  Index n_kernels() const { return joint_.n_components(); }
  const Vector& kernel_weights() const { return joint_.weights(); }  ///< n_kernels
  Matrix kernel_means() const;                                       ///< (d_x + d_y) x n_kernels, scale of the data
  Matrix kernel_scales() const;                                      ///< the same, standard deviations
  Matrix kernel_covariances() const;  ///< (d_x + d_y)^2 x n_kernels, each column by column

 protected:
  /// Kernels of standardised z, none of weight zero (`log_weights` are normalised), and the
  /// defensive component of standardised y.
  struct Parameters {
    Vector log_weights;
    GaussianComponents kernels;
    Defensive defensive;
  };
  /// Kernels with weights > 0 that need not sum to one.
  static Parameters parameters(const VectorView& weights, Matrix means, Matrix scales, Defensive defensive);
  static Parameters parameters(const VectorView& weights, GaussianComponents kernels, Defensive defensive);

  /// Throws FormatError where they do not fit together.
  JointDensity(Parameters p, Standardizer x_scale, Standardizer y_scale, FitReport report);

  /// Standardised rows as columns z = (x, y).
  static Matrix stack(const Dataset& data);

  /// What every such model's document holds beside its options, and back. Throws FormatError.
  Document document_of_kernels(Document options) const;
  static Parameters read_kernels(const Document& document, double defensive_weight);

  const Defensive& defensive() const { return defensive_; }
  const GaussianMixture& joint() const { return joint_; }  ///< of standardised z, without the defensive component

  /// The kernels on the standardised scale, and the logarithms of their weights at one x, not normalised: of kernels
  /// with independent coordinates.
  const GaussianComponents& kernels() const { return joint_.components(); }
  Vector log_kernel_weights(const VectorView& x) const;

  GaussianMixtures laws(const MatrixView& x) const override;

  /// p(y | x_o): the marginal mixture of y and the inputs that are there, conditioned on these.
  GaussianMixtures laws_of_incomplete(const MatrixView& x, const InputImputer& imputer) const override;

 private:
  void add_inputs_independent(const MatrixView& x, Matrix& log_weights) const;
  void add_inputs_correlated(const MatrixView& x, Matrix& log_weights, Matrix& means) const;
  GaussianMixtures moving_laws(const MatrixView& x) const;

  GaussianMixture joint_;
  Defensive defensive_;  // of y, no part of joint_

  // Derived, for laws().
  Matrix means_x_;                                        // kernels x d_x
  Matrix inverse_scales_x_;                               // kernels x d_x
  Vector log_weights_;                                    // log w_l - log det A_l / 2
  std::shared_ptr<const GaussianComponents> components_;  // of y; correlated: at x = a_l
  std::shared_ptr<const GriddedKernels> gridded_;         // of very many kernels of one shape, or nothing
};

/// A joint density that is data (model/fitted_model.hpp): its options, its kernels, and what the fit found beside them.
/// `Model` has a private constructor from (options, state, parameters, x_scale, y_scale, report), of which this is a
/// friend, and `class_name`.
template <class Model, class Options, class State>
class FittedJointDensity : public JointDensity {
 public:
  /// What the fit found beside the kernels, on the standardised scale.
  const State& state() const { return state_; }

  Document options() const override { return options_to_document(options_); }
  Document to_document() const override;

  /// Throws FormatError where the parts do not fit together.
  static Model from_document(const Document& document);

 protected:
  FittedJointDensity(Options options, State state, Parameters p, Standardizer x_scale, Standardizer y_scale,
                     FitReport report)
      : JointDensity(std::move(p), std::move(x_scale), std::move(y_scale), std::move(report)),
        options_(std::move(options)),
        state_(std::move(state)) {}

  Options options_;
  State state_;
};

template <class Model, class Options, class State>
Document FittedJointDensity<Model, Options, State>::to_document() const {
  Document out = document_of_kernels(options());
  detail::write_state<Model>(state_, out);
  return out;
}

template <class Model, class Options, class State>
Model FittedJointDensity<Model, Options, State>::from_document(const Document& document) {
  Options options;
  set_options(options, Model::class_name, document.at("options"));
  Parameters p = read_kernels(document, options.defensive_weight);
  Standardizer x_scale = Standardizer::from_document(document.at("x_scale"));
  Standardizer y_scale = Standardizer::from_document(document.at("y_scale"));
  State state = detail::read_state<Model, State>(document, options, x_scale.dimension(), y_scale.dimension());
  return Model(std::move(options), std::move(state), std::move(p), std::move(x_scale), std::move(y_scale),
               FitReport::from_document(document.at("report")));
}

}  // namespace condens
