#pragma once
// Missing inputs, drawn from those that are there: a mixture of Gaussian copulas of all inputs and targets.
//
//   z_j = Phi^-1(F_j(x_j)),  F_j the distribution of input j in the rows that have it, ties at the middle of their
//   ranks p(z) = sum_l w_l N(z; v_l, S_l) draws of the missing z given the others, by component and its conditional
//   Gaussian; of rank r among draws for rows that have input j, z_j stands for the value of rank r of F_j: always one
//   that was there, and as often, whether it is a number, a count or an indicator
//
// In training the rows are completed once, given their targets, too: inputs drawn without them would hide what they
// tell of y. In turns, the mixture is fitted to the completed rows and these are drawn again (stochastic EM). In
// prediction y is unknown, and the distribution is the mean over draws: p(y | x_o) = E p(y | x_o, X_m).
//
// Source: P. D. Hoff, Extending the rank likelihood for semiparametric copula estimation, Ann. Appl. Stat. 1, 2007;
// D. B. Rubin, Multiple Imputation for Nonresponse in Surveys, 1987; G. Celeux and J. Diebolt, The SEM algorithm,
// Comput. Stat. Q. 2, 1985.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/distributions/gaussian_mixture.hpp"

namespace condens {

class InputImputer {
 public:
  /// Fits a Gaussian mixture of so many components, at most, to columns that are targets without inputs.
  using FitMixture = std::function<GaussianMixture(const Dataset&, Index most, const Run&)>;

  struct Fit {
    std::shared_ptr<const InputImputer> imputer;
    Matrix x;  ///< without missing values
  };

  /// NaN in `data.x` is missing. The mixture is fitted to 20,000 rows at most, drawn by `seed`. Cost: ten fits of the
  /// mixture, and for every row with missing values ten draws of d^3 K multiplications. Throws std::invalid_argument
  /// for an input that is missing everywhere.
  static Fit fit(const Dataset& data, std::uint64_t seed, const FitMixture& fit_mixture, const Run& run);

  Index n_inputs() const { return static_cast<Index>(quantiles_.size()); }

  /// The columns of x, each that has missing values `n_draws` times, with these drawn; the draws of a column are the
  /// same wherever it stands. `begin` holds where the columns of each begin, and the end.
  struct Draws {
    Matrix x;
    std::vector<Index> begin;
  };
  static constexpr Index n_draws = 32;
  Draws draws(const MatrixView& x) const;

  Document to_document() const;
  /// Throws FormatError for parts that do not fit together.
  static std::shared_ptr<const InputImputer> from_document(const Document& document);

 private:
  class Sampler;
  using Tables = std::vector<Vector>;  // for each input, rising numbers
  InputImputer(Tables quantiles, Tables drawn, std::vector<Index> groups, GaussianMixture mixture);
  static Tables drawn_scores(const GaussianMixture& mixture, const MatrixView& known, const MatrixView& scores,
                             const std::vector<Index>& groups, Index d, std::uint64_t seed, int threads);

  Tables quantiles_;
  Tables drawn_;               // scores drawn for rows that have the input
  std::vector<Index> groups_;  // as Dataset::groups: indicators of one category share a number
  GaussianMixture mixture_;    // of the scores z of the inputs
  Matrix points_;              // (n_inputs + 1) x n_draws: numbers in (0, 1), each coordinate evenly spread
};

/// For each column of the logarithms of weights or probabilities, the logarithm of the mean over columns
/// begin[i], ..., begin[i + 1] - 1.
Matrix log_mean_of_draws(const MatrixView& logs, const std::vector<Index>& begin);

}  // namespace condens
