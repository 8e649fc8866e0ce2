#pragma once
// What moved an answer, as pictures: bars of what every input adds, with their errors, and effects along one input.

#include <string>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/inspection/effects.hpp"

namespace condens::plot {

/// One panel: a signed number for every input.
struct AddedColumn {
  std::string label;
  Vector values;
  Vector errors = {};  ///< half lengths of bars; empty, or NaN: none
};

/// Panels side by side, inputs from the top in the given order; at most four panels in a row. Throws
/// std::invalid_argument for lengths that differ, nothing to draw and values that are not finite.
std::string added_bars(const std::string& title, const std::vector<std::string>& inputs,
                       const std::vector<AddedColumn>& columns, const std::string& remark = "");

/// Every functional of an effect as a curve with bars of one standard error: of dependence the means over the rows, of
/// local effects what they add to these; of a category the effects as bars, of the first four functionals.
std::string effect_curves(const Effect& effect, const std::string& target);

}  // namespace condens::plot
