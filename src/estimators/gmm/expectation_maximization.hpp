#pragma once
// Maximum likelihood of a Gaussian mixture by expectation maximisation (Dempster, Laird and Rubin
// 1977; paper 001, eqs. 5-8), with variances bounded below in every direction.
//
//   E step   q_il = w_l N(z_i; v_l, S_l) / sum_r w_r N(z_i; v_r, S_r)                     (eq. 5)
//   M step   n_l = sum_i c_i q_il,  w_l = n_l / sum_i c_i                                 (eq. 6)
//            v_l = sum_i c_i q_il z_i / n_l                                               (eq. 7)
//            S_l = sum_i c_i q_il (z_i - v_l) (z_i - v_l)' / n_l, around the new v_l      (eq. 8, errata D21)
//
// and eigenvalues of S_l in the metric of the floors below 1 are raised to 1: the constrained maximum
// of the M step, so that the likelihood never falls.
//
// Symbols: d dimension, n rows, k components; c_i the weight of row i.

#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/core/types.hpp"
#include "condens/distributions/gaussian_components.hpp"

namespace condens {

struct EmSettings {
  bool full = true;  ///< any covariances; else diagonal ones
  Vector floors;     ///< d, smallest variance along every coordinate, > 0
  Index max_iterations = 500;
  double tolerance = 1e-5;  ///< ends where the mean log density rises by less; 0: never before max_iterations
};

/// Where an iteration stands.
struct EmState {
  Vector weights;             ///< k, sum one
  Matrix means;               ///< d x k
  Matrix covariances;         ///< d^2 x k column by column, or variances d x k
  double score = 0;           ///< mean log density of the rows, weighted
  double standard_error = 0;  ///< of the score
  Index iterations = 0;
  bool converged = false;
  Index reseeded = 0;  ///< components that held less than half a row and began again at the row of least density
  Index dropped = 0;   ///< those that did so too often

  GaussianComponents components() const;
};

/// What a pass over the rows adds up, for the M step and the end.
struct EmSums {
  EmSums(Index d, Index k, bool full);
  void add(const EmSums& other);
  /// Moments around v + `shift` (d x k) instead of v.
  void move(const MatrixView& shift);
  Vector mass;              ///< k, sum c q
  Matrix first;             ///< d x k, sum c q (z - v), v the old mean
  Matrix second;            ///< sum c q (z - v) (z - v)', d^2 x k, lower triangles, or their diagonals, d x k
  double score = 0;         ///< sum c log p
  double square = 0;        ///< sum (c log p)^2
  double cross = 0;         ///< sum c^2 log p
  double least = infinity;  ///< least log p
  Vector worst = {};        ///< d, its row
};

/// The two passes over standardised rows z, wherever they are; one serves several mixtures.
class EmRows {
 public:
  EmRows(Index dimension, Index count, double weight, double squares)
      : dimension_(dimension), count_(count), total_(weight), squares_(squares) {}
  virtual ~EmRows() = default;
  Index dimension() const { return dimension_; }
  Index count() const { return count_; }
  double total() const { return total_; }      ///< sum c
  double squares() const { return squares_; }  ///< sum c^2

  /// The E step of each state: rows by their posterior of every component. `full`: second moments are matrices.
  virtual std::vector<EmSums> weighed(const std::vector<EmState>& states, bool full, Task& task) const = 0;
  /// Rows by the nearest mean of each set.
  virtual std::vector<EmSums> assigned(const std::vector<Matrix>& means, bool full, Task& task) const = 0;

 private:
  Index dimension_;
  Index count_;
  double total_;
  double squares_;
};

/// In memory, by coordinate.
class EmRowsInMemory final : public EmRows {
 public:
  EmRowsInMemory(const MatrixView& columns, const VectorView& row_weights);
  std::vector<EmSums> weighed(const std::vector<EmState>& states, bool full, Task& task) const override;
  std::vector<EmSums> assigned(const std::vector<Matrix>& means, bool full, Task& task) const override;

 private:
  Matrix z_;  // n x d
  Vector weights_;
};

/// The M step: eqs. 6-8.
void em_maximise(const EmSums& sums, const EmSettings& settings, EmState& state);

/// Equal weights, variances `variances` (d) for every component.
EmState em_start(const MatrixView& means, const VectorView& variances, bool full);

/// Of each set of means: every row belongs to the nearest one, and one M step.
std::vector<EmState> em_start_of_clusters(const EmRows& rows, const std::vector<Matrix>& means,
                                          const EmSettings& settings, Task& task);

/// Iterates each state until the end that the settings give, all in the same passes; every one as it would alone. Same
/// bits for any number of threads.
std::vector<EmState> em_continue(const EmRows& rows, std::vector<EmState> states, const EmSettings& given, Task& task);
EmState em_continue(const EmRows& rows, EmState state, const EmSettings& given, Task& task);

}  // namespace condens
