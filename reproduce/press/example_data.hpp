#pragma once
// The examples of section 2.1, whose truth is known: (6), (7), (10), (11). alpha and beta of (10) and the noise of (11)
// are ours (errata P12).

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "condens/core/random.hpp"
#include "condens/data/dataset.hpp"

namespace condens::reproduce {

struct Example {
  const char* name;
  double (*mean)(double x);
  double deviation;
};

inline constexpr std::array<Example, 4> examples = {{
    {"independent", [](double) { return 0.0; }, 1.0},
    {"step function", [](double x) { return x > 0.5 && x < 0.75 ? 1.0 : 0.0; }, 0.5},
    {"linear", [](double x) { return 3 * x; }, 1.0},
    {"Doppler", [](double x) { return std::sqrt(x * (1 - x)) * std::sin(2.1 * std::numbers::pi / (x + 0.05)); }, 0.1},
}};

inline Vector means_at(const Example& example, const Matrix& x) { return x.row(0).transpose().unaryExpr(example.mean); }

/// `example` is one of `examples`; x is uniform on (0, 1).
inline Dataset draw(const Example& example, Index rows, Index seed) {
  RandomStream random(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(&example - examples.data()));
  Matrix x(1, rows);
  for (double& value : x.reshaped()) value = random.uniform();
  Matrix y = means_at(example, x).transpose();
  for (double& value : y.reshaped()) value += example.deviation * random.normal();
  return {.x = std::move(x), .y = std::move(y)};
}

}  // namespace condens::reproduce
