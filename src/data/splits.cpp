#include "splits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"

namespace condens {

namespace {

/// How many of n rows are for testing: at least one, and not all.
Index rows_to_test(Index n, Index repeats, double test_fraction, std::string_view owner) {
  require(n >= 2, owner, ": n = ", n, ", expected at least 2 rows, one to fit and one to test");
  require(repeats >= 1, owner, ": repeats = ", repeats, ", expected at least 1");
  require(test_fraction > 0 && test_fraction < 1, owner, ": test_fraction = ", test_fraction,
          ", expected a number in (0, 1)");
  const auto wanted = static_cast<Index>(std::llround(test_fraction * static_cast<double>(n)));
  return std::clamp<Index>(wanted, 1, n - 1);
}

std::vector<Index> rows_between(Index first, Index end) {
  std::vector<Index> out(static_cast<std::size_t>(end - first));
  std::iota(out.begin(), out.end(), first);
  return out;
}

}  // namespace

std::vector<Split> random_splits(Index n, Index repeats, double test_fraction, std::uint64_t seed) {
  const Index tests = rows_to_test(n, repeats, test_fraction, "random_splits");
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

std::vector<Split> time_splits(Index n, Index repeats, double test_fraction) {
  const Index tests = rows_to_test(n, repeats, test_fraction, "time_splits");
  require(tests >= repeats, "time_splits: the last ", tests, " of ", n, " rows are to be tested on in ", repeats,
          " blocks, expected at least one row for each; give fewer repeats or a larger test_fraction");
  std::vector<Split> splits;
  for (Index r = 0; r < repeats; ++r) {
    const Index first = n - tests + tests * r / repeats;
    splits.push_back({rows_between(0, first), rows_between(first, n - tests + tests * (r + 1) / repeats)});
  }
  return splits;
}

std::vector<Index> random_rows(Index n, Index count, RandomStream random) {
  std::vector<Index> out = random.permutation(n);
  out.resize(static_cast<std::size_t>(std::min(n, count)));
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Index> random_rows(const std::vector<Index>& rows, Index count, RandomStream random) {
  std::vector<Index> out = random_rows(std::ssize(rows), count, random);
  for (Index& i : out) i = rows[static_cast<std::size_t>(i)];
  return out;
}

}  // namespace condens
