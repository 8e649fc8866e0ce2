#pragma once
// One law as pointers, so that a single mixture and a law inside a batch run the same
// code and give the same bits. All sources of this room work on it; the ways to read
// a component are here and nowhere else.

#include <vector>

#include "condens/core/random.hpp"
#include "condens/core/types.hpp"
#include "condens/distributions/gaussian_mixture.hpp"

namespace condens::detail {

class DensityCells;

struct MixtureView {
  Index d;
  Index m;
  const double* log_weights;             ///< m, normalised
  const double* weights;                 ///< m, their exponentials
  const double* means;                   ///< d x m by columns
  const double* scales;                  ///< d x m by columns
  const double* correlations = nullptr;  ///< d^2 x m by columns, or null: independent coordinates

  double mean(Index l, Index k = 0) const { return means[l * d + k]; }
  double scale(Index l, Index k = 0) const { return scales[l * d + k]; }
  Eigen::Map<const Vector> mean_vector(Index l) const { return {means + l * d, d}; }
  Eigen::Map<const Vector> scale_vector(Index l) const { return {scales + l * d, d}; }
  /// L_l, for correlated components.
  Eigen::Map<const Matrix> correlation_factor(Index l) const { return {correlations + l * d * d, d, d}; }
  /// Lower triangular F with covariance F F', for correlated components.
  Matrix factor(Index l) const { return scale_vector(l).asDiagonal() * correlation_factor(l); }
};

/// m components from column `first` on.
inline MixtureView view_of(const GaussianComponents& all, Index first, Index m, const double* log_weights = nullptr,
                           const double* weights = nullptr) {
  return {all.means.rows(),
          m,
          log_weights,
          weights,
          all.means.col(first).data(),
          all.scales.col(first).data(),
          all.correlated() ? all.correlations.col(first).data() : nullptr};
}

constexpr double kSqrtHalf = 0.70710678118654752440;    // sqrt(1/2)
constexpr double kLogSqrt2Pi = 0.91893853320467274178;  // log sqrt(2 pi)
constexpr double kSqrtPi = 1.77245385090551602730;

/// Components prepared for log densities: one vectorised exp per component and point.
class DensityTable {
 public:
  explicit DensityTable(const MixtureView& p);  ///< its components

  /// log sum_l exp(log_weights_l) N(y; v_l, S_l). `work` holds m numbers.
  double log_pdf(const double* log_weights, const double* y, double* work) const;

 private:
  void whiten(const MixtureView& p);
  void subtract_half_squares(const double* y, double* work) const;

  Matrix means_;           // m x d, so that loops over components are contiguous
  Matrix inverse_scales_;  // m x d
  Vector log_norms_;       // -log det S_l / 2 - (d/2) log 2 pi
  Matrix whitening_;       // m x d (d + 1) / 2: the rows of (D_l L_l)^-1, for correlated components
};
double log_pdf(const MixtureView& p, const double* y);

// --- mixture_cdf.cpp, univariate -----------------------------------------------------
double cdf(const MixtureView& p, double y);
double sf(const MixtureView& p, double y);
double log_cdf(const MixtureView& p, double y);
double log_sf(const MixtureView& p, double y);
double quantile(const MixtureView& p, double level);
double upper_quantile(const MixtureView& p, double level);
/// The quantiles of several levels, and {quantile(level), upper_quantile(level)}: the same bits for less work.
Vector quantiles(const MixtureView& p, const VectorView& levels);
Interval quantile_pair(const MixtureView& p, double level);
/// P(a < Y <= b), relatively exact for every component.
double probability(const MixtureView& p, double a, double b);
/// The mean of the share `level` of lowest values.
double lower_tail_mean(const MixtureView& p, double level);
double upper_tail_mean(const MixtureView& p, double level);

// --- mixture_moments.cpp -------------------------------------------------------------
Vector mean(const MixtureView& p);
Vector variance(const MixtureView& p);
Matrix covariance(const MixtureView& p);
double skewness(const MixtureView& p);
double kurtosis(const MixtureView& p);
double raw_moment(const MixtureView& p, Index order);
Matrix sample(const MixtureView& p, Index n, RandomStream& random);

// --- mixture_modes.cpp ---------------------------------------------------------------
struct StationaryPoint {
  double y;
  bool is_maximum;
};
/// Maxima and minima of a univariate density from left to right: alternating, from a maximum to a maximum. Where the
/// log density stays below `floor`, one minimum stands for all.
std::vector<StationaryPoint> stationary_points(const MixtureView& p, double floor);
/// Those of [low, high] from left to right; rounding may show one twice.
std::vector<StationaryPoint> stationary_points_between(const MixtureView& p, double low, double high);
Vector mode(const MixtureView& p);
Matrix modes(const MixtureView& p);

// --- mixture_ascent.cpp: maxima for d > 1 ----------------------------------------------
std::vector<Vector> ascend_from_components(const MixtureView& p);

// --- mixture_region.cpp, univariate ----------------------------------------------------
std::vector<Interval> highest_density_region(const MixtureView& p, double mass);
double highest_density_mass(const MixtureView& p, double y);
/// The same, to rounding, with what the cells tell of p: columns of their heights.
double highest_density_mass(const MixtureView& p, double y, const DensityCells& cells, const double* density,
                            const double* bend);

// --- mixture_scores.cpp ----------------------------------------------------------------
/// Upper triangles of m x m tables over pairs of components: E|X_l - X_l'|, and integral of N_l N_l'.
Matrix distance_table(const MixtureView& p);
Matrix overlap_table(const MixtureView& p);
/// E|X - X'|, X' a copy of X, and the integral of p^2, over pairs of components whose weights count; with the table of
/// all components, or without one and with the same bits.
double mean_pair_distance(const MixtureView& p);
double mean_pair_distance(const MixtureView& p, const Matrix& table);
double mean_overlap(const MixtureView& p);
double mean_overlap(const MixtureView& p, const Matrix& table);
/// E|X - y|
double mean_distance(const MixtureView& p, const double* y);
/// The same of every column of y.
void mean_distances(const MixtureView& p, const MatrixView& y, Eigen::Ref<Vector> out);
double entropy(const MixtureView& p);

}  // namespace condens::detail
