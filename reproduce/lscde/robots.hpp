#pragma once
// The robots of Table 2, by name.

#include <array>
#include <functional>
#include <string>

#include "benchmark_sets.hpp"
#include "condens/data/dataset.hpp"
#include "khepera.hpp"
#include "pendulum.hpp"

namespace condens::reproduce {

struct Robot {
  std::string name;
  std::function<Dataset(Index n, std::uint64_t seed)> sample;
  std::array<Printed, 5> printed;  ///< LS-CDE, eKDE, MDN, KQR (of one target only), RKDE
};

inline std::array<Robot, 4> robots() {
  const auto rows_of = [](const auto& robot) {
    return [robot](Index n, std::uint64_t seed) { return robot.sample(n, seed); };
  };
  return {{
      {"Pendulum1", rows_of(pendulum_1()), {{{1.27, 0.05}, {2.04, 0.10}, {1.44, 0.67}, not_printed, {11.24, 0.32}}}},
      {"Pendulum2", rows_of(pendulum_2()), {{{1.38, 0.05}, {2.07, 0.10}, {1.43, 0.58}, not_printed, {11.24, 0.32}}}},
      {"Khepera1", rows_of(khepera_1()), {{{1.69, 0.01}, {2.07, 0.02}, {1.90, 0.36}, not_printed, {11.03, 0.03}}}},
      {"Khepera2", rows_of(khepera_2()), {{{1.86, 0.01}, {2.10, 0.01}, {1.92, 0.26}, not_printed, {11.09, 0.02}}}},
  }};
}

/// Of Table 2, relative to LS-CDE.
inline constexpr std::array<double, 5> printed_robot_times = {1, 0.164, 1134, not_printed.mean, 0.431};

}  // namespace condens::reproduce
