#pragma once
// What matters, as pictures: bars of the importance of inputs and of the weights of members, and what each input adds
// to the density.

#include <optional>
#include <string>
#include <vector>

#include "condens/core/types.hpp"
#include "condens/plot/axes.hpp"

namespace condens::plot {

struct ImportanceBar {
  std::string input;
  double importance;                     ///< >= 0
  bool selected = true;                  ///< grey where not
  std::optional<double> stability = {};  ///< a share of resamples in [0, 1], drawn as a point
};

/// Horizontal bars in the given order, from the top. Throws std::invalid_argument for none.
std::string importance_bars(const std::vector<ImportanceBar>& bars);

/// A member of a mixture of models.
struct MemberBar {
  std::string name;
  double weight;     ///< a share in [0, 1]
  std::string note;  ///< beside the bar: its score
};

/// Horizontal bars in the given order, from the top. Throws std::invalid_argument for none.
std::string member_bars(const std::vector<MemberBar>& members);

/// Values over one input (left to right) and the target (upwards).
struct Surface {
  std::string input;
  Extent x;
  Matrix values;  ///< a row for each value of the target, a column for each of the input; >= 0
};

/// Panels side by side with one scale of colours. Throws std::invalid_argument for none.
std::string contribution_maps(const std::vector<Surface>& surfaces, const std::string& target, const Extent& y);

}  // namespace condens::plot
