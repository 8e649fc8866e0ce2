#pragma once
// Trends (trend.hpp) of several targets, and for every row what the trend without that row gets wrong there, in closed
// form. With w_i the weights of the rows, W their sum, k(x) the m features of a trend - kernels at m centres, and
// rho x, rho^2 = 1 / (total variance of x) - ridge regression finds
//
//   min  1/W sum_i w_i (y_i - a - c'k(x_i))^2 + lambda c'(P + delta I) c,    P the kernels of the centres at each other
//
// (I for the linear features; delta = 1e-10: without it P is singular to rounding). With LL' = P + delta I,
// phi_i = L^-1 (k(x_i) - mean k) and sum_i w_i phi_i phi_i' = V D V', the fit for every lambda comes from one
// decomposition: z_i = V' phi_i, q = sum_i w_i z_i y_i,
//
//   f(x_i) = mean y + sum_k z_ik q_k / (D_k + lambda W)
//   h_ii   = w_i / W + w_i sum_k z_ik^2 / (D_k + lambda W)
//   y_i - f_(-i)(x_i) = (y_i - f(x_i)) / (1 - h_ii)
//
// where f_(-i) is the fit without row i, all of its weight. Width and lambda are those of the least weighted mean
// square of these; the constant is a candidate, too. Where all rows are centres this is kernel ridge regression itself,
// else its subset of regressors. Cost: m^2 (n + 10 m) for each width; memory m^2.
//
// The mean of a Gaussian process is such a regression with a length scale for every input, all rows as centres,
// lambda W = noise variance / signal variance, around the mean of y, which stays when a row goes:
//
//   y_i - f_(-i)(x_i) = [K^-1 y]_i / [K^-1]_ii          (Rasmussen and Williams 2006, eq. 5.12)
//
// and where some rows make the process, the others tell it through inducing points (gaussian_process/inducing.hpp).
//
// Sources: D. M. Allen, The relationship between variable selection and data augmentation and a method for prediction,
// Technometrics 16, 1974 (the leave-one-out residual); G. Wahba, Spline Models for Observational Data, SIAM 1990,
// ch. 4.

#include <string>
#include <string_view>
#include <vector>

#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/estimators/location_scale/trend.hpp"

namespace condens::trends {

/// What is least, of residuals e_i = y_i - f_(-i)(x_i). Where y is log|r|, what matters is the law of r that f makes:
/// with s = exp(f + constant), the mean of -log of the Laplace density exp(-|r| / s) / 2s is log mean exp(e) - mean e
/// at its best constant, but for what does not depend on f.
enum class Loss {
  square,   ///< mean e^2
  log_size  ///< log mean exp(e) - mean e
};

struct Score {
  double mean;  ///< infinity where it is not finite
  double standard_error;
};
Score score_of(const Vector& residuals, const Vector& weights, Loss loss);

struct Settings {
  std::string_view task;  ///< for the observer
  TrendKind kind;
  Loss loss;
  const std::vector<double>& bandwidth;       ///< empty: a grid, in units of the spread of x
  const std::vector<double>& regularization;  ///< empty: a grid
  Index n_centers;
  Index max_rows;  ///< of a Gaussian process
  Index seed;
};

struct Candidate {
  double bandwidth;  ///< 0: no kernels
  double regularization;
  Score score;
};

struct Fitted {
  Trend trend;
  TrendKind kind = TrendKind::constant;  ///< constant, too, where nothing was better
  Vector residuals;                      ///< y_i - f_(-i)(x_i), n
  double score = 0;
  double constant_score = 0;  ///< that of the constant
  double regularization = 0;  ///< lambda; 0 for a constant
  std::vector<Candidate> candidates = {};
  bool finished = true;  ///< false: a search stopped at its limit of iterations
};

/// One for every row of data.y. Rows that differ, with weights > 0 for all. Throws Cancelled.
std::vector<Fitted> fit(const Dataset& data, const Settings& settings, const Run& run);

}  // namespace condens::trends
