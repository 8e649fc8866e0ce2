#pragma once
// The criteria of predictive state smoothing, with their gradients.
//
// Source: G. M. Goerg, Predictive state smoothing (PRESS), 2017, section 4. With weights a_i of
// the rows (2 = two copies), A = sum a_i, W the weights of the states (J x n here, its columns
// on the simplex):
//
//   sigma_j = sum_i a_i W_ji (17),  m_j = sum_i a_i W_ji y_i / sigma_j (20),  yhat_i = sum_j W_ji m_j (24)
//   s_i = l_i sum_j W_ji^2 / sigma_j (33),  l_i = min(1, a_i): the copy of row i that leaves
//   nu = sum_ij a_i W_ji^2 / sigma_j (35)
//
//   mse         sum_i a_i |y_i - yhat_i|^2 / A                        (30), divided by N
//   loocv       sum_i a_i |y_i - yhat_i|^2 / (1 - s_i)^2 / A          (31)-(33)
//   gcv         mse / (1 - nu / A)^2                                  (34)-(35)
//   loo         sum_i a_i |sum_j W_ji (y_i - m_j) / (1 - l_i W_ji / sigma_j)|^2 / A
//               the exact leave-one-out at fixed coefficients (errata P1)
//   likelihood  -sum_i a_i log((1 - e) sum_j W_ji p_j^(-i)(y_i) + e N_0(y_i)) / A
//               the density (25) with state densities that have not seen row i, which leaves with
//               its whole weight (l_i = a_i: a copy that stayed would say what y is); our addition
//
// plus mu (nu_smooth - nu)^2 (36) and rho |coefficients|^2 / 2. The LASSO's |theta_X|_1 (38) is
// left to the optimiser. Errors are summed over the targets. p_j is a kernel density of width
// h_j on nodes (nodes.hpp) with the weights a_i W_ji / sigma_j. Of squared errors a state that
// no row is in plays no part; what cannot be left out gives an infinite value.
//
// All of it is one pass for the sums of the states, one for d value / d W and one for the
// products with the inputs: 4 n d J multiplications and additions and J n exponentials; the
// likelihood J B^2 more, B the number of nodes.

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/estimators/press/map.hpp"
#include "condens/estimators/press/nodes.hpp"
#include "condens/model/kernel_mixture.hpp"

namespace condens {

enum class PressCriterion { mse, loocv, gcv, loo, likelihood };
template <>
inline constexpr auto choice_names<PressCriterion> =
    std::array<std::string_view, 5>{"mse", "loocv", "gcv", "loo", "likelihood"};

struct PressPenalties {
  double smoothness = 0;         ///< nu_smooth of eq. 36
  double smoothness_weight = 0;  ///< mu of eq. 36; 0: no such penalty
  double ridge = 0;              ///< rho
};

struct PressEvaluation {
  double value = 0;     ///< with the penalties
  Vector gradient;      ///< by theta
  Vector by_log_width;  ///< by log h_j, likelihood only
  double mse = 0;       ///< mean squared error in the sample, summed over the targets; not of likelihood
  double freedom = 0;   ///< nu
};

// An evaluation in parts, for rows that are in several places: what the rows of one place add to each sum, and what
// follows from the totals. The parts of all rows in one place are those of `evaluate`.

/// Sums over rows at the weights of the states.
struct PressStateSums {
  Vector sizes;              ///< sigma
  Vector squares;            ///< sum_i a_i W_ji^2
  std::vector<Vector> sums;  ///< of every state: sum_i a_i W_ji (y_i, or the shares of its nodes)
};

/// Sums of kernels at the nodes of every state, and their derivatives by log h.
struct PressKernelSums {
  std::vector<Vector> totals;
  std::vector<Vector> slopes;
};

/// Sums over rows at the totals of both: the value, and its derivatives by these.
struct PressTermSums {
  double value = 0;
  double mse = 0;
  Vector by_sizes;
  Matrix by_means;                ///< d_y x J, squared errors
  std::vector<Vector> by_totals;  ///< likelihood
  Vector by_log_width;            ///< likelihood
};

/// Derivatives of the value at fixed W.
struct PressSlopes {
  double by_freedom = 0;
  Vector by_sizes;
  std::vector<Vector> by_sums;
};

class PressObjective {
 public:
  /// Rows with weights (or none: ones), which are shared, not copied. Throws
  /// std::invalid_argument for rows that do not fit the map, likelihood among the criteria
  /// (it needs nodes) or negative penalties. `packed`: the inputs by pack_inputs, or null.
  PressObjective(const Dataset& rows, PressMap map, PressCriterion criterion, const PressPenalties& penalties = {},
                 std::shared_ptr<const PackedObservations> packed = nullptr);

  /// The likelihood, with the nodes of every state, or of all states where there is one.
  PressObjective(const Dataset& rows, PressMap map, std::vector<PressNodes> nodes, const Defensive& defensive,
                 const PressPenalties& penalties = {}, std::shared_ptr<const PackedObservations> packed = nullptr);

