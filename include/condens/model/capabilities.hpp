#pragma once
// What a fitted model can do beyond its distribution. A model takes part by deriving from the interface; who wants to
// use it asks for it and never names a model:
//
//   if (const auto* states = capability<HasStates>(model)) w = states->state_weights(x);
//
// The wrappers are capabilities, too: JointDensity, ProjectedDensity, SubsetDensity and PooledDensity. The registry
// lists by name what each model can do.

#include <memory>
#include <string>
#include <vector>

#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/model/conditional_density.hpp"

namespace condens {

/// The model as one that can do this, or nullptr.
template <class Capability>
const Capability* capability(const ConditionalDensity& model) {
  return dynamic_cast<const Capability*>(&model);
}

/// Chooses among the inputs.
class SelectsInputs {
 public:
  virtual ~SelectsInputs() = default;
  /// For each row of x 1 where its input is selected, else 0.
  virtual Vector support() const = 0;
  /// For each row of x the share of random half-samples in which its input was selected; empty where no one asked.
  virtual Vector stability() const { return {}; }
};

/// Tells how much each input counts.
class RanksInputs {
 public:
  virtual ~RanksInputs() = default;
  /// For each row of x its share, >= 0; all sum to one, or are zero.
  virtual Vector feature_importances() const = 0;
};

/// Inputs enter one by one.
class EntersInputs {
 public:
  struct Step {
    std::vector<Index> inputs;  ///< rows of x that entered; none at the first step
    double score;               ///< with all that entered so far; less is better
    double standard_error;
    bool failed;  ///< no density: score and standard error mean nothing
  };
  virtual ~EntersInputs() = default;
  virtual std::vector<Step> steps() const = 0;
};

/// A sum over inputs: each has a term of its own, or one with others.
class HasContributions {
 public:
  virtual ~HasContributions() = default;
  /// The rows of x that the term of an input, by its place among the inputs, is of. Throws std::invalid_argument for an
  /// input that there is not.
  virtual const std::vector<Index>& rows_of_term(Index input) const = 0;
  /// The term of an input on a grid, m x k: `x` holds m columns of rows_of_term, `y` k columns, on the scale of the
  /// data; the values on the standardised scale of y. Throws std::invalid_argument for what does not fit the model.
  virtual Matrix contribution(Index input, const MatrixView& x, const MatrixView& y) const = 0;
};

/// Fitted along a sequence of penalties.
class HasPath {
 public:
  struct Path {
    Vector penalty;             ///< n
    std::vector<Index> inputs;  ///< those that any penalty let in, by their place among the inputs
    Matrix norms;               ///< inputs x n: norms of the coefficients
    double chosen;              ///< penalty
  };
  virtual ~HasPath() = default;
  virtual Path path() const = 0;
};

/// The distribution at x mixes those of a few states, with weights that follow x. J states. What follows from the
/// weights: model/states.hpp.
class HasStates {
 public:
  virtual ~HasStates() = default;
  virtual Index n_states() const = 0;
  /// Weights of the states at the columns of x (n_inputs x n), J x n: columns on the simplex.
  virtual Matrix state_weights(const MatrixView& x) const = 0;
  /// Entropy of the weights at the columns of x, in bits: 0 where the state is certain.
  virtual Vector entropy(const MatrixView& x) const = 0;
  /// The distributions of y where a state is certain, one a state.
  virtual GaussianMixtures state_densities() const = 0;
  /// At rows of the fit, the columns of x (n of them): what row k, of weight 1, weighs in the mean at row i. n x n;
  /// n^2 J multiplications.
  virtual Matrix smoothing_matrix(const MatrixView& x) const = 0;
  virtual const Vector& state_sizes() const = 0;   ///< J: weight of the rows of the fit that each holds
  virtual const Matrix& state_means() const = 0;   ///< d_y x J, scale of the data
  virtual const Matrix& state_levels() const = 0;  ///< d_y x J, scale of the data: by least squares
  virtual const Matrix& state_inputs() const = 0;  ///< d_x x J: means, scale of the data
  /// d_x x J: variances around these; empty of a model file that has none.
  virtual const Matrix& state_input_variances() const = 0;
  /// d_x x J: the row of the fit with the largest weight of each state; empty of a model file that has none.
  virtual const Matrix& state_representatives() const = 0;
  virtual const Matrix& coefficients()
      const = 0;  ///< (1 + d_x) x J, standardised scale; empty where it is no linear map
  virtual const Matrix& standard_errors() const = 0;         ///< as coefficients, or empty
  virtual const Matrix& robust_standard_errors() const = 0;  ///< the same, whatever the errors' distribution
  virtual double degrees_of_freedom() const = 0;
  virtual double mean_entropy() const = 0;  ///< of the rows of the fit, bits
};

/// Estimates quantiles, of which the density is made.
class HasQuantiles {
 public:
  virtual ~HasQuantiles() = default;
  virtual const std::vector<double>& quantile_levels() const = 0;
  /// The estimated quantiles (levels x n) at the columns of x, on the scale of the data, each column ascending.
  virtual Matrix quantiles(const MatrixView& x, const Run& run = {}) const = 0;
};

/// A ratio of densities, divided by its mass.
class HasMass {
 public:
  virtual ~HasMass() = default;
  /// The logarithm of the ratio's mass at every column of x (n_inputs x n).
  virtual Vector log_mass(const MatrixView& x, const Run& run = {}) const = 0;
};

/// A mean and a spread that follow the inputs, and a model of what is left.
class HasTrends {
 public:
  /// Of one target, on rows left out.
  struct Trend {
    std::string mean_kind;
    double explained;  ///< share of the squared error that the mean takes away
    double left_over;  ///< root mean square of what is left, in the unit of y
    std::string spread_kind;
    double gain;   ///< log-likelihood per row of the spread over a constant
    double least;  ///< spread over the rows
    double most;
  };
  virtual ~HasTrends() = default;
  virtual std::vector<Trend> trends() const = 0;  ///< one a target
  virtual const ConditionalDensity& residual_model() const = 0;
};

/// Is fitted again to rows with other weights by a few numbers: all else stays as it is (model/replicates.hpp).
class Reweighs {
 public:
  virtual ~Reweighs() = default;
  /// Whether this fit can: not where its kernels stand elsewhere than at rows, say.
  virtual bool can_reweigh() const { return true; }
  /// The numbers of a fit to `rows`, some of those of the model, with weights; always as many. Throws NumericalError
  /// where there is no density.
  virtual Vector reweighted(const Dataset& rows, const Run& run) const = 0;
  /// The same by first derivatives at the weights that the rows of the fit have (the delta method): a column for each
  /// column of `copies`, n x R, which the weights are multiplied by. Only where the model has derivatives.
  virtual bool has_derivatives() const { return false; }
  virtual Matrix linearized(const Dataset&, const MatrixView&, const Run&) const { return {}; }
  /// The model with these numbers. Throws FormatError for what cannot be its numbers.
  virtual std::unique_ptr<ConditionalDensity> with_numbers(const VectorView& numbers) const = 0;
};

/// Learns from further rows by sums over them (model/row_sums.hpp): states of the closing pass of rows that come merge
/// with that of the rows before, times a factor where these are to count less.
class LearnsFromSums {
 public:
  virtual ~LearnsFromSums() = default;
  /// The pass with what the fit chose and later rows do not move.
  virtual Document closing_pass() const = 0;
  /// The model of rows with this state. Throws NumericalError where no density is left.
  virtual std::unique_ptr<ConditionalDensity> finished(const Document& state) const = 0;
};

/// The closing pass is the same for every model that comes of it, so that the result is that of a fit to all rows with
/// what the first one chose, and the state of rows can be taken out again.
class LearnsExactly : public LearnsFromSums {};

/// Takes one target only.
class TakesOneTarget {};

/// Learns from Dataset::x_unlabeled, too, or may have a model inside that does.
class LearnsFromUnlabeled {};

}  // namespace condens
