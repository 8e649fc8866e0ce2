// The criterion of candidate kernels, two at a time in vector code, against equations 62 to 68 as
// plain loops; its gradient against differences; and what the searches do with it.

#include "estimators/gskd/stage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "estimators/gskd/kernel_search.hpp"
#include "estimators/parzen/width.hpp"
#include "support/normals.hpp"

namespace condens::kernel_stage_test {
namespace {

struct Kernel {
  Vector center;
  Vector scale;
};

std::vector<double> plain_column(const Matrix& z, const Vector& weights, const Kernel& kernel) {
  std::vector<double> out;
  for (Index k = 0; k < z.cols(); ++k) {
    double density = std::sqrt(weights[k]);
    for (Index i = 0; i < z.rows(); ++i) {
      const double u = (z(i, k) - kernel.center[i]) / kernel.scale[i];
      density *= std::exp(-0.5 * u * u) / (std::sqrt(2 * std::numbers::pi) * kernel.scale[i]);
    }
    out.push_back(density);
  }
  return out;
}

/// J_1, ..., J_n by classical Gram-Schmidt.
std::vector<double> plain_path(const Matrix& z, const Vector& weights, const Vector& target,
                               const std::vector<Kernel>& kernels, double share) {
  const auto n = static_cast<std::size_t>(z.cols());
  std::vector<std::vector<double>> w;
  std::vector<double> eps(n);
  std::vector<double> eta(n, 1.0);
  for (std::size_t k = 0; k < n; ++k)
    eps[k] = std::sqrt(weights[static_cast<Index>(k)]) * target[static_cast<Index>(k)];
  const std::vector<double> t = eps;
  std::vector<double> path;
  for (const Kernel& kernel : kernels) {
    const std::vector<double> phi = plain_column(z, weights, kernel);
    std::vector<double> own = phi;
    for (const auto& before : w) {
      double product = 0;
      double square = 0;
      for (std::size_t k = 0; k < n; ++k) {
        product += before[k] * phi[k];
        square += before[k] * before[k];
      }
      for (std::size_t k = 0; k < n; ++k) own[k] -= product / square * before[k];
    }
    double kappa = 0;
    double with_target = 0;
    for (std::size_t k = 0; k < n; ++k) {
      kappa += own[k] * own[k] + share * phi[k] * phi[k];
      with_target += own[k] * t[k];
    }
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
      eps[k] -= with_target / kappa * own[k];
      eta[k] -= own[k] * own[k] / kappa;
      sum += std::pow(eps[k] / eta[k], 2);
    }
    path.push_back(sum / weights.sum());
    w.push_back(own);
  }
  return path;
}

struct Problem {
  Matrix z;
  Vector weights;
  Vector target;
  std::vector<Kernel> kernels;

