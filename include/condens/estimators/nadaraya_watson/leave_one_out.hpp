#pragma once
// Leave-one-out likelihood of the Nadaraya-Watson conditional density, with its
// gradient by the metric in x and the width in y.
//
//   p_{-i}(y|x) = sum_{j != i} P_j(x) N(y; y_j, h_y^2 I),  P_j(x) proportional to w_j exp(-|T (x - x_j)|^2 / 2),
//   value       = sum_i w_i log((1 - e) p_{-i}(y_i|x_i) + e N_0(y_i)) / sum_i w_i
//
// with T = diag(1/h_1, ..., 1/h_d) or any d' x d matrix W, row weights w, and a
// defensive share e of the broad Gaussian N_0. A row leaves with its whole weight.
//
// Source: eq. 25 of Shiga, Tangkaratt and Sugiyama (2015) with the normaliser of
// eq. 23 (errata S2) and two widths; the leave-one-out likelihood is that of Holmes,
// Gray and Isbell (2007). With Q_ij = P_ij N(y_i; y_j) / p_{-i} (the rows of P and Q
// sum to one) and r_i the share of the kernels in the density at i,
//
//   R_ij = w_i r_i (Q_ij - P_ij),  c = R'1,  M = X diag(c) X' - X R X' - (X R X')',
//   d value / d log h_k = M_kk / h_k^2,  d value / dW = -W M   (times 1 / sum w)

#include <functional>

#include "condens/core/parallel.hpp"
#include "condens/core/types.hpp"
#include "condens/model/kernel_mixture.hpp"

namespace condens {

struct NwLikelihood {
  double value;       ///< mean over the rows, by weight, in nats
  Vector rows;        ///< log density of every row without itself
  Matrix gradient;    ///< by log h (d x 1) or by W (as W)
  double gradient_y;  ///< by log h_y
};

/// The rows, kept for many evaluations. One takes 2 n^2 exponentials and 4 d n^2
/// multiplications and additions; memory beside the data is a tile of rows against all
/// for each thread. All is computed in the log domain, so that rows far from all others
/// count as they should. The number of threads does not change a bit.
class NwLeaveOneOut {
 public:
  /// x: d x n (d may be 0), y: d_y x n, weights: n numbers > 0, or empty. Throws
  /// std::invalid_argument for fewer than two rows, lengths that differ, numbers that
  /// are not finite or weights that are not positive.
  NwLeaveOneOut(const MatrixView& x, const MatrixView& y, const VectorView& weights = Vector(),
                const Defensive& defensive = {});

  Index size() const { return y_.cols(); }
  Index n_inputs() const { return x_.rows(); }
  const Vector& weights() const { return weights_; }  ///< n, their sum is 1

  /// One width > 0 (or infinity: no part) for every input. `poll` is called now and then
  /// on the calling thread.
  NwLikelihood of_widths(const VectorView& widths, double bandwidth_y, int threads = 1,
                         const std::function<void()>& poll = {}) const;

  /// Any matrix W with n_inputs() columns.
  NwLikelihood of_matrix(const MatrixView& w, double bandwidth_y, int threads = 1,
                         const std::function<void()>& poll = {}) const;

 private:
  struct Metric;
  struct Sums;
  NwLikelihood evaluate(const Metric& metric, double bandwidth_y, int threads, const std::function<void()>& poll) const;
  Sums evaluate_rows(const Metric& metric, const Matrix& y_scaled, double log_mass, Range range, Vector& rows) const;
  double evaluate_row(Index i, double log_mass, Vector& y_distance, double* p, double* q, double& gradient_y) const;

  Matrix x_;  // centred, so that M loses no digits
  Matrix x_squared_;
  Matrix y_;
  Vector weights_;
  Vector log_weights_;
  Defensive defensive_;
  Vector log_defensive_;  // log N_0(y_i)
};

}  // namespace condens
