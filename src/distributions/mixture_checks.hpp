#pragma once
// The messages of this room. `where` is the function as the caller wrote it.

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "core/names.hpp"

namespace condens::detail {

// Squares of deviations and of 1/scale stay finite within: of means, and of scales.
inline constexpr double largest_magnitude = 1e105;
inline constexpr double smallest_scale = 1e-105;

inline void require_univariate(Index d, std::string_view where, std::string_view instead) {
  require(d == 1, where, ": the distribution has ", d, " dimensions, this needs 1; ", instead);
}

inline void require_number(double value, std::string_view where, std::string_view name) {
  require(!std::isnan(value), where, ": ", name, " is NaN; expected a number");
}

inline void require_numbers(const MatrixView& values, std::string_view where, std::string_view name) {
  for (Index j = 0; j < values.cols(); ++j) {
    for (Index i = 0; i < values.rows(); ++i) {
      require(!std::isnan(values(i, j)), where, ": ", name, " is NaN at row ", i, ", column ", j, "; expected numbers");
    }
  }
}

inline void require_shape(const MatrixView& values, Index rows, Index cols, std::string_view where,
                          std::string_view name) {
  require(values.rows() == rows && values.cols() == cols, where, ": ", name, " is ", values.rows(), " x ",
          values.cols(), "; expected ", rows, " x ", cols);
}

inline constexpr auto kUseMarginal = "use marginal(j), or sample";

inline void require_level(double level, std::string_view where) {
  require(level >= 0.0 && level <= 1.0, where, ": level ", level, " is outside [0, 1]", share_of_percentage(level));
}

inline void require_mass(double mass, std::string_view where) {
  require(mass > 0.0 && mass < 1.0, where, ": mass ", mass, " is outside (0, 1)", share_of_percentage(mass));
}

inline void require_coordinates(const std::vector<Index>& coordinates, Index d, std::string_view where) {
  require(!coordinates.empty(), where, ": no coordinates; expected at least one of 0, ..., ", d - 1);
  for (auto j = coordinates.begin(); j != coordinates.end(); ++j) {
    require(*j >= 0 && *j < d, where, ": coordinate ", *j, "; expected one of 0, ..., ", d - 1);
    require(std::find(coordinates.begin(), j, *j) == j, where, ": coordinate ", *j, " twice; expected different ones");
  }
}

/// Shapes d x m with d, m >= 1, finite means, finite scales > 0.
void require_components(const GaussianComponents& components, std::string_view where);

}  // namespace condens::detail
