#pragma once
// The steps of a SACDE fit: from data to the problem, and from the problem to the chosen point of a path.

#include <optional>

#include "input_groups.hpp"
#include "path.hpp"

namespace condens::sacde {

struct Prepared {
  Standardizer x_scale;
  Standardizer y_scale;
  Problem problem;
  Matrix centers_x;                   ///< d_x x B, standardised
  std::vector<Index> input_of_group;  ///< of every group of the problem its place in `inputs`; -1: the constant group
  InputGroups inputs;
  Matrix sampled_y = {};  ///< of a table: the targets of a sample, standardised
};

/// The input that is 1 everywhere.
Feature constant_feature(Index rows, Index centers);

/// Throws std::invalid_argument.
void check_options(const SacdeOptions& options, Index n_inputs, Index n_targets);

/// The groups of inputs that option `screening` lets take part, rising.
std::vector<Index> screened_inputs(const Dataset& rows, const SacdeOptions& options, const Run& run);

/// Standardises, draws centres, and sorts the rows by fold where there are candidates to compare. `given` holds all
/// rows, `rows` those with a weight; `among`: the groups of inputs that take part, rising.
Prepared prepare(const Dataset& given, const Dataset& rows, const std::vector<Index>& among,
                 const SacdeOptions& options, const Run& run, FitReport& report);

/// Whether a table's sums are small enough (passes.hpp) for so many inputs.
bool fits_into_sums(Index inputs, Index centers, const SacdeOptions& options, Index rows);

/// The same of a table of more than most_rows_at_once rows (data/folds.hpp): centres and screening by a sample, folds
/// by the places of rows. Throws std::invalid_argument where its sums would be too large.
Prepared prepare(RowSums& table, const SacdeOptions& options, const Run& run, FitReport& report);

struct Widths {
  double x;
  double y;
};

struct Chosen {
  PathPoint point;
  double first_lambda;  ///< of the first fit; that of `point` where there is only one
};

/// Follows the paths of all widths, and writes what they found into the report: candidates, path, certificate.
/// `every_input`: chooses among the points that select all inputs, where there are any. `widths`: the only ones to
/// follow, of the candidates of the options, whose other scores `report` has already.
Chosen choose(const Prepared& prepared, const SacdeOptions& options, const Run& run, FitReport& report,
              bool every_input = false, const std::optional<Widths>& widths = {});

/// Of more inputs than the option `search_inputs` the widths that so many choose; none where there is nothing to
/// choose. Scores of all candidates go into the report.
std::optional<Widths> search_widths(const Dataset& given, const Dataset& rows, const SacdeOptions& options,
                                    const Run& run, FitReport& report);

/// 1 for the rows of x of the first `count` inputs on the path of all rows, at the first widths of the options: those
/// of the largest norms at the first penalty, of a fine sequence, that selects so many.
Vector first_to_enter(const Dataset& rows, const SacdeOptions& options, Index count);

}  // namespace condens::sacde
