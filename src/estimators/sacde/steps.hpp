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
};

/// The input that is 1 everywhere.
Feature constant_feature(Index rows, Index centers);

/// Standardises, draws centres, and sorts the rows by fold where there are candidates to compare. `given` holds all
/// rows, `rows` those with a weight.
Prepared prepare(const Dataset& given, const Dataset& rows, const SacdeOptions& options, const Run& run,
                 FitReport& report);

struct Chosen {
  PathPoint point;
  double first_lambda;  ///< of the first fit; that of `point` where there is only one
};

/// Follows the paths of all widths, and writes what they found into the report: candidates, path, certificate.
Chosen choose(const Prepared& prepared, const SacdeOptions& options, const Run& run, FitReport& report);

}  // namespace condens::sacde
