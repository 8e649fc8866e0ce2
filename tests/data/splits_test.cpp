#include "data/splits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

#include "support/complaint.hpp"

namespace condens::splits_test {
namespace {

TEST(RandomSplits, EveryRowIsInExactlyOnePart) {
  for (const Split& split : random_splits(11, 20, 0.3, 7)) {
    EXPECT_EQ(split.test.size(), 3U);  // round(3.3)
    EXPECT_EQ(split.train.size(), 8U);
    EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
    EXPECT_TRUE(std::is_sorted(split.test.begin(), split.test.end()));
    std::set<Index> all(split.train.begin(), split.train.end());
    all.insert(split.test.begin(), split.test.end());
    EXPECT_EQ(all.size(), 11U);
    EXPECT_EQ(*all.begin(), 0);
    EXPECT_EQ(*all.rbegin(), 10);
  }
}

TEST(RandomSplits, DependOnSeedAndRepeatOnly) {
  const auto few = random_splits(30, 2, 0.5, 3);
  const auto many = random_splits(30, 5, 0.5, 3);
  EXPECT_EQ(few[1].test, many[1].test);
  EXPECT_NE(many[0].test, many[1].test);
  EXPECT_NE(random_splits(30, 1, 0.5, 4)[0].test, many[0].test);
}

TEST(RandomSplits, EveryRowIsTestedAsOftenAsAnyOther) {
  const Index n = 10;
  const Index repeats = 4000;
  std::vector<int> tested(n, 0);
  for (const Split& split : random_splits(n, repeats, 0.5, 1)) {
    for (const Index i : split.test) ++tested[static_cast<std::size_t>(i)];
  }
  // Binomial(4000, 1/2): standard deviation 32; five of them fail once in 2e5 seeds.
  for (const int count : tested) EXPECT_NEAR(count, 2000, 160);
}

TEST(RandomSplits, NeitherPartIsEmpty) {
  EXPECT_EQ(random_splits(2, 1, 0.01, 0)[0].test.size(), 1U);
  EXPECT_EQ(random_splits(2, 1, 0.99, 0)[0].train.size(), 1U);
}

TEST(RandomSplits, RefusesWhatCannotBeSplit) {
  EXPECT_THROW(random_splits(1, 1, 0.5, 0), std::invalid_argument);
  EXPECT_THROW(random_splits(5, 0, 0.5, 0), std::invalid_argument);
  EXPECT_THROW(random_splits(5, 1, 0.0, 0), std::invalid_argument);
  EXPECT_THROW(random_splits(5, 1, 1.0, 0), std::invalid_argument);
  EXPECT_THROW(random_splits(5, 1, std::numeric_limits<double>::quiet_NaN(), 0), std::invalid_argument);
}

TEST(TimeSplits, TestOnEachBlockAfterAllRowsBefore) {
  const std::vector<Split> splits = time_splits(10, 2, 0.5);
  ASSERT_EQ(splits.size(), 2U);
  EXPECT_EQ(splits[0].train, (std::vector<Index>{0, 1, 2, 3, 4}));
  EXPECT_EQ(splits[0].test, (std::vector<Index>{5, 6}));
  EXPECT_EQ(splits[1].train, (std::vector<Index>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(splits[1].test, (std::vector<Index>{7, 8, 9}));
}

TEST(TimeSplits, RefuseMoreBlocksThanRowsToTestOn) {
  EXPECT_EQ(complaint([] { time_splits(10, 4, 0.3); }),
            "time_splits: the last 3 of 10 rows are to be tested on in 4 blocks, expected at least one row for each; "
            "give fewer repeats or a larger test_fraction");
  EXPECT_THROW(time_splits(1, 1, 0.5), std::invalid_argument);
}

}  // namespace
}  // namespace condens::splits_test
