#include "random_splits.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"

namespace condens {

std::vector<Split> random_splits(Index n, Index repeats, double test_fraction, std::uint64_t seed) {
  require(n >= 2, "random_splits: n = ", n, ", expected at least 2 rows, one to fit and one to test");
  require(repeats >= 1, "random_splits: repeats = ", repeats, ", expected at least 1");
  require(test_fraction > 0 && test_fraction < 1, "random_splits: test_fraction = ", test_fraction,
          ", expected a number in (0, 1)");
  const auto wanted = static_cast<Index>(std::llround(test_fraction * static_cast<double>(n)));
  const Index tests = std::clamp<Index>(wanted, 1, n - 1);
  std::vector<Split> splits;
  for (Index r = 0; r < repeats; ++r) {
    const std::vector<Index> order = RandomStream(seed, static_cast<std::uint64_t>(r)).permutation(n);
    Split split{{order.begin() + tests, order.end()}, {order.begin(), order.begin() + tests}};
    std::sort(split.train.begin(), split.train.end());
    std::sort(split.test.begin(), split.test.end());
    splits.push_back(std::move(split));
  }
  return splits;
}

std::vector<Index> random_rows(Index n, Index count, RandomStream random) {
  std::vector<Index> out = random.permutation(n);
  out.resize(static_cast<std::size_t>(std::min(n, count)));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace condens
