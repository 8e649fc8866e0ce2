#pragma once
// Distributions of one target that is not any real number: positive, bounded, counted, graded, or with atoms.
//
//   Y is atom k with probability pi_k, and else y(X),  X ~ a Gaussian mixture,
//
// y(x) the map of the support (target_support.hpp), rounded to the values where these can be counted. All that a
// Gaussian mixture tells is told here, of Y:
//
//   P(Y <= y), quantiles, probabilities, samples      exact
//   log density                                        log p_X(x(y)) + log x'(y): of an atom, and of a value that can
//   be
//                                                      counted, the logarithm of its probability
//   mean, variance, CRPS                               sums over values; closed forms for log(y - a); else integrals
//   over
//                                                      x, to 1e-10 of the spread
//   mode, highest density regions                      from the monotone pieces of the density, its maxima sought among
//                                                      161 quantiles and the modes of X
//
// Symbols: n distributions, K atoms. Functions of points are as in GaussianMixtures: k points for every distribution.

#include <cstdint>
#include <vector>

#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/distributions/target_support.hpp"

namespace condens {

class TargetDistributions {
 public:
  /// `base`: the distributions of X, of one dimension. `log_shares`, (1 + K) x n, the logarithms of the probabilities
  /// that Y is no atom, and that it is each of them; empty where there are no atoms. Throws std::invalid_argument for
  /// shapes that do not fit together, and for a support that TargetSupport::from_document refuses.
  TargetDistributions(GaussianMixtures base, TargetSupport support, Matrix log_shares = {});

  Index size() const { return base_.size(); }
  Index dimension() const { return 1; }
  const GaussianMixtures& base() const { return base_; }
  const TargetSupport& support() const { return support_; }
  const Matrix& log_shares() const { return log_shares_; }
  TargetDistributions select(const std::vector<Index>& which) const;
  TargetDistributions slice(Index begin, Index count) const;

  /// Of densities and probabilities, as said above; -infinity where Y cannot be.
  Vector log_pdf(const MatrixView& y, const Run& run = {}) const;
  /// Of every y (1 x q) for every distribution, q x n, as pictures have it: the logarithm of the density beside atoms,
  /// and where values can be counted of the probability of the nearest one over the length of its interval.
  Matrix log_pdf_grid(const MatrixView& y, const Run& run = {}) const;
  /// The probabilities of the atoms, K x n.
  Matrix atom_probabilities() const { return log_shares_.bottomRows(log_shares_.rows() - 1).array().exp(); }

  Vector cdf(const VectorView& y, const Run& run = {}) const;        ///< P(Y <= y)
  Vector cdf_below(const VectorView& y, const Run& run = {}) const;  ///< P(Y < y)
  Vector sf(const VectorView& y, const Run& run = {}) const;         ///< P(Y > y)
  /// P(Y = y): zero but for atoms and values that can be counted.
  Vector mass_at(const VectorView& y, const Run& run = {}) const;

  /// The least y with P(Y <= y) >= level: levels x n, or k levels for every distribution.
  Matrix quantile(const VectorView& levels, const Run& run = {}) const;
  Vector quantile_each(const VectorView& levels, const Run& run = {}) const;
  /// The least y with P(Y > y) <= level.
  Vector upper_quantile_each(const VectorView& levels, const Run& run = {}) const;
  Vector median(const Run& run = {}) const;
  /// The quantiles of (1 - mass) / 2 and (1 + mass) / 2, 2 x n: of values that can be counted and of atoms they may
  /// hold more than `mass`.
  Matrix interval(double mass, const Run& run = {}) const;

  Matrix mean(const Run& run = {}) const;      ///< 1 x n
  Matrix variance(const Run& run = {}) const;  ///< 1 x n
  /// Where the density is highest, 1 x n: an atom where atoms have half of the probability or more.
  Matrix mode(const Run& run = {}) const;
  /// The smallest set of probability `mass`: atoms, as intervals of no length, before all that has a density; of values
  /// that can be counted neighbours are one interval, and the set may hold more than `mass`.
  std::vector<std::vector<Interval>> highest_density_region(double mass, const Run& run = {}) const;
  /// The probability of what is likelier than y: y is in the region of `mass` when this is below `mass`.
  Vector highest_density_mass(const VectorView& y, const Run& run = {}) const;
  Vector crps(const VectorView& y, const Run& run = {}) const;

  /// `per_law` draws of each, 1 x n per_law: RandomStream(seed, i).
  Matrix sample(Index per_law, std::uint64_t seed, const Run& run = {}) const;
  /// Of distribution i, from a stream of the caller's.
  Matrix sample_one(Index i, Index count, RandomStream& random) const;

 private:
  template <class Value>
  Vector at_points(const VectorView& y, const Run& run, const char* name, const Value& value) const;
  template <class Body>
  void for_each(const Run& run, const char* name, const Body& body) const;

  GaussianMixtures base_;
  TargetSupport support_;
  Matrix log_shares_;
};

}  // namespace condens
