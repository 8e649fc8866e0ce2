#pragma once
// Figure 2: data with one input that matters and four of standard normal noise, seen by plain LSCDE and by LSCE; and
// the middle column of Figure 3.

#include <ostream>
#include <string>

namespace condens::reproduce {

/// Pictures and a table. Data sets that are not in `directory` are left out.
void draw_illustrations(const std::string& directory, const std::string& pictures, std::ostream& out);

/// Figure 3: histograms of y of datasets (a) and (b), 400 rows each.
void draw_histograms(const std::string& pictures, std::ostream& out);

}  // namespace condens::reproduce
