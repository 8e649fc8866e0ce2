#pragma once
// Finite Gaussian mixtures, the answer of every estimator in this library:
//
//   p(y) = sum_l w_l N(y; v_l, S_l),   w_l >= 0, sum_l w_l = 1,
//
// with S_l = diag(s_l^2), or any covariance (gaussian_components.hpp).
// GaussianMixture is one law, GaussianMixtures n laws with the same number of
// components. Weights live in the log domain. Everything is a closed form or the
// root of one, to rounding; the exceptions (entropy, energy for d > 1) state
// their error. Functions marked "univariate" throw std::invalid_argument for d > 1.
//
// Symbols: d dimension, m components, n laws; y in columns (d x n).

#include <cstdint>
#include <memory>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
#include "condens/distributions/gaussian_components.hpp"

namespace condens {

struct Interval {
  double lower;
  double upper;
};

class GaussianMixture {
 public:
  /// `weights` (m) >= 0 with sum 1 to within 1e-9 (renormalised); `means`, `scales` d x m.
  /// Throws std::invalid_argument for shapes, NaN, infinity, scales <= 0, what lies beyond
  /// the range of GaussianComponents, and bad weights.
  GaussianMixture(const VectorView& weights, const MatrixView& means, const MatrixView& scales);
  GaussianMixture(const VectorView& weights, GaussianComponents components);

  /// Unnormalised log weights; -infinity is weight zero, but not for all.
  static GaussianMixture from_log_weights(const VectorView& log_weights, const MatrixView& means,
                                          const MatrixView& scales);
  static GaussianMixture from_log_weights(const VectorView& log_weights, GaussianComponents components);

  Index dimension() const { return components_.means.rows(); }
  Index n_components() const { return components_.means.cols(); }
  const Vector& weights() const { return weights_; }
  const Vector& log_weights() const { return log_weights_; }
  const Matrix& means() const { return components_.means; }
  const Matrix& scales() const { return components_.scales; }
  const GaussianComponents& components() const { return components_; }

  /// The law of coordinate j, and that of several different ones.
  GaussianMixture marginal(Index j) const;
  GaussianMixture marginal(const std::vector<Index>& coordinates) const;

  /// Density at y, and its logarithm (finite as long as the squared distance is).
  double pdf(double y) const;
  double pdf(const VectorView& y) const;
  double log_pdf(double y) const;
  double log_pdf(const VectorView& y) const;

  /// P(Y <= y) and P(Y > y), each relatively exact in its own tail, and their logarithms. Univariate.
  double cdf(double y) const;
  double sf(double y) const;
  double log_cdf(double y) const;
  double log_sf(double y) const;

  /// y with cdf(y) = p, and y with sf(y) = q; 0 and 1 give infinities. Univariate.
  double quantile(double p) const;
  double upper_quantile(double q) const;
  double median() const { return quantile(0.5); }

  Vector mean() const;
  Vector variance() const;
  Matrix covariance() const;
  double skewness() const;  ///< univariate
  double kurtosis() const;  ///< in excess of 3; univariate

  /// The highest local maximum of the density. d = 1: all maxima are found, by bounds on
  /// the derivatives; d > 1: the maxima that ascent from every component reaches.
  Vector mode() const;
  Matrix modes() const;  ///< d x k, by falling density

  /// [quantile((1 - mass) / 2), upper_quantile((1 - mass) / 2)]. Univariate, mass in (0, 1).
  Interval interval(double mass) const;

  /// The smallest set of probability `mass` (to 1e-10): {y: p(y) > t}, intervals from left
  /// to right. Univariate, mass in (0, 1).
  std::vector<Interval> highest_density_region(double mass) const;
  /// The mass of the smallest such region that reaches y: the probability of p(Y) > p(y). It
  /// is uniform over draws when the law is right. Univariate.
  double highest_density_mass(double y) const;

  /// n independent draws, d x n.
  Matrix sample(Index n, RandomStream& random) const;

