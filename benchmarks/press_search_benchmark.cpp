// One search of predictive state smoothing (GCV, a linear map, all rows), for press_rivals.py, which writes the file
// and does the same in NumPy and SciPy.
//
// usage: press_search_benchmark FILE
// FILE: as 8-byte integers rows, inputs, states, steps; as doubles smoothness, its weight, ridge; x row by row; y;
// theta, state by state. Prints the value and the length of its gradient at the start; then for every evaluation the
// seconds since the call, with the packing of the inputs, and the value.

#include <array>
#include <cstdint>
#include <fstream>
#include <utility>
#include <vector>

#include "condens/estimators/press/objective.hpp"
#include "measure.hpp"
#include "optim/owlqn.hpp"

using namespace condens;
using namespace condens::benchmarks;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: press_search_benchmark FILE\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const auto read = [&](auto* values, Index count) {
    file.read(reinterpret_cast<char*>(values), count * static_cast<Index>(sizeof(*values)));
  };
  std::array<std::int64_t, 4> sizes{};
  std::array<double, 3> numbers{};
  read(sizes.data(), std::ssize(sizes));
  read(numbers.data(), std::ssize(numbers));
  const auto [n, d, states, steps] = sizes;
  const PressMap map(d, states);
  Matrix x(d, n);
  Matrix y(1, n);
  Vector start(map.n_parameters());
  read(x.data(), x.size());
  read(y.data(), y.size());
  read(start.data(), start.size());
  if (!file) {
    std::fprintf(stderr, "press_search_benchmark: %s does not hold what its first numbers say\n", argv[1]);
    return 1;
  }
  keep_freed_memory();
  const Dataset rows{.x = std::move(x), .y = std::move(y), .weights = Vector::Ones(n)};

  struct Seen {
    double seconds, value;
  };
  std::vector<Seen> seen;
  const int threads = resolve_threads(0);
  const double begin = now();
  const PressPenalties penalties{.smoothness = numbers[0], .smoothness_weight = numbers[1], .ridge = numbers[2]};
  const PressObjective criterion(rows, map, PressCriterion::gcv, penalties, pack_inputs(rows.x, threads));
  const auto objective = [&](const Vector& theta, Vector& gradient) {
    PressEvaluation found = criterion.evaluate(theta, Vector(), threads);
    gradient = std::move(found.gradient);
    if (seen.empty()) std::printf("%.17g %.17g\n", found.value, gradient.norm());
    seen.push_back({now() - begin, found.value});
    return found.value;
  };

  minimize_l1(objective, start, Vector::Zero(start.size()),
              {.max_iterations = steps, .gradient_tolerance = 0, .value_tolerance = 0});
  for (const Seen& one : seen) std::printf("%.6f %.17g\n", one.seconds, one.value);
}
