#pragma once
// What the paper leaves open, crossed: which reading gives the printed columns without reduction, which have no search
// that could fail? And with that reading, LSCE against LSMI.

#include <ostream>
#include <string>
#include <vector>

#include "studies.hpp"
#include "tables.hpp"

namespace condens::reproduce {

/// The columns None/LSCDE and None/eKDE of Table 1 under every reading: ten splits of the sets in `directory`.
Study readings_study(Scale scale, const std::string& directory);

/// For every reading how far its columns are from the printed ones, and the nearest one set by set.
void print_readings(const Report& report, std::ostream& out);

/// The cases of section 3.4 or 3.5 with x and y in [0, 1], the grid of the authors' program and held-out centres
/// masked, which is nearest with 100 centres, as LSCE/LSCDE, LSMI/LSCDE, None/LSCDE and None/eKDE.
Study simulator_reading_study(Study study);

/// LSCE/LSCDE and LSMI/LSCDE as the nearest reading has it: dataset (b), and the public sets.
Study nearest_toy_study(Scale scale, const Report& readings);
Study nearest_table_study(Scale scale, const Report& readings);

/// Error_DR and Error_CDE of LSCE and LSMI on the toy, by n, and their difference; then the columns beside the printed.
void print_nearest_toy(const Report& report, std::ostream& out);
void print_nearest_table(const Report& report, const Report& readings, std::ostream& out);

}  // namespace condens::reproduce
