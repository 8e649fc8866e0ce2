#pragma once
// What chooses the widths of a Parzen window p(z) = sum_j w_j N(z; z_j, diag(g)^2), sum_j w_j = 1:
//
//   nll      -sum_i w_i log p_{-i}(z_i)
//   squared  (1/2) integral of p^2 - sum_i w_i p_{-i}(z_i)   (half the integrated squared error, less a constant)
//
// p_{-i} without point i, or without the points of its fold; then the integral is that of p_{-k}^2,
// averaged over the folds k by their weights. Both with their gradients by log g. Less is better.
//
// Sources: J. D. F. Habbema, J. Hermans and K. van den Broek (1974) and R. P. W. Duin, On the choice of
// smoothing parameters for Parzen estimators, IEEE Trans. Comput. 25, 1976; M. Rudemo, Empirical choice
// of histograms and kernel density estimators, Scand. J. Statist. 9, 1982, and A. W. Bowman, An alternative
// method of cross-validation for the smoothing of density estimates, Biometrika 71, 1984.
//
// Every sum over pairs is exact to 1e-13 of itself: what is left out is bounded (pair_sums.hpp).

#include <functional>
#include <memory>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "condens/model/scoring.hpp"

namespace condens {

/// value = sum_i w_i rows_i.
struct ParzenLoss {
  double value = 0;
  Vector rows = {};           ///< n
  Vector gradient = {};       ///< d, by log widths; where it was asked for
  double standard_error = 0;  ///< of the value, as if the rows were independent
};

class ParzenCriterion {
 public:
  /// `z` d x n, at least two points; `weights` empty or n numbers > 0; `fold` empty (leave one out) or 0, 1, ... for
  /// every point. The likelihood is that of the window mixed with the defensive component (of z), if there is one.
  /// Throws std::invalid_argument.
  ParzenCriterion(Scoring scoring, const MatrixView& z, const VectorView& weights = Vector(),
                  const std::vector<Index>& fold = {}, const Defensive& defensive = {});
  ~ParzenCriterion();
  ParzenCriterion(const ParzenCriterion&) = delete;
  ParzenCriterion& operator=(const ParzenCriterion&) = delete;

  Index dimension() const { return z_.rows(); }
  Index size() const { return z_.cols(); }
  const Vector& weights() const { return weights_; }  ///< n, of sum one

  /// The loss and its gradient for d widths > 0, or for one that all coordinates have in common (then
  /// the gradient is one number, and cheaper). Cost: at most n^2 / 2 exponentials.
  ParzenLoss of_widths(const VectorView& widths, int threads = 1, const std::function<void()>& poll = {}) const;
  ParzenLoss of_width(double width, int threads = 1, const std::function<void()>& poll = {}) const;

  /// The losses of candidates, each one width for all coordinates, from one pass over the pairs. Cost:
  /// at most n^2 / 2 exponentials for each, none for a candidate whose sqrt(2) fold is one, too.
  std::vector<ParzenLoss> of_candidates(const std::vector<double>& widths, int threads = 1,
                                        const std::function<void()>& poll = {}) const;

 private:
  struct Pairs;
  struct Terms;

  ParzenLoss evaluate(const Vector& widths, bool common, int threads, const std::function<void()>& poll) const;
  Terms terms(const Vector& sums, const Matrix& moments, const Vector& widths, double exponent, int threads) const;
  double log_sum_of(Index i, const Matrix& u, double exponent, Eigen::Ref<Vector> mean_moments) const;
  ParzenLoss likelihood(const Terms& terms, double log_mass, double dimension) const;
  ParzenLoss squared(const Vector& sums, const Matrix& moments, const Vector& wide_sums, const Matrix& wide_moments,
                     double log_mass, double dimension) const;
  ParzenLoss finish(Vector rows, Vector gradient) const;

  Scoring scoring_;
  Matrix z_;
  Vector weights_;
  std::vector<Index> fold_;
  Defensive defensive_;
  Vector log_defensive_;
  Vector left_;      // n, the weight that is left without point i
  Matrix held_out_;  // folds x folds, 1 where they differ: pairs that predict each other
  Matrix square_;    // folds x folds, how often a pair counts in the integral
  std::unique_ptr<const Pairs> pairs_;
};

}  // namespace condens
