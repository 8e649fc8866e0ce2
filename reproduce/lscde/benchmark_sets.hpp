#pragma once
// The data sets of Table 1, by their names in common/data_files.hpp, and what the paper prints on them.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace condens::reproduce {

struct Printed {
  double mean;       ///< of the NLL over ten runs; NaN: not printed, or not legible in the text at hand
  double deviation;  ///< what stands after the ±
};

inline constexpr Printed not_printed = {std::numeric_limits<double>::quiet_NaN(),
                                        std::numeric_limits<double>::quiet_NaN()};

/// How many standard errors our mean lies above the printed one of ten runs. The printed mean is taken to be as
/// uncertain as ours, or as uncertain as what stands after its ± makes it if that is more.
inline double standardized_difference(double mean, double error, const Printed& printed) {
  return (mean - printed.mean) / std::hypot(error, std::max(error, printed.deviation / std::sqrt(10.0)));
}

struct BenchmarkSet {
  const char* name;                ///< as in Table 1
  std::array<Printed, 5> printed;  ///< LS-CDE, eKDE, MDN, KQR, RKDE

  constexpr const Printed& lscde() const { return printed[0]; }
};

// clang-format off
inline constexpr std::array<BenchmarkSet, 20> benchmark_sets = {{
    {"caution",       {{{1.24, 0.29}, {1.25, 0.19}, {1.39, 0.18}, {1.73, 0.86}, {17.11, 0.25}}}},
    {"ftcollinssnow", {{{1.48, 0.01}, {1.53, 0.05}, {1.48, 0.03}, {2.11, 0.44}, {46.06, 0.78}}}},
    {"highway",       {{{1.71, 0.41}, {2.24, 0.64}, {7.41, 1.22}, {5.69, 1.69}, {15.30, 0.76}}}},
    {"heights",       {{{1.29, 0.00}, {1.33, 0.01}, {1.30, 0.01}, {1.29, 0.00}, {54.79, 0.10}}}},
    {"sniffer",       {{{0.69, 0.16}, {0.96, 0.15}, {0.72, 0.09}, {0.68, 0.21}, {26.80, 0.58}}}},
    {"snowgeese",     {{{0.95, 0.10}, {1.35, 0.17}, {2.49, 1.02}, {2.96, 1.13}, {28.43, 1.02}}}},
    {"ufc",           {{{1.03, 0.01}, {1.40, 0.02}, not_printed,  {1.02, 0.06}, {11.10, 0.49}}}},
    {"birthwt",       {{{1.43, 0.01}, {1.48, 0.01}, {1.46, 0.01}, {1.58, 0.05}, {15.95, 0.53}}}},
    {"crabs",         {{{-0.07, 0.11}, {0.99, 0.09}, {-0.70, 0.35}, {-1.03, 0.16}, {12.60, 0.45}}}},
    {"GAGurine",      {{{0.45, 0.04}, {0.92, 0.05}, {0.57, 0.15}, {0.40, 0.08}, {53.43, 0.27}}}},
    {"geyser",        {{{1.03, 0.00}, {1.11, 0.02}, {1.23, 0.05}, {1.10, 0.02}, {53.49, 0.38}}}},
    {"gilgais",       {{{0.73, 0.05}, {1.35, 0.03}, not_printed,  {0.45, 0.15}, {10.44, 0.50}}}},
    {"topo",          {{{0.93, 0.02}, {1.18, 0.09}, {2.11, 0.46}, {2.88, 0.85}, {10.80, 0.35}}}},
    {"BostonHousing", {{{0.82, 0.05}, {1.03, 0.05}, {0.68, 0.06}, {0.48, 0.10}, {17.81, 0.25}}}},
    {"CobarOre",      {{{1.58, 0.06}, {1.65, 0.09}, {1.63, 0.08}, {6.33, 1.77}, {11.42, 0.51}}}},
    {"engel",         {{{0.69, 0.04}, {1.27, 0.05}, {0.71, 0.16}, not_printed,  {52.83, 0.16}}}},
    {"mcycle",        {{{0.83, 0.03}, {1.25, 0.23}, {1.12, 0.10}, {0.72, 0.06}, {48.35, 0.79}}}},
    {"BigMac2003",    {{{1.32, 0.11}, {1.29, 0.14}, {2.64, 0.84}, {1.35, 0.26}, {13.34, 0.52}}}},
    {"UN3",           {{{1.42, 0.12}, {1.78, 0.14}, {1.32, 0.08}, {1.22, 0.13}, {11.43, 0.58}}}},
    {"cpus",          {{{1.04, 0.07}, {1.01, 0.10}, {-2.14, 0.13}, not_printed, {15.16, 0.72}}}},
}};
// clang-format on

/// Of Table 1, relative to LS-CDE.
inline constexpr std::array<double, 5> printed_times = {1, 0.004, 267, 0.755, 0.089};

}  // namespace condens::reproduce
