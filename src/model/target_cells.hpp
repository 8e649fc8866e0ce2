#pragma once
// Targets with few different values: grades, counts, numbers that were rounded. A density can be made arbitrarily high
// at such values, and its logarithm rewards spikes there. What a density says of y that was rounded to the nearest
// value is the probability of the cell around it, which reaches to the midpoints between neighbouring values; the
// scores here are the logarithms of the mean densities of cells,
//
//   log P(a < Y <= b | x) - log(b - a),
//
// which are log densities where these are smooth. The first and the last cell go on to infinity, and count as reaching
// as far out as to their neighbour.

#include <vector>

#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/model/conditional_density.hpp"

namespace condens {

class TargetCells {
 public:
  /// No cells: log densities.
  TargetCells() = default;

  /// Of one target with at least two different values, that are fewer than a tenth of the rows (or, where these are
  /// more, of the copies that their weights count); else no cells.
  static TargetCells of(const Dataset& rows);

  bool empty() const { return values_.empty(); }
  Index size() const { return std::ssize(values_); }

  /// The score of every row by the model, which may take fewer inputs than the rows have: the first ones.
  Vector log_density(const ConditionalDensity& model, const Dataset& rows, const Run& run = {}) const;
  /// The score of every y by one distribution.
  Vector log_density(const GaussianMixture& law, const MatrixView& y, const Run& run = {}) const;

  /// The log probabilities of the cells of y that have these scores.
  Vector log_probability(const Vector& scores, const MatrixView& y) const;

 private:
  struct Cell {
    double lower;
    double upper;
    double width;
  };
  Cell around(double y) const;
  Vector log_density(const GaussianMixtures& laws, const MatrixView& y, const Run& run) const;

  std::vector<double> values_;  // ascending
};

}  // namespace condens
