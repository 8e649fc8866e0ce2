#pragma once
// The data sets of Table 1 and what the paper prints for LS-CDE on them.

#include <array>
#include <optional>
#include <string>

#include "condens/data/dataset.hpp"

namespace condens::reproduce {

struct BenchmarkSet {
  const char* name;  ///< as in Table 1
  const char* file;
  Index rows;
  Index inputs;
  double mean;       ///< of the NLL over ten runs, as printed
  double deviation;  ///< what stands after the ±
};

inline constexpr std::array<BenchmarkSet, 20> benchmark_sets = {{
    {"caution", "caution.csv", 100, 2, 1.24, 0.29},  {"ftcollinssnow", "ftcollinssnow.csv", 93, 1, 1.48, 0.01},
    {"highway", "highway.csv", 39, 11, 1.71, 0.41},  {"heights", "heights.csv", 1375, 1, 1.29, 0.00},
    {"sniffer", "sniffer.csv", 125, 4, 0.69, 0.16},  {"snowgeese", "snowgeese.csv", 45, 2, 0.95, 0.10},
    {"ufc", "ufc.csv", 372, 4, 1.03, 0.01},          {"birthwt", "birthwt.csv", 189, 7, 1.43, 0.01},
    {"crabs", "crabs.csv", 200, 6, -0.07, 0.11},     {"GAGurine", "GAGurine.csv", 314, 1, 0.45, 0.04},
    {"geyser", "geyser.csv", 299, 1, 1.03, 0.00},    {"gilgais", "gilgais.csv", 365, 8, 0.73, 0.05},
    {"topo", "topo.csv", 52, 2, 0.93, 0.02},         {"BostonHousing", "Boston.csv", 506, 13, 0.82, 0.05},
    {"CobarOre", "CobarOre.csv", 38, 2, 1.58, 0.06}, {"engel", "engel.csv", 235, 1, 0.69, 0.04},
    {"mcycle", "mcycle.csv", 133, 1, 0.83, 0.03},    {"BigMac2003", "BigMac2003.csv", 69, 9, 1.32, 0.11},
    {"UN3", "UN3.csv", 125, 6, 1.42, 0.12},          {"cpus", "cpus.csv", 209, 7, 1.04, 0.07},
}};

/// Reads directory/file: inputs first, the target last. Nothing when there is no such file.
/// Throws std::invalid_argument for a file that is not the expected set.
std::optional<Dataset> load(const std::string& directory, const std::string& file, Index rows, Index inputs);

}  // namespace condens::reproduce
