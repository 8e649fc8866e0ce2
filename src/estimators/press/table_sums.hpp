#pragma once
// PRESS of tables whose rows are elsewhere (condens/model/row_sums.hpp): the parts of an evaluation of a criterion
// (objective.hpp) as passes. One with its gradient takes three, as the derivatives of a row need the totals of its
// states, and the gradient those of the derivatives by these.

#include <string_view>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/data/dataset.hpp"
#include "condens/estimators/press.hpp"
#include "condens/model/row_sums.hpp"
#include "model/table_passes.hpp"

namespace condens::press {

/// A criterion of a table, as every pass of it says.
struct TableCriterion {
  table_passes::Scale scale;
  std::vector<double> hidden;
  PressActivation activation = PressActivation::tanh;
  Index n_states = 1;
  PressCriterion criterion = PressCriterion::mse;
  double total = 0;           ///< weight of all rows
  std::vector<Vector> ticks;  ///< nodes of every state, or one set for all; likelihood
  Defensive defensive;

  PressMap map(Index n_inputs) const;
  PressObjective objective(const Dataset& standardized, const PressPenalties& penalties = {}) const;

  /// A pass for one of the parts below.
  Document pass(std::string_view part) const;
  /// Throws FormatError for what is no pass over rows of so many columns.
  static TableCriterion from_pass(const Document& pass, Index n_inputs, Index n_targets);
};

/// The criterion on all rows, whose sums come from passes over the table.
class TableObjective {
 public:
  /// `few`: some rows on the scale of the criterion.
  TableObjective(RowSums& table, TableCriterion criterion, const PressPenalties& penalties, const Dataset& few,
                 int threads);

  const TableCriterion& criterion() const { return criterion_; }

  /// As PressObjective::evaluate.
  PressEvaluation evaluate(const Vector& theta, const Vector& widths) const;

  /// Without the gradient by theta, at sums of the states that are known.
  PressStateSums states(const Vector& theta) const;
  PressEvaluation value(const Vector& theta, const Vector& widths, const PressStateSums& states) const;

 private:
  struct Value;
  Value value_and_slopes(const Vector& theta, const Vector& widths, const PressStateSums& states) const;
  Document with_states(std::string_view part, const Vector& theta, const Vector& widths, const PressStateSums& states,
                       const PressKernelSums& kernels) const;

  RowSums& table_;
  TableCriterion criterion_;
  PressObjective here_;  // of the few rows: all that is not of rows
  int threads_;
};

/// What describes the states: sums over all rows around a centre, standardised scale.
struct StateMoments {
  Matrix gram;      ///< W A W', J x J
  Vector sizes;     ///< J
  Matrix y;         ///< d_y x J: sum_i a_i W_ji (y_i - centre)
  Vector y_square;  ///< d_y: sum_i a_i (y_i - centre)^2
  Matrix x;         ///< d_x x J
  Matrix x_square;  ///< d_x x J
  double entropy = 0;
};
StateMoments moments_of(RowSums& table, const TableCriterion& criterion, const Vector& theta, const Vector& centre_x,
                        const Vector& centre_y);

/// Inputs of the row with the largest weight of every state, d_x x J, on the table's own scale.
Matrix examples_of(RowSums& table, const TableCriterion& criterion, const Vector& theta);

/// What a block adds to any of these passes. Throws FormatError for parts that do not fit.
Document table_state(const Document& pass, const Dataset& block, Index first_row, int threads);

}  // namespace condens::press
