#pragma once
// What the fits of LSCDE on random halves say: its column of Table 1, and the worth of each part of
// the recommended preset.

#include <ostream>
#include <vector>

#include "halves.hpp"

namespace condens::reproduce {

/// `results` begin with the variants paper and recommended; `authors` are from run_authors_program.
void print_lscde_column(const std::vector<SetResults>& results, const std::vector<std::vector<double>>& authors,
                        std::ostream& out);

/// Each variant behind "recommended" against it, on the same halves.
void print_presets(const std::vector<Variant>& variants, const std::vector<SetResults>& results, std::ostream& out);

}  // namespace condens::reproduce
