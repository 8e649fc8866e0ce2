#pragma once
// The numbers that Goerg (2017) prints, typed from its text.

#include <array>
#include <limits>

namespace condens::reproduce {

inline constexpr double not_printed = std::numeric_limits<double>::quiet_NaN();

/// Section 5.1.
struct PrintedMotorcycle {
  double states = 4;
  double freedom = 2.705;
};

/// Rows of Table 1.
struct PrintedScore {
  const char* method;
  double mse;
  double mad;
};
inline constexpr std::array<PrintedScore, 10> printed_table_1 = {{{"PRESS(10)", 5.265, 1.566},
                                                                  {"earth", 5.266, 1.592},
                                                                  {"svm", 5.279, 1.517},
                                                                  {"random Forest", 5.335, 1.567},
                                                                  {"PRESS(4)", 5.413, 1.615},
                                                                  {"lm", 5.523, 1.654},
                                                                  {"PRESS(3)", 5.556, 1.664},
                                                                  {"DNN(10x10)", 5.581, not_printed},
                                                                  {"cv.glmnet", 5.642, 1.665},
                                                                  {"mean", 10.850, 2.410}}};

/// Rows of Table 2: E(X), E(X | s_j), beta_j of the three states.
struct PrintedCoefficients {
  const char* input;
  double mean;
  std::array<double, 3> state_means;
  std::array<double, 3> coefficients;
};
inline constexpr std::array<PrintedCoefficients, 8> printed_table_2 = {
    {{"intercept", not_printed, {not_printed, not_printed, not_printed}, {-1.85, 3.85, -2.00}},
     {"length", 0.52, {0.38, 0.57, 0.59}, {3.32, -1.57, -1.75}},
     {"diameter", 0.41, {0.29, 0.45, 0.47}, {-1.71, 1.70, 0.01}},
     {"height", 0.14, {0.10, 0.15, 0.17}, {-1.73, -0.12, 1.85}},
     {"weight.w", 0.82, {0.32, 0.99, 1.16}, {-15.71, -4.40, 20.11}},
     {"weight.s", 0.36, {0.15, 0.44, 0.42}, {14.60, 4.15, -18.75}},
     {"weight.v", 0.18, {0.07, 0.22, 0.24}, {1.85, 1.44, -3.29}},
     {"weight.sh", 0.24, {0.09, 0.28, 0.38}, {-4.90, 1.25, 3.65}}}};

inline constexpr double printed_abalone_states = 10;     ///< by AIC
inline constexpr double printed_simplex_freedom = 2.51;  ///< Figure 5, J = 3

}  // namespace condens::reproduce
