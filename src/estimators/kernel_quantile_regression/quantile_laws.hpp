#pragma once
// From quantiles to a density: levels t_1 < ... < t_m and quantiles q_1 <= ... <= q_m at x become
//
//   sum_j (t_{j+1} - t_j) N(y; (q_j + q_{j+1}) / 2, max(kappa (q_{j+1} - q_j), s)^2)
//
// and a Gaussian for each tail, with the mass t_1 or 1 - t_m, and the mean and variance of what
// lies beyond z = Phi^-1(t_1) in a Gaussian whose quantiles t_1 and t_2 are as far apart as q_1 and
// q_2 are (the upper tail alike; s is a floor here, too):
//
//   h = (q_2 - q_1) / (Phi^-1(t_2) - z),  r = phi(z) / t_1,  mean q_1 - (r + z) h,  variance (1 - z r - r^2) h^2.
//
// The mean is that of the tail exactly; between quantiles the law keeps the levels' masses, smoothed.
//
// One level t alone has no interval: its quantile q is that of the Gaussian
//
//   N(y; q - Phi^-1(t) h, h^2),  h = max(kappa u, s),  u = E psi_t / phi(Phi^-1(t))
//
// u is the standard deviation at which a Gaussian has the mean pinball loss E psi_t about its quantile t, and at most
// the largest distance from it.

#include <vector>

#include "condens/core/types.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/model/kernel_mixture.hpp"

namespace condens::kqr {

struct LawShape {
  double spread = 0;  ///< kappa; of one level kappa u
  double floor = 0;   ///< s
};

class QuantileLaws {
 public:
  /// `levels`: at least one, ascending, in (0, 1).
  explicit QuantileLaws(const std::vector<double>& levels);

  /// One law for every column of ascending quantiles (m x n); the defensive component is last.
  GaussianMixtures laws(const MatrixView& quantiles, const LawShape& shape, const Defensive& defensive) const;

 private:
  struct Tail {
    double shift;   // (r + z) / (Phi^-1(t_2) - z): in units of the outer spacing
    double spread;  // the standard deviation in the same
  };
  static Tail tail(double outer, double inner);
  void place(const Eigen::Ref<const Vector>& q, const LawShape& shape, Eigen::Ref<Vector> mean,
             Eigen::Ref<Vector> scale) const;

  Vector log_masses_;  // m + 1: lower tail, intervals, upper tail; one level: its Gaussian
  double center_ = 0;  // of one level: -Phi^-1(t)
  Tail lower_ = {};
  Tail upper_ = {};
};

/// u of one level whose mean pinball loss is `loss`; 1 of several levels, whose intervals are the unit.
double unit_of_spread(const std::vector<double>& levels, double loss);

/// Each column sorted: the monotone rearrangement, never further from the true quantiles
/// in any L_p norm (Chernozhukov, Fernandez-Val and Galichon 2010). Returns the number of
/// neighbours that stood in the wrong order.
Index rearrange(Matrix& quantiles);

}  // namespace condens::kqr