  const PressMap& map() const { return map_; }
  PressCriterion criterion() const { return criterion_; }
  double total_weight() const { return total_; }
  double work() const;  ///< about the multiplications of a pass over the rows

  /// `widths`: one > 0 for every state, likelihood only. `poll` is called now and then on the
  /// calling thread. The number of threads does not change a bit.
  PressEvaluation evaluate(const Vector& theta, const Vector& widths = Vector(), int threads = 1,
                           const std::function<void()>& poll = {}) const;

  /// From here on the rows are some of those of the criterion, whose weights add up to `total_weight`. Rows whose
  /// likelihood is lost to rounding are not summed anew, for which all rows would have to be here: they count as rows
  /// of the defensive component, whatever theta is.
  void become_part_of(double total_weight);

  /// In this order, each from the totals of those before over all rows; the second and the fourth are of no row.
  PressStateSums sum_states(const Vector& theta, int threads = 1) const;
  PressKernelSums sum_kernels(const Vector& widths, const PressStateSums& states, int threads = 1) const;
  PressTermSums sum_terms(const Vector& theta, const Vector& widths, const PressStateSums& states,
                          const PressKernelSums& kernels, int threads = 1) const;
  PressEvaluation value_of(const Vector& theta, const Vector& widths, const PressStateSums& states,
                           const PressTermSums& terms, PressSlopes& slopes, int threads = 1) const;
  Vector sum_gradients(const Vector& theta, const Vector& widths, const PressStateSums& states,
                       const PressKernelSums& kernels, const PressSlopes& slopes, int threads = 1) const;
  /// The part of the gradient that is of no row: the value has the ridge already.
  Vector ridge_gradient(const Vector& theta) const;

 private:
  struct Pass;
  struct Chunk;
  struct Tile;
  struct Anew;
  PressObjective(const Dataset& rows, PressMap map, PressCriterion criterion, const PressPenalties& penalties,
                 std::vector<PressNodes> nodes, Defensive defensive, std::shared_ptr<const PackedObservations> packed);
  PressInputs inputs(Range rows) const { return {x_.middleCols(rows.begin, rows.size()), packed_.get(), rows.begin}; }
  Pass begin(const Vector& theta, const Vector& widths, int threads, const std::function<void()>& poll) const;
  /// With the terms of rows, as far as the sums of all rows tell.
  Pass terms_at(const Vector& theta, const Vector& widths, const PressStateSums& states, const PressKernelSums& kernels,
                int threads) const;
  void find_weights(Pass& pass, Chunk& chunk) const;
  void combine_states(Pass& pass) const;
  void add_up_states(Pass& pass) const;
  void set_states(Pass& pass, const PressStateSums& states) const;
  void derive_states(Pass& pass) const;
  void find_terms(Pass& pass, Chunk& chunk) const;
  PressEvaluation combine_terms(Pass& pass) const;
  PressTermSums add_up_terms(const Pass& pass) const;
  PressEvaluation follow_terms(Pass& pass, const PressTermSums& terms) const;
  void square_terms(Pass& pass, Chunk& chunk, Index begin, Index count) const;
  void exact_terms(Pass& pass, Chunk& chunk, Index begin, Index count) const;
  void likelihood_terms(Pass& pass, Chunk& chunk, Index begin, Index count) const;
  void sum_anew(Pass& pass) const;
  Anew sum_anew(const Pass& pass, Index row) const;
  void spread_anew(Pass& pass, const Chunk& chunk) const;
  void find_gradient(Pass& pass, Chunk& chunk) const;
  const PressNodes& nodes_of(Index j) const { return nodes_[nodes_.size() == 1 ? 0 : static_cast<std::size_t>(j)]; }

  Observations x_;
  std::shared_ptr<const PackedObservations> packed_;
  Observations y_;
  Vector weights_;  // a
  Vector leaves_;   // l
  double total_;    // A
  bool is_part_ = false;
  PressMap map_;
  PressCriterion criterion_;
  PressPenalties penalties_;
  std::vector<PressNodes> nodes_;
  Defensive defensive_;
  Vector defensive_density_;  // N_0(y_i)
};

/// Residuals of every row that leaves at fixed weights W of the states, d_y x n: literally
/// without the row, or by the paper's eq. 31.
Matrix press_loo_residuals(const Matrix& w, const MatrixView& y, const VectorView& weights, bool exact);

/// The mean of y in every state (20), d_y x J, and its size (17); and the levels b that
/// minimise sum_i a_i |y_i - sum_j W_ji b_j|^2, which do not shrink to the centre (errata P2,
/// P3), d_y x J: of all those of least distance to the means.
struct PressStates {
  Matrix means;
  Vector sizes;
  Matrix levels;
  Vector squares;          ///< sum_i a_i W_ji^2
  double freedom() const;  ///< nu, eq. 35
};
PressStates press_states(const Matrix& w, const MatrixView& y, const VectorView& weights);

}  // namespace condens
