#pragma once
// One input moves, the others stay: the columns that a picture asks the model about, and the axis of y.

#include <string>
#include <vector>

#include "caption.hpp"
#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/plot/axes.hpp"
#include "condens/plot/figures.hpp"

namespace condens::plot {

constexpr Index few_values = 5;  // an input with at most as many values, each repeated, is drawn as levels

/// The inputs of a model, as `names` has them. Throws std::invalid_argument for columns that are not those of the
/// model.
std::vector<InputColumn> input_columns(const char* owner, const ConditionalDensity& model, const Names& names);

/// Values of one input that are drawn side by side; none for a continuum.
struct Levels {
  Matrix x = {};  ///< the rows of the input, a column for each level
  std::vector<std::string> labels = {};
};

/// Those of a category, or the few values that an input of numbers has in the data.
Levels levels_of(const InputColumn& column, const Dataset& data);

/// Columns that are `at` but for one input.
Matrix moved(const Vector& at, const InputColumn& column, const Matrix& values);

/// The place of every row of the data among the levels, beside each other within a level.
Vector level_places(const InputColumn& column, const Levels& levels, const Dataset& data);

/// How near each row is to `at` in all inputs but one, from 0 to 1: a Gaussian kernel of the distance in standard
/// deviations whose width is such that a tenth of the rows lies within it.
Vector closeness(const std::vector<InputColumn>& columns, Index moving, const Vector& at, const Dataset& data);

/// "age = 30", "sex = F".
std::vector<std::string> standing(const std::vector<InputColumn>& columns, const Vector& at);

/// An axis for y: the data, and the distributions but for `tail` at either side. Far values of few rows are left
/// out; the distributions do not go beyond the rest by more than its size, and nothing below zero where the data do
/// not.
Extent target_axis(const TargetDistributions& laws, const VectorView& y, double tail, bool with_data, const Run& run);

/// The same with room for bars at the atoms.
Extent with_atoms(const Extent& axis, const TargetDistributions& laws);

/// The largest probabilities that distributions have beyond the ends of an axis.
struct Outside {
  double below = 0.0;
  double above = 0.0;
};
Outside outside_of(const TargetDistributions& laws, const Extent& axis, const Run& run);

/// Sentences: what of the distributions, and how many of the rows that are drawn, lie outside an axis; empty where
/// it is nothing that could be seen.
std::string outside_remark(const Outside& outside, const Extent& axis, const VectorView& drawn);

}  // namespace condens::plot
