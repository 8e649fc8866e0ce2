#pragma once
// The inputs as the option `groups` of SACDE puts them together (Yuan and Lin 2006: a group of coefficients is zero as
// a whole). A group has kernels of all its inputs, as the indicators of a categorical input have.

#include <vector>

#include "condens/data/dataset.hpp"

namespace condens::sacde {

/// Of every number its group's place, 0, 1, ... in the order of their first numbers.
std::vector<Index> places_of_groups(const std::vector<double>& groups);

struct InputGroups {
  std::vector<std::vector<Index>> rows;    ///< of x, of every group; groups in the order of their first inputs
  std::vector<std::vector<Index>> inputs;  ///< of every group, by their place among data.inputs()

  Index size() const { return static_cast<Index>(rows.size()); }
};

/// `groups`: a number for every input; empty: each is its own. Throws std::invalid_argument for another length.
InputGroups input_groups(const Dataset& data, const std::vector<double>& groups);

/// How many of them vary: some input of theirs does.
Index varying_groups(const Dataset& data, const std::vector<double>& groups);

}  // namespace condens::sacde
