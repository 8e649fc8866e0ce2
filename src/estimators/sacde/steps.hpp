#pragma once
// The steps of a SACDE fit: from data to the problem, and from the problem to the chosen point of a path.

#include "path.hpp"

namespace condens::sacde {

struct Prepared {
  Standardizer x_scale;
  Standardizer y_scale;
  Problem problem;
  Matrix centers_x;                   ///< d_x x B, standardised
  std::vector<Index> input_of_group;  ///< of every group its input; -1: the constant group
  Matrix sampled_y = {};              ///< of a table: the targets of a sample, standardised
};

/// The input that is 1 everywhere.
Feature constant_feature(Index rows, Index centers);

/// Throws std::invalid_argument.
void check_options(const SacdeOptions& options, Index n_inputs, Index n_targets);

/// The inputs that option `screening` lets take part, rising.
std::vector<Index> screened_inputs(const Dataset& rows, const SacdeOptions& options, const Run& run);

/// Standardises, draws centres, and sorts the rows by fold where there are candidates to compare. `given` holds all
/// rows, `rows` those with a weight; `among`: the inputs that take part, rising.
Prepared prepare(const Dataset& given, const Dataset& rows, const std::vector<Index>& among,
                 const SacdeOptions& options, const Run& run, FitReport& report);

/// Whether a table's sums are small enough (passes.hpp) for so many inputs.
bool fits_into_sums(Index inputs, Index centers, const SacdeOptions& options, Index rows);

/// The same of a table of more than most_rows_at_once rows (data/folds.hpp): centres and screening by a sample, folds
/// by the places of rows. Throws std::invalid_argument where its sums would be too large.
Prepared prepare(RowSums& table, const SacdeOptions& options, const Run& run, FitReport& report);

struct Chosen {
  PathPoint point;
  double first_lambda;  ///< of the first fit; that of `point` where there is only one
};

/// Follows the paths of all widths, and writes what they found into the report: candidates, path, certificate.
/// `every_input`: chooses among the points that select all inputs, where there are any.
Chosen choose(const Prepared& prepared, const SacdeOptions& options, const Run& run, FitReport& report,
              bool every_input = false);

/// 1 for the rows of x of the first `count` inputs on the path of all rows, at the first widths of the options: those
/// of the largest norms at the first penalty, of a fine sequence, that selects so many.
Vector first_to_enter(const Dataset& rows, const SacdeOptions& options, Index count);

}  // namespace condens::sacde
