#pragma once
// What every input added to one prediction: Shapley values of the game in which the inputs S are those of the row and
// the others those of rows b of a background,
//
//   v(S) = (1/m) sum_b f(x_S, b_{-S}),   phi_j = sum_{S without j} |S|! (a - |S| - 1)! / a! (v(S + j) - v(S)),
//
// a inputs that differ. They sum to v(all) - v(none), the prediction less the mean prediction of the background. With
// the other row as the only row of background they say which inputs explain the difference of two distributions, by
// any functional or by a distance to the distribution of the other row, F less G:
//
//   crps          integral (F - G)^2 dy: what the CRPS loses by forecasting F where G is true
//   kolmogorov    sup |F - G|
//
// Where 2^a m predictions are few they are all made. Else orders of the inputs are drawn, equally many for each row of
// the background, in which the inputs become those of the row one by one: sums are exact all the same, the standard
// errors are those over the orders, and of a functional that is a sum over inputs they are zero.
//
// Sources: L. S. Shapley, A value for n-person games, 1953; E. Strumbelj and I. Kononenko, Explaining prediction models
// and individual predictions with feature contributions, Knowl. Inf. Syst. 41, 2014, algorithm 1.

#include "condens/inspection/functional.hpp"
#include "condens/inspection/inputs.hpp"

namespace condens {

struct ShapleyOptions {
  Index most_exact = 50'000;   ///< predictions up to which all subsets are taken
  Index n_orders = 200;        ///< beyond; at least two for each row of the background
  Index max_background = 100;  ///< of more rows so many, drawn at random; 0: all
  Index seed = 0;
};

struct Attribution {
  std::vector<std::string> of;
  std::vector<std::string> inputs;
  Matrix values;           ///< inputs x functionals
  Matrix standard_errors;  ///< zero where `exact`
  Vector base;             ///< of each functional v(none)
  Vector prediction;       ///< v(all)
  bool exact;
  Index n_background;
};

/// `row` one column, `y` its target or empty, `background` columns of x. Throws std::invalid_argument for shapes that
/// do not fit and options out of range.
Attribution shapley_values(const Inspected& model, const std::vector<Functional>& of,
                           const std::vector<InspectedInput>& inputs, const VectorView& row, const VectorView& y,
                           const MatrixView& background, const ShapleyOptions& options = {}, const Run& run = {});

/// From the distribution at `other` to that at `row`: every functional, then "crps" and "kolmogorov".
Attribution compare_rows(const Inspected& model, const std::vector<Functional>& of,
                         const std::vector<InspectedInput>& inputs, const VectorView& row, const VectorView& other,
                         const ShapleyOptions& options = {}, const Run& run = {});

/// The distances of every distribution to one, 2 x n: crps and kolmogorov, to a relative error of about 1e-4.
Matrix distances_to(const TargetDistributions& laws, const TargetDistributions& one, const Run& run = {});

}  // namespace condens
