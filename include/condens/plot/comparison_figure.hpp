#pragma once
// A leaderboard as a picture: models from the best to the last, and beside each name what it scored.

#include <string>
#include <vector>

#include "condens/comparison/leaderboard.hpp"

namespace condens::plot {

/// A complete SVG picture: means with standard errors of NLL, of its difference to the best (with a faint dot for
/// every split), of CRPS, coverage and time. Those among the best stand in bold. A model far behind all others is
/// shown at the edge, with its number; CRPS and time have a logarithmic axis where they differ by orders. Throws
/// std::invalid_argument for no standings.
std::string comparison_figure(const std::vector<Standing>& standings, const std::string& title);

}  // namespace condens::plot