  Problem(Index d, Index n, Index count, std::uint64_t seed = 1) {
    RandomStream random(seed);
    z = normals(d, n, random);
    weights = normals(n, 1, random).cwiseAbs().array() + 0.5;
    target = n < 1000 ? parzen_density(z, weights, Vector::Constant(d, 0.6), false) : Vector::Constant(n, 0.1);
    for (Index l = 0; l < count; ++l) {
      kernels.push_back({normals(d, 1, random), (0.4 * normals(d, 1, random)).array().exp()});
    }
  }
};

constexpr RegressionPenalty penalty{1e-4, true};

OrthogonalRegression regress(const Problem& p, const KernelRows& rows, std::size_t count) {
  OrthogonalRegression out(rows.target, penalty, rows.total_weight);
  for (std::size_t l = 0; l < count; ++l) out.add(rows.column(p.kernels[l].center, p.kernels[l].scale));
  return out;
}

TEST(KernelStage, ColumnsAreKernelsToTheRoundingOfTheirExponents) {
  for (const auto& [d, n] : {std::pair{1, 7}, {4, 128}, {6, 300}, {9, 257}}) {
    Problem p(d, n, 8);
    p.z.col(0).setConstant(25);  // some 300 d widths^2 / 2 away: a kernel of 1e-130, or less than there is
    const KernelRows rows = KernelRows::of(p.z, p.weights, p.target);
    for (const Kernel& kernel : p.kernels) {
      const Vector column = rows.column(kernel.center, kernel.scale);
      const std::vector<double> plain = plain_column(p.z, p.weights, kernel);
      for (Index k = 0; k < n; ++k) {
        const double expected = plain[static_cast<std::size_t>(k)] / rows.unit;
        // Scale and shift are rounded three times before they are squared: six half units of the exponent.
        const double rounding = 1e-15 * (10 + std::min(std::abs(std::log(expected)), 745.0));
        EXPECT_NEAR(column[k], expected, std::max(rounding * expected, 1e-307)) << d << ' ' << k;
      }
      EXPECT_LT(column.tail(rows.size() - n).sum(), 1e-300) << "rows that fill up the last vector";
    }
  }
}

TEST(KernelStage, EqualsThePapersEquations) {
  // Dimensions around the groups of four, rows around the tiles, candidates odd and even.
  for (const auto& [d, n] : {std::pair{1, 7}, {2, 33}, {4, 128}, {5, 200}, {6, 300}, {9, 257}}) {
    const Problem p(d, n, 8);
    const KernelRows rows = KernelRows::of(p.z, p.weights, p.target);
    for (const std::size_t chosen : {0, 1, 4, 5}) {
      const OrthogonalRegression regression = regress(p, rows, chosen);
      const std::size_t candidates = p.kernels.size() - chosen;
      Matrix centers(d, candidates);
      Matrix scales(d, candidates);
      for (std::size_t m = 0; m < candidates; ++m) {
        centers.col(static_cast<Index>(m)) = p.kernels[chosen + m].center;
        scales.col(static_cast<Index>(m)) = p.kernels[chosen + m].scale;
      }
      Vector found(centers.cols());
      KernelStage stage({rows, regression, penalty});
      stage.values(centers, scales, 1, found);
      for (std::size_t m = 0; m < candidates; ++m) {
        std::vector<Kernel> all(p.kernels.begin(), p.kernels.begin() + static_cast<std::ptrdiff_t>(chosen));
        all.push_back(p.kernels[chosen + m]);
        const std::vector<double> path = plain_path(p.z, p.weights, p.target, all, penalty.value);
        const double before =
            chosen > 0 ? path[chosen - 1] : (p.weights.array() * p.target.array().square()).sum() / p.weights.sum();
        const auto at = static_cast<Index>(m);
        EXPECT_NEAR(found[at], path.back() / before, 1e-9 * found[at]) << d << ' ' << n << ' ' << chosen;
        Vector gradient(2 * d);
        EXPECT_NEAR(stage.value(centers.col(at), scales.col(at).array().log().matrix(), gradient), found[at],
                    1e-9 * found[at]);
      }
    }
  }
}

TEST(KernelStage, CumulativeColumnsAreDistributionFunctions) {
  const Problem p(3, 70, 4);
  const KernelRows rows = KernelRows::of(p.z, p.weights, p.target, true);
  Matrix centers(3, 4);
  Matrix scales(3, 4);
  for (Index l = 0; l < 4; ++l) {
    const Kernel& kernel = p.kernels[static_cast<std::size_t>(l)];
    centers.col(l) = kernel.center;
    scales.col(l) = kernel.scale;
    const Vector column = rows.column(kernel.center, kernel.scale);
    for (Index k = 0; k < 70; ++k) {
      double expected = std::sqrt(p.weights[k]) / rows.unit;
      for (Index i = 0; i < 3; ++i)
        expected *= 0.5 * std::erfc(-(p.z(i, k) - kernel.center[i]) / (std::sqrt(2.0) * kernel.scale[i]));
      EXPECT_NEAR(column[k], expected, 1e-13 * expected);
    }
    EXPECT_EQ(column.tail(rows.size() - 70).sum(), 0.0);
  }
  const OrthogonalRegression regression(rows.target, penalty, rows.total_weight);
  KernelStage stage({rows, regression, penalty});
  Vector found(4);
  stage.values(centers, scales, 1, found);
  Vector gradient(6);
  for (Index l = 0; l < 4; ++l) {
    OrthogonalRegression with = regression;
    with.add(rows.column(centers.col(l), scales.col(l)));
    EXPECT_NEAR(found[l], with.criterion() / regression.criterion(), 1e-12 * found[l]);
    EXPECT_NEAR(stage.value(centers.col(l), scales.col(l).array().log().matrix(), gradient), found[l], 1e-9 * found[l]);
  }
}

TEST(KernelStage, ItsGradientIsThatOfDifferences) {
  for (const auto& [relative, cumulative] : {std::pair{true, false}, {false, false}, {true, true}, {false, true}}) {
    const Problem p(3, 60, 4);
    const KernelRows rows = KernelRows::of(p.z, p.weights, p.target, cumulative);
    const RegressionPenalty own{relative ? 1e-2 : 0.3, relative};
    OrthogonalRegression regression(rows.target, own, rows.total_weight);
    for (std::size_t l = 0; l < 3; ++l) regression.add(rows.column(p.kernels[l].center, p.kernels[l].scale));
    const KernelStage stage({rows, regression, own});
    Vector u(6);
    u << p.kernels[3].center, p.kernels[3].scale.array().log().matrix();
    Vector gradient(6);
    Vector unused(6);
    stage.value(u.head(3), u.tail(3), gradient);
    for (Index k = 0; k < 6; ++k) {
      constexpr double step = 1e-5;
      Vector above = u;
      Vector below = u;
      above[k] += step;
      below[k] -= step;
      const double difference =
          stage.value(above.head(3), above.tail(3), unused) - stage.value(below.head(3), below.tail(3), unused);
      EXPECT_NEAR(gradient[k], difference / (2 * step), 1e-8) << k;
    }
  }
}

TEST(KernelStage, ThreadsDoNotChangeOneBit) {
  const Problem p(2, 20000, 40);
  const KernelRows rows = KernelRows::of(p.z, p.weights, p.target);
  const OrthogonalRegression regression = regress(p, rows, 3);
  Matrix centers(2, 37);
  Matrix scales(2, 37);
  for (Index m = 0; m < 37; ++m) {
    centers.col(m) = p.kernels[static_cast<std::size_t>(m + 3)].center;
    scales.col(m) = p.kernels[static_cast<std::size_t>(m + 3)].scale;
  }
  Vector expected(37);
  KernelStage({rows, regression, penalty}).values(centers, scales, 1, expected);
  for (const int threads : {2, 7}) {
    Vector found(37);
    KernelStage({rows, regression, penalty}).values(centers, scales, threads, found);
    EXPECT_EQ(found, expected);
  }
}

TEST(KernelStage, AKernelThatAddsNothingChangesNothing) {
  // It misses all rows, or repeats one that is there (errata D11).
  const Problem p(2, 50, 1);
  const KernelRows rows = KernelRows::of(p.z, p.weights, p.target);
  const OrthogonalRegression regression = regress(p, rows, 1);
  Matrix centers(2, 2);
  centers << p.kernels[0].center, Vector::Constant(2, 1e5);
  Matrix scales(2, 2);
  scales << p.kernels[0].scale, Vector::Constant(2, 0.1);
  KernelStage stage({rows, regression, {0, true}});
  Vector found(2);
  stage.values(centers, scales, 1, found);
  EXPECT_EQ(found, Vector::Ones(2));
  Vector gradient = Vector::Ones(4);
  EXPECT_EQ(stage.value(centers.col(1), scales.col(1).array().log().matrix(), gradient), 1.0);
  EXPECT_EQ(gradient, Vector::Zero(4));
}

TEST(KernelStage, ANarrowKernelAtOneRowIsNoBargain) {
  // It explains its row wholly, which then has no leverage left to judge by: J is very large or infinite.
  const Problem p(2, 50, 1);
  const KernelRows rows = KernelRows::of(p.z, p.weights, p.target);
  const OrthogonalRegression regression = regress(p, rows, 1);
  KernelStage stage({rows, regression, {0, true}});
  Vector found(1);
  stage.values(p.z.col(3), Vector::Constant(2, 1e-4), 1, found);
  EXPECT_GT(found[0], 1.0);
  EXPECT_TRUE(std::isfinite(found[0]));
}

TEST(KernelStage, OfNegativeWeightsNothingIsTakenWhereTheyMustBePositive) {
  const Problem p(1, 40, 1);
  const KernelRows rows = KernelRows::of(p.z, p.weights, p.target);
  const OrthogonalRegression negative(-rows.target, penalty, rows.total_weight);
  const Matrix center = p.kernels[0].center;
  const Matrix scale = p.kernels[0].scale;
  Vector found(1);
  KernelStage({rows, negative, penalty}).values(center, scale, 1, found);
  EXPECT_LT(found[0], 1.0);
  KernelStage nonnegative({rows, negative, penalty, true});
  nonnegative.values(center, scale, 1, found);
  EXPECT_EQ(found[0], 1.0);
  Vector gradient(2);
  EXPECT_EQ(nonnegative.value(center.col(0), scale.col(0).array().log().matrix(), gradient), 1.0);
}

TEST(KernelSearch, BothFindTheKernelThatMadeTheTarget) {
  Problem p(2, 200, 1);
  const Kernel truth{Vector{{0.4, -0.3}}, Vector{{0.6, 0.9}}};
  const std::vector<double> column = plain_column(p.z, Vector::Ones(200), truth);
  const KernelRows rows = KernelRows::of(p.z, p.weights, 2.5 * Eigen::Map<const Vector>(column.data(), 200));
  const OrthogonalRegression regression(rows.target, {0, true}, rows.total_weight);
  const KernelBox box{Vector::Constant(2, -3.0), Vector::Constant(2, 3.0), Vector::Constant(2, 0.1),
                      Vector::Constant(2, 3.0)};
  const KernelProblem problem{rows, regression, {0, true}};
  const FoundKernel exact = search_by_gradient(problem, box, {}, 1, {});
  EXPECT_LT((exact.center - truth.center).norm() + (exact.scale - truth.scale).norm(), 1e-5);
  EXPECT_LT(exact.share, 1e-9);
  EXPECT_GT(exact.gradients, 0);
  EXPECT_EQ(exact.evaluations, exact.gradients + 80);
  const BoostingSettings settings{.population = 20, .generations = 6, .iterations = 150};
  const FoundKernel near = search_by_boosting(problem, box, settings, 1, {});
  EXPECT_LT(near.share, 0.2);
  Vector unused(4);
  EXPECT_NEAR(KernelStage(problem).value(near.center, near.scale.array().log().matrix(), unused), near.share, 1e-9);
  EXPECT_EQ(near.evaluations, boosting_evaluations(settings));
  for (const int threads : {2, 7}) {
    const FoundKernel again = search_by_gradient(problem, box, {}, threads, {});
    EXPECT_EQ(again.center, exact.center);
    EXPECT_EQ(again.scale, exact.scale);
  }
}

}  // namespace
}  // namespace condens::kernel_stage_test
