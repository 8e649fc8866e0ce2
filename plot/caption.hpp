#pragma once
// The text below a figure: remarks, and where the inputs that do not move stand.

#include <string>
#include <vector>

namespace condens::plot {

constexpr double beside_share = 0.1;  // of the height: what legend and caption may take together
constexpr double caption_size = 9.5;
constexpr double caption_pitch = 12.0;

struct Caption {
  std::vector<std::string> remarks = {};  ///< sentences
  std::string lead = {};                  ///< before the items: "Other inputs at "
  std::vector<std::string> items = {};    ///< "age = 30": never parted; those that do not fit are counted
  std::string tail = {};                  ///< after the items, where all of them fit
};

/// At most `most` lines of `width` pixels.
std::vector<std::string> caption_lines(const Caption& caption, double width, int most);

}  // namespace condens::plot
