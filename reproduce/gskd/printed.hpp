#pragma once
// What Chen, Hong and Harris (2010) print: Tables I to IX (mean and standard deviation over the runs), and the settings
// that section IV names.

#include <array>
#include <limits>

#include "condens/core/types.hpp"

namespace condens::reproduce {

inline constexpr double not_printed = std::numeric_limits<double>::quiet_NaN();

struct Printed {
  double mean = not_printed;
  double deviation = not_printed;
};

struct PrintedEstimator {
  const char* label;
  Printed l1;          ///< to be multiplied by l1_unit
  Printed divergence;  ///< to be multiplied by divergence_unit
  Printed kernels;
  Index most;
  Index fewest;
};

/// One data size of one table.
struct PrintedTable {
  const char* name;
  const char* counts_name;  ///< the table of numbers of evaluations; "" where there is none
  std::size_t density;      ///< of densities()
  Index n;
  Index runs;
  double parzen_width;
  double skd_width;
  double rsde_width;
  Index population;   ///< P_S
  Index generations;  ///< N_G
  Index iterations;   ///< M_I
  Index components;   ///< of the GMM
  double low;         ///< a
  double high;        ///< b
  double initial_variance;
  double least_variance;
  double l1_unit;
  double divergence_unit;
  std::array<PrintedEstimator, 5> estimators;
  double skd_evaluations;
  double gskd_evaluations;
};

// clang-format off
inline constexpr std::array<PrintedTable, 7> printed_tables = {{
    {"Table I", "Table II", 0, 200, 200, 0.17, 0.3, 0.56, 10, 10, 200, 7, -4, 3, 0.1, 0.01, 1e-2, 1e-2,
     {{{"PW",   {4.1194, 1.3513}, {4.4778,  2.7741}, {200,  0},   200, 200},
       {"SKD",  {4.1886, 1.3457}, {8.2111, 11.282},  {10.2, 1.7},  15,   5},
       {"RSDE", {5.8163, 0.8358}, {6.9556,  2.5217}, {14.0, 4.3},  32,   6},
       {"GSKD", {3.9531, 1.4166}, {6.1627,  4.3911}, {6.5,  1.4},  10,   3},
       {"GMM",  {4.9829, 1.5762}, {5.6345,  3.3672}, {7,    0},     7,   7}}}, 2040, 26650},
    {"Table III", "Table IV", 1, 100, 100, 0.54, 1.1, 1.3, 10, 10, 200, 5, -12, 7, 0.1, 0.01, 1e-2, 1e-2,
     {{{"PW",   {1.9963, 0.6179}, {8.0003,  5.1662}, {100,  0},   100, 100},
       {"SKD",  {2.0213, 0.6535}, {8.1419,  5.0102}, {5.1,  1.2},   7,   2},
       {"RSDE", {2.1377, 0.4669}, {6.1213,  3.1425}, {7.9,  3.2},  24,   3},
       {"GSKD", {1.9517, 0.6702}, {7.0446,  5.1226}, {4.5,  0.9},   7,   2},
       {"GMM",  {2.4597, 0.8117}, {12.7724, 9.5317}, {5,    0},     5,   5}}}, 510, 18450},
    {"Table V", "Table VI", 2, 500, 100, 0.42, 1.1, 1.2, 20, 10, 200, 8, -8, 8, 0.4, 0.01, 1e-3, 1e-1,
     {{{"PW",   {4.0358, 0.6925}, {1.4661, 0.2281}, {500,  0},   500, 500},
       {"SKD",  {3.8379, 0.7797}, {1.4028, 0.5337}, {15.3, 3.9},  25,   8},
       {"RSDE", {4.0533, 0.4460}, {0.8961, 0.4113}, {16.2, 3.4},  24,   9},
       {"GSKD", {3.7238, 0.8046}, {1.3628, 0.5197}, {7.2,  1.3},   9,   4},
       {"GMM",  {3.1573, 0.8909}, {0.4824, 0.1297}, {8,    0},     8,   8}}}, 7650, 30240},
    {"Table VII", "Table VIII", 3, 50, 100, 0.9, 1.2, 1.2, 40, 10, 400, 4, -5, 5, 0.1, 0.01, 1e-5, 1,
     {{{"PW",   {5.0431, 0.4071}, {}, {50,   0},   50, 50},
       {"SKD",  {4.7748, 0.4973}, {}, {12.8, 2.4}, 21,  8},
       {"RSDE", {4.6236, 0.5680}, {}, {14.9, 4.5}, 30,  7},
       {"GSKD", {4.8211, 0.4346}, {}, {3.2,  1.3}, 10,  1},
       {"GMM",  {5.1407, 0.9425}, {}, {4,    0},    4,  4}}}, 640, 26880},
    {"Table VII", "Table VIII", 3, 600, 100, 0.65, 1.2, 1.2, 40, 10, 400, 5, -5, 5, 0.1, 0.01, 1e-5, 1,
     {{{"PW",   {3.5195, 0.1616}, {}, {600,  0},   600, 600},
       {"SKD",  {3.1134, 0.5335}, {}, {9.4,  1.9},  16,   7},
       {"RSDE", {2.7388, 0.4998}, {}, {14.2, 3.6},  25,   8},
       {"GSKD", {2.5624, 0.2945}, {}, {5.0,  1.0},   8,   3},
       {"GMM",  {1.5309, 0.2995}, {}, {5,    0},     5,   5}}}, 5640, 42000},
    {"Table VII", "Table VIII", 3, 1000, 100, 0.65, 1.2, 1.2, 40, 10, 400, 7, -5, 5, 0.1, 0.01, 1e-5, 1,
     {{{"PW",   {3.2710, 0.1503}, {}, {1000, 0},   1000, 1000},
       {"SKD",  {2.9484, 0.4472}, {}, {13.5, 2.9},   23,    8},
       {"RSDE", {2.4523, 0.3712}, {}, {13.9, 3.7},   28,    6},
       {"GSKD", {2.4209, 0.1882}, {}, {6.9,  0.9},    8,    4},
       {"GMM",  {1.2294, 0.2035}, {}, {7,    0},      7,    7}}}, 13500, 57960},
    {"Table IX", "", 4, 20, 100, 1.1, 1.1, 1.1, 40, 10, 400, 4, -5, 5, 0.2, 0.02, 1e-7, 1,
     {{{"PW",   {1.9488, 0.0735}, {}, {20,   0},   20, 20},
       {"SKD",  {1.9273, 0.0660}, {}, {10.0, 1.2}, 14,  7},
       {"RSDE", {1.8818, 0.0852}, {}, {19.4, 2.8}, 20,  5},
       {"GSKD", {1.8953, 0.0513}, {}, {3.7,  0.9},  6,  3},
       {"GMM",  {2.3641, 0.6243}, {}, {4,    0},    4,  4}}}, not_printed, not_printed},
}};
// clang-format on

/// The rows of printed_tables where a table begins, and how many data sizes it has.
struct PrintedGroup {
  std::size_t first;
  std::size_t count;
};
inline constexpr std::array<PrintedGroup, 5> printed_groups = {{{0, 1}, {1, 1}, {2, 1}, {3, 3}, {6, 1}}};

}  // namespace condens::reproduce
