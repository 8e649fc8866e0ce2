#include "condens/kernels/centers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "condens/core/random.hpp"
#include "support/normals.hpp"

namespace condens::centers_test {
namespace {

/// Both ways to choose, so that their common promises are tested in one place.
using Chooser = std::vector<Index> (*)(const Matrix&, const Vector&, Index, std::uint64_t);

std::vector<Index> by_chance(const Matrix& points, const Vector& weights, Index count, std::uint64_t seed) {
  return random_centers(points, weights, count, seed);
}
std::vector<Index> by_kmeans(const Matrix& points, const Vector& weights, Index count, std::uint64_t seed) {
  return kmeans_centers(points, weights, count, seed, 2);
}

class BothWays : public testing::TestWithParam<Chooser> {};
INSTANTIATE_TEST_SUITE_P(Centers, BothWays, testing::Values(&by_chance, &by_kmeans),
                         [](const auto& test) { return test.index == 0 ? "Random" : "Kmeans"; });

TEST_P(BothWays, ChooseDifferentSamplesInRange) {
  const Index n = 300;
  const Matrix points = normals(2, n, 1);
  const Vector weights = Vector::Ones(n);
  for (const Index count : {1, 2, 5, 40, 299}) {  // 50 * 5 < 300: k-means takes a subset
    const std::vector<Index> chosen = GetParam()(points, weights, count, 1);
    const std::set<Index> different(chosen.begin(), chosen.end());
    EXPECT_EQ(different.size(), chosen.size());
    EXPECT_GE(*different.begin(), 0);
    EXPECT_LT(*different.rbegin(), n);
    // Points in general position: every cluster keeps at least the sample it was seeded with or a nearer one.
    EXPECT_EQ(static_cast<Index>(chosen.size()), count);
  }
}

TEST(Centers, EqualColumnsAreFound) {
  const Matrix points{{1, 2, 1, 1, 2}, {5, 6, 5, 7, 6}};
  EXPECT_EQ(first_equal_columns(points), (std::vector<Index>{0, 1, 0, 3, 1}));
  EXPECT_TRUE(first_equal_columns(Matrix(2, 0)).empty());
  EXPECT_EQ(first_equal_columns(Matrix(0, 3)), (std::vector<Index>{0, 0, 0}));
}

TEST(Centers, OfKmeansAreNeverEqual) {
  Matrix points(2, 90);
  points << normals(2, 30, 5).replicate(1, 3);
  for (const Index count : {20, 30, 89, 200}) {
    const std::vector<Index> chosen = kmeans_centers(points, Vector::Ones(90), count, 1, 1);
    EXPECT_EQ(std::ssize(chosen), std::min<Index>(count, 30));
    const std::vector<Index> first = first_equal_columns(points(Eigen::all, chosen));
    for (Index i = 0; i < std::ssize(first); ++i) EXPECT_EQ(first[static_cast<std::size_t>(i)], i);
  }
}

TEST_P(BothWays, DependOnTheSeedOnly) {
  const Matrix points = normals(2, 400, 2);
  const Vector weights = Vector::Ones(400);
  EXPECT_EQ(GetParam()(points, weights, 6, 3), GetParam()(points, weights, 6, 3));
  EXPECT_NE(GetParam()(points, weights, 6, 3), GetParam()(points, weights, 6, 4));
}

TEST_P(BothWays, TakeAllWhenAskedForAsManyOrMore) {
  const Matrix points = normals(3, 20, 3);
  const Vector weights = Vector::Ones(20);
  for (const Index count : {20, 21, 1000}) {
    std::vector<Index> chosen = GetParam()(points, weights, count, 1);
    std::sort(chosen.begin(), chosen.end());
    ASSERT_EQ(chosen.size(), 20U);
    for (Index i = 0; i < 20; ++i) EXPECT_EQ(chosen[static_cast<std::size_t>(i)], i);
  }
  EXPECT_TRUE(GetParam()(Matrix(3, 0), Vector(0), 5, 1).empty());
}

TEST(RandomCenters, AreDrawnInProportionToTheWeights) {
  const Vector weights{{1.0, 3.0, 6.0}};
  const Matrix points = Matrix{{1.0, 2.0, 3.0}};
  constexpr int draws = 20000;
  Vector first = Vector::Zero(3);
  double second_after_last = 0;  // second is sample 1, given that the first is sample 2
  for (int seed = 0; seed < draws; ++seed) {
    const std::vector<Index> chosen = random_centers(points, weights, 2, static_cast<std::uint64_t>(seed));
    first[chosen[0]] += 1.0;
    if (chosen[0] == 2 && chosen[1] == 1) second_after_last += 1.0;
  }
  // Binomial counts: five standard deviations are left with probability 6e-7 each.
  const auto expect_share = [](double count, double n, double share) {
    EXPECT_NEAR(count / n, share, 5.0 * std::sqrt(share * (1.0 - share) / n));
  };
  for (Index i = 0; i < 3; ++i) expect_share(first[i], draws, weights[i] / 10.0);
  expect_share(second_after_last, first[2], 3.0 / 4.0);
}

TEST(RandomCenters, IgnoreTheScaleOfTheWeights) {
  const Matrix points = normals(1, 50, 9);
  const Vector weights = normals(50, 1, 4).cwiseAbs();
  EXPECT_EQ(random_centers(points, weights, 10, 1), random_centers(points, Vector(1024.0 * weights), 10, 1));
}

TEST(KmeansCenters, CoverPlantedClusters) {
  // Eight clusters of spread 1 at distances of 1e5, the smallest of 20 samples among 500.
  // k-means++ draws by squared distance: about 4 for each of 500 samples near a chosen
  // centre, 1e10 for each of 20 in a cluster without one. All ten runs miss none with
  // probability 1 - 1e-6; the subset of 400 leaves out a cluster with probability 1e-13.
  constexpr Index n = 500;
  Matrix points = normals(2, n, 5);
  std::vector<Index> cluster(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const Index k = i < 360 ? 0 : (i - 360) / 20 + 1;
    cluster[static_cast<std::size_t>(i)] = k;
    points(0, i) += 1e5 * static_cast<double>(k);
  }
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::set<Index> found;
    for (const Index i : kmeans_centers(points, Vector::Ones(n), 8, seed, 1)) {
      found.insert(cluster[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(found.size(), 8U) << seed;
  }
}

TEST(KmeansCenters, OneCenterIsTheSampleNearestToTheWeightedMean) {
  const Matrix points{{0.0, 1.0, 2.0}};
  EXPECT_EQ(kmeans_centers(points, Vector{{1.0, 1.0, 1.0}}, 1, 1, 1), std::vector<Index>{1});
  EXPECT_EQ(kmeans_centers(points, Vector{{1.0, 1.0, 100.0}}, 1, 1, 1), std::vector<Index>{2});
  EXPECT_EQ(kmeans_centers(points, Vector{{100.0, 1.0, 1.0}}, 1, 1, 1), std::vector<Index>{0});
}

TEST(KmeansCenters, AreFewerWhenPointsCoincide) {
  Matrix points(2, 30);
  for (Index i = 0; i < 30; ++i) points.col(i).setConstant(static_cast<double>(i % 3));
  const std::vector<Index> chosen = kmeans_centers(points, Vector::Ones(30), 5, 1, 2);
  std::set<double> places;
  for (const Index i : chosen) places.insert(points(0, i));
  EXPECT_EQ(chosen.size(), 3U);
  EXPECT_EQ(places, (std::set<double>{0.0, 1.0, 2.0}));

  const Matrix one_place = Matrix::Constant(2, 30, 0.1);
  EXPECT_EQ(kmeans_centers(one_place, Vector::Ones(30), 5, 1, 2).size(), 1U);
}

TEST(KmeansCenters, DoNotDependOnTheThreads) {
  const Matrix points = normals(4, 1000, 6);
  const Vector weights = normals(1000, 1, 7).cwiseAbs();
  const std::vector<Index> one = kmeans_centers(points, weights, 25, 1, 1);
  for (const int threads : {2, 7}) EXPECT_EQ(kmeans_centers(points, weights, 25, 1, threads), one);
}

TEST(KmeansCenters, CoverBetterThanChance) {
  // Mean squared distance to the nearest centre, on average over seeds.
  const Matrix points = normals(2, 600, 8);
  const Vector weights = Vector::Ones(600);
  const auto cost = [&](const std::vector<Index>& chosen) {
    double sum = 0;
    for (Index i = 0; i < points.cols(); ++i) {
      double nearest = INFINITY;
      for (const Index c : chosen) nearest = std::min(nearest, (points.col(i) - points.col(c)).squaredNorm());
      sum += nearest;
    }
    return sum / 600.0;
  };
  double covering = 0;
  double random = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    covering += cost(kmeans_centers(points, weights, 20, seed, 1));
    random += cost(random_centers(points, weights, 20, seed));
  }
  EXPECT_LT(covering, 0.8 * random);
}

}  // namespace
}  // namespace condens::centers_test