  /// -E log p(Y) by adaptive Gauss-Kronrod quadrature, absolute error below 1e-10 for
  /// scales within 1e6 of each other; the only quantity here without a closed form. Univariate.
  double entropy() const;

  /// Integral of p^2.
  double squared_l2_norm() const;

  /// E|X - X'| and E|X - y|, Euclidean; X, X' independent draws. d = 1 in closed form; d > 1 by a
  /// one-dimensional integral per pair, relative error 1e-12, O(d) for each of 150 nodes; of more than a thousand
  /// components as a mean over 20,000 draws, always the same, relative standard error below 1 %.
  double energy() const;
  double energy(const VectorView& y) const;

  /// E|X - y| - E|X - X'| / 2: the energy score; for d = 1 it is the CRPS.
  double energy_score(const VectorView& y) const;
  double crps(double y) const;  ///< univariate

  /// (1/2) integral p^2 - p(y) (Sugiyama et al. 2010, section 2.5): half of the CDE loss of
  /// Izbicki and Lee (2016).
  double squared_loss(const VectorView& y) const;
  double squared_loss(double y) const;

 private:
  friend class GaussianMixtures;
  GaussianMixture() = default;

  GaussianComponents components_;
  Vector log_weights_;
  Vector weights_;
};

/// n laws of m components each. All functions with a Run give the same bits for any number
/// of threads, and the bits of the same function of operator[](i); to rounding only, where 16 laws or more share their
/// components and take sums together: highest_density_mass, and of 64 components or more energy, squared_l2_norm and
/// the scores made of them.
///
/// Functions of points take k points for every law, k >= 0: those of law i are columns
/// i k, ..., i k + k - 1 of y (d x n k), or elements of y (n k); so are the results (n k).
class GaussianMixtures {
 public:
  /// Laws that differ in their weights only. `log_weights` m x n, every column is normalised
  /// here; a column of -infinity throws std::invalid_argument.
  static GaussianMixtures shared(std::shared_ptr<const GaussianComponents> components, Matrix log_weights);

  /// The same for columns that are normalised already.
  static GaussianMixtures shared_normalized(std::shared_ptr<const GaussianComponents> components, Matrix log_weights);

  /// Law i owns columns i m, ..., i m + m - 1 of `means` and `scales` (d x m n).
  static GaussianMixtures separate(Matrix means, Matrix scales, Matrix log_weights);
  static GaussianMixtures separate(GaussianComponents components, Matrix log_weights);

  /// Laws in a row; all of one dimension. Components stay shared where they are equal; laws
  /// of fewer components are filled up with components of weight zero.
  static GaussianMixtures concatenate(const std::vector<GaussianMixtures>& parts);

  Index size() const { return log_weights_.cols(); }
  Index dimension() const { return components_->means.rows(); }
  Index n_components() const { return log_weights_.rows(); }
  bool has_shared_components() const { return shared_; }
  const Matrix& log_weights() const { return log_weights_; }
  Matrix weights() const;
  /// d x m when shared, else d x m n.
  const GaussianComponents& components() const { return *components_; }
  std::shared_ptr<const GaussianComponents> components_pointer() const { return components_; }

  GaussianMixture operator[](Index i) const;
  GaussianMixtures slice(Index begin, Index count) const;
  /// The laws `laws`, in that order; repetitions are allowed.
  GaussianMixtures select(const std::vector<Index>& laws) const;

  /// The laws of shift + scale * Y, coordinate by coordinate; scale finite and not zero.
  GaussianMixtures affine(const VectorView& shift, const VectorView& scale) const&;
  GaussianMixtures affine(const VectorView& shift, const VectorView& scale) &&;
  /// The same with a shift and a scale for every distribution: d x n.
  GaussianMixtures affine_each(const MatrixView& shift, const MatrixView& scale) const;
  GaussianMixtures marginal(Index j) const;
  GaussianMixtures marginal(const std::vector<Index>& coordinates) const;
  /// The distributions of the other coordinates, in their order, given `values` (k x n) of the k coordinates `given`.
  /// Throws std::invalid_argument where none or all are given, and where the values are beyond every component.
  GaussianMixtures conditional(const std::vector<Index>& given, const MatrixView& values) const;

