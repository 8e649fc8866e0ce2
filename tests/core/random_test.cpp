#include "condens/core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <utility>
#include <vector>

// All draws below come from fixed seeds, so a test passes always or never. The
// thresholds are such that a correct generator would fail with probability 1e-6.

namespace condens::random_test {
namespace {

constexpr double two_sided = 4.892;  // |z| of a standard normal exceeds this with probability 1e-6

double chi_square(const std::vector<Index>& counts, double expected) {
  double sum = 0;
  for (const Index count : counts) sum += std::pow(static_cast<double>(count) - expected, 2) / expected;
  return sum;
}

// Golden values: a seed must mean the same folds, centres and samples on every
// compiler and in every version, or saved results could not be repeated. Raw numbers,
// uniforms, integers and the permutation come from an independent program of
// SplitMix64 (big integers, checked against its published stream for 1234567); the
// normals were recorded with Boost 1.74.
TEST(RandomStream, GivesTheSameRawNumbersForEver) {
  RandomStream first(1);
  for (const std::uint64_t expected : {0x5c5b2489b31beb7bULL, 0xe6c3d212b3317fccULL, 0x278db1d3aa85d562ULL}) {
    EXPECT_EQ(first(), expected);
  }
  EXPECT_EQ(RandomStream(0)(), 0x1cd364143cce4aaeULL);
  EXPECT_EQ(RandomStream(1, 1)(), 0x991fa80b76cd5ef5ULL);
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(RandomStream(largest, largest)(), 0x1d201e766a26b319ULL);
}

TEST(RandomStream, GivesTheSameDistributionsForEver) {
  RandomStream uniforms(1);
  for (const double expected : {0x1.716c9226cc6fap-2, 0x1.cd87a4256662fp-1, 0x1.3c6d8e9d542e8p-3}) {
    EXPECT_EQ(uniforms.uniform(), expected);
  }
  RandomStream integers(1);
  for (const Index expected : {3, 9, 1, 0, 5, 4, 3, 8, 9, 3, 4, 5}) EXPECT_EQ(integers.below(10), expected);
  EXPECT_EQ(RandomStream(1).permutation(10), (std::vector<Index>{6, 5, 4, 7, 2, 9, 0, 1, 8, 3}));
  RandomStream normals(1);
  for (const double expected : {0x1.22c141f044cf2p-1, -0x1.cd0172d209504p-1, -0x1.140f1dc72a189p-2,
                                -0x1.256c80b73b6d8p-5, -0x1.a2fb626d6cc0cp-1, -0x1.68e96fb20def7p-3}) {
    EXPECT_DOUBLE_EQ(normals.normal(), expected);
  }
}

TEST(RandomStream, UniformIsUniform) {
  RandomStream random(2);
  std::vector<Index> counts(100);
  for (int i = 0; i < 100000; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ++counts.at(static_cast<std::size_t>(u * 100));
  }
  EXPECT_LT(chi_square(counts, 1000.0), 181.1);  // 99 degrees of freedom
}

TEST(RandomStream, BelowIsUniform) {
  RandomStream random(3);
  std::vector<Index> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts.at(static_cast<std::size_t>(random.below(7)));
  EXPECT_LT(chi_square(counts, 10000.0), 38.3);  // 6 degrees of freedom
  for (int i = 0; i < 10; ++i) EXPECT_EQ(random.below(1), 0);
}

TEST(RandomStream, NormalIsNormal) {
  constexpr int n = 100000;
  RandomStream random(4);
  std::vector<double> z(n);
  for (double& value : z) value = random.normal();
  std::array<double, 5> moment{};
  for (const double value : z) {
    for (int power = 1; power <= 4; ++power) moment.at(static_cast<std::size_t>(power)) += std::pow(value, power) / n;
  }
  // Variances of the first four sample moments: 1, 2, 15 and 96, over n.
  EXPECT_LT(std::abs(moment[1] - 0.0), two_sided * std::sqrt(1.0 / n));
  EXPECT_LT(std::abs(moment[2] - 1.0), two_sided * std::sqrt(2.0 / n));
  EXPECT_LT(std::abs(moment[3] - 0.0), two_sided * std::sqrt(15.0 / n));
  EXPECT_LT(std::abs(moment[4] - 3.0), two_sided * std::sqrt(96.0 / n));

  std::sort(z.begin(), z.end());
  double distance = 0;  // Kolmogorov's, between the sample and the normal law
  for (int i = 0; i < n; ++i) {
    const double law = 0.5 * std::erfc(-z[static_cast<std::size_t>(i)] / std::numbers::sqrt2);
    distance = std::max({distance, std::abs(law - (i + 1.0) / n), std::abs(law - i / static_cast<double>(n))});
  }
  EXPECT_LT(distance * std::sqrt(static_cast<double>(n)), 2.694);  // 2 exp(-2 t^2) = 1e-6
}

TEST(RandomStream, AllPermutationsAreEquallyLikely) {
  RandomStream random(5);
  std::map<std::vector<Index>, Index> seen;
  for (int i = 0; i < 24000; ++i) ++seen[random.permutation(4)];
  ASSERT_EQ(seen.size(), 24U);
  std::vector<Index> counts;
  for (const auto& [order, count] : seen) counts.push_back(count);
  EXPECT_LT(chi_square(counts, 1000.0), 71.2);  // 23 degrees of freedom
}

TEST(RandomStream, APermutationHoldsEveryNumberOnce) {
  for (Index n = 0; n < 50; ++n) {
    std::vector<Index> order = RandomStream(6).permutation(n);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(static_cast<Index>(order.size()), n);
    for (Index i = 0; i < n; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  }
}

TEST(RandomStream, StreamsAndSeedsDiffer) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (std::uint64_t stream = 0; stream < 100; ++stream) first.insert(RandomStream(seed, stream)());
  }
  EXPECT_EQ(first.size(), 10000U);  // a chance collision has probability 3e-12
}

TEST(RandomStream, NeighbouringStreamsAreUncorrelated) {
  constexpr int n = 100000;
  for (const auto& [seed, stream] : {std::pair<std::uint64_t, std::uint64_t>{8, 0}, {7, 1}}) {
    RandomStream a(7, 0);
    RandomStream b(seed, stream);
    double product = 0;
    for (int i = 0; i < n; ++i) product += (a.uniform() - 0.5) * (b.uniform() - 0.5);
    EXPECT_LT(std::abs(product * 12.0 / n), two_sided / std::sqrt(static_cast<double>(n)));
  }
}

}  // namespace
}  // namespace condens::random_test
