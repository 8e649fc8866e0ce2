#pragma once
// One self-contained HTML page of several figures: no network, no script, prints well.

#include <string>
#include <utility>
#include <vector>

namespace condens::plot {

struct PageFigure {
  std::string heading;
  std::string svg;  ///< put in as it is
  std::string caption;
};

/// `summary` is a table of names and values above the figures; text is escaped here.
std::string page(const std::string& title, const std::vector<std::pair<std::string, std::string>>& summary,
                 const std::vector<PageFigure>& figures);

}  // namespace condens::plot
