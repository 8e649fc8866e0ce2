#pragma once
// The data sets of Table 1, by their names in common/data_files.hpp, and what the paper prints for LS-CDE on them.

#include <array>

namespace condens::reproduce {

struct BenchmarkSet {
  const char* name;  ///< as in Table 1
  double mean;       ///< of the NLL over ten runs, as printed
  double deviation;  ///< what stands after the ±
};

inline constexpr std::array<BenchmarkSet, 20> benchmark_sets = {{
    {"caution", 1.24, 0.29}, {"ftcollinssnow", 1.48, 0.01}, {"highway", 1.71, 0.41},  {"heights", 1.29, 0.00},
    {"sniffer", 0.69, 0.16}, {"snowgeese", 0.95, 0.10},     {"ufc", 1.03, 0.01},      {"birthwt", 1.43, 0.01},
    {"crabs", -0.07, 0.11},  {"GAGurine", 0.45, 0.04},      {"geyser", 1.03, 0.00},   {"gilgais", 0.73, 0.05},
    {"topo", 0.93, 0.02},    {"BostonHousing", 0.82, 0.05}, {"CobarOre", 1.58, 0.06}, {"engel", 0.69, 0.04},
    {"mcycle", 0.83, 0.03},  {"BigMac2003", 1.32, 0.11},    {"UN3", 1.42, 0.12},      {"cpus", 1.04, 0.07},
}};

}  // namespace condens::reproduce
