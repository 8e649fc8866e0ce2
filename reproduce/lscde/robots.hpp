#pragma once
// The robots of Table 2, by name.

#include <array>
#include <functional>
#include <string>
#include <vector>

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

template <class Simulator>
Robot make_robot(const Simulator& simulator, const std::array<Printed, 5>& printed) {
  return {simulator.name, [simulator](Index n, std::uint64_t seed) { return simulator.sample(n, seed); }, printed};
}

// clang-format off
inline constexpr std::array<std::array<Printed, 5>, 4> printed_robots = {{
    {{{1.27, 0.05}, {2.04, 0.10}, {1.44, 0.67}, not_printed, {11.24, 0.32}}},
    {{{1.38, 0.05}, {2.07, 0.10}, {1.43, 0.58}, not_printed, {11.24, 0.32}}},
    {{{1.69, 0.01}, {2.07, 0.02}, {1.90, 0.36}, not_printed, {11.03, 0.03}}},
    {{{1.86, 0.01}, {2.10, 0.01}, {1.92, 0.26}, not_printed, {11.09, 0.02}}},
}};
// clang-format on

inline std::vector<Robot> robots() {
  return {make_robot(pendulum_1(), printed_robots[0]), make_robot(pendulum_2(), printed_robots[1]),
          make_robot(khepera_1(), printed_robots[2]), make_robot(khepera_2(), printed_robots[3])};
}

/// Not of the table: the pendulums with larger errors of measurement, beside the same printed numbers.
inline std::vector<Robot> badly_measured_robots() {
  return {make_robot(badly_measured(pendulum_1()), printed_robots[0]),
          make_robot(badly_measured(pendulum_2()), printed_robots[1])};
}

/// Of Table 2, relative to LS-CDE.
inline constexpr std::array<double, 5> printed_robot_times = {1, 0.164, 1134, not_printed.mean, 0.431};

}  // namespace condens::reproduce