  Vector log_pdf(const MatrixView& y, const Run& run = {}) const;
  Vector pdf(const MatrixView& y, const Run& run = {}) const;
  /// Every y (d x q) for every law: q x n.
  Matrix log_pdf_grid(const MatrixView& y, const Run& run = {}) const;

  Vector cdf(const VectorView& y, const Run& run = {}) const;      ///< univariate
  Vector sf(const VectorView& y, const Run& run = {}) const;       ///< univariate
  Vector log_cdf(const VectorView& y, const Run& run = {}) const;  ///< univariate
  Vector log_sf(const VectorView& y, const Run& run = {}) const;   ///< univariate
  /// P(lower < Y <= upper) of k intervals for every law, relatively exact for every component; 0 where lower >= upper.
  /// Univariate.
  Vector probability(const VectorView& lower, const VectorView& upper, const Run& run = {}) const;
  /// Expected shortfall (Acerbi and Tasche 2002): E[Y | Y <= quantile(level)], and E[Y | Y > upper_quantile(level)], of
  /// k levels in (0, 1] for every law. Univariate.
  Vector lower_tail_mean(const VectorView& levels, const Run& run = {}) const;
  Vector upper_tail_mean(const VectorView& levels, const Run& run = {}) const;
  /// The same levels for every law: levels x n. Univariate.
  Matrix quantile(const VectorView& levels, const Run& run = {}) const;
  /// k levels for every law, as for points. Univariate.
  Vector quantile_each(const VectorView& levels, const Run& run = {}) const;
  Vector upper_quantile_each(const VectorView& levels, const Run& run = {}) const;
  Vector median(const Run& run = {}) const;                 ///< univariate
  Matrix interval(double mass, const Run& run = {}) const;  ///< 2 x n, univariate
  std::vector<std::vector<Interval>> highest_density_region(double mass, const Run& run = {}) const;  ///< univariate
  Vector highest_density_mass(const VectorView& y, const Run& run = {}) const;                        ///< univariate

  Matrix mean(const Run& run = {}) const;        ///< d x n
  Matrix variance(const Run& run = {}) const;    ///< d x n
  Matrix covariance(const Run& run = {}) const;  ///< d^2 x n, each covariance column by column
  Vector skewness(const Run& run = {}) const;    ///< univariate
  Vector kurtosis(const Run& run = {}) const;    ///< univariate
  /// E Y^order, order >= 0. Univariate.
  Vector raw_moment(Index order, const Run& run = {}) const;
  Matrix mode(const Run& run = {}) const;                ///< d x n
  std::vector<Matrix> modes(const Run& run = {}) const;  ///< d x k_i, by falling density

  Vector entropy(const Run& run = {}) const;  ///< univariate
  Vector squared_l2_norm(const Run& run = {}) const;
  Vector energy(const Run& run = {}) const;                              ///< E|X - X'|
  Vector mean_distance(const MatrixView& y, const Run& run = {}) const;  ///< E|X - y|
  Vector crps(const VectorView& y, const Run& run = {}) const;           ///< univariate
  Vector energy_score(const MatrixView& y, const Run& run = {}) const;
  Vector squared_loss(const MatrixView& y, const Run& run = {}) const;

  /// `per_law` draws of every law, those of law i in columns i per_law, ...: RandomStream(seed, i).
  Matrix sample(Index per_law, std::uint64_t seed, const Run& run = {}) const;

 private:
  GaussianMixtures(std::shared_ptr<const GaussianComponents> components, Matrix log_weights, bool shared)
      : components_(std::move(components)), log_weights_(std::move(log_weights)), shared_(shared) {}

  std::shared_ptr<const GaussianComponents> moved_components(const VectorView& shift, const VectorView& scale) const;

  /// First column of law i in the components.
  Index offset(Index i) const { return shared_ ? 0 : i * n_components(); }

  std::shared_ptr<const GaussianComponents> components_;
  Matrix log_weights_;
  bool shared_;
};

}  // namespace condens
