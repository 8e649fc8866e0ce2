#pragma once
// Pictures of a reduction z = W s(x): what y does over the directions that were found, and what
// each number of directions scored.

#include <string>
#include <vector>

#include "condens/core/run.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/plot/figures.hpp"

namespace condens::plot {

/// "0.71 a - 0.70 b + ...": the largest loadings of one row of W, at most `most` of them, falling.
std::string loadings_text(const VectorView& loadings, const std::vector<std::string>& names, std::size_t most = 3);

struct SummaryOptions {
  std::vector<std::string> inputs = {};   ///< names; where one is missing, "x1", "x2", ... stand in
  std::vector<std::string> targets = {};  ///< "y", or "y1", "y2", ...
  Index target = 0;
  double interval = 0.9;           ///< probability of the central interval whose edges are drawn
  Index max_points = most_points;  ///< of the data, evenly thinned
};

/// The sufficient-summary plot (Cook 1998). One direction: y against z1, with the density of y
/// given z1 as a map behind the points. More: the data over z1 and z2 in the colour of y, before
/// the median of y given z1 and z2 in the same colours, other directions at their medians.
/// Throws std::invalid_argument for data that do not fit the model, or no direction.
std::string sufficient_summary(const ProjectedDensity& model, const Dataset& data, const SummaryOptions& options = {},
                               const Run& run = {});

/// The score of every number of directions, with its standard error: "candidates" of a report.
std::string dimension_scores(const Document& candidates, Index chosen);

}  // namespace condens::plot
