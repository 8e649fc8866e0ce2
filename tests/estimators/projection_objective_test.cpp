// SCE-hat and SMI-hat with their gradients: the appendix as loops, differences, weights, threads.

#include "condens/estimators/lsce/projection_objective.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "condens/core/random.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_lsce.hpp"

namespace condens::projection_objective_test {
namespace {

plain::Lsce example(Index d_x, Index d_y, Index n, Index b, std::uint64_t seed = 1) {
  plain::Lsce out{.x = normals(d_x, n, seed),
                  .y = normals(d_y, n, seed + 1),
                  .w = Vector::Ones(n),
                  .centers_x = {},
                  .centers_y = {},
                  .sigma = 0.9,
                  .sigma_y = 0.6,
                  .lambda = 0.05};
  out.y.row(0) += out.x.row(0);
  out.centers_x = out.x.leftCols(b);
  out.centers_y = out.y.leftCols(b);
  return out;
}

ProjectionObjective fast(const plain::Lsce& e, ProjectionCriterion criterion = ProjectionCriterion::plug_in) {
  TargetKernels kernels =
      e.ratio ? smi_kernels(e.y, e.w, e.centers_y, e.sigma_y) : sce_kernels(e.y, e.centers_y, e.sigma_y);
  return {e.x, e.w, e.centers_x, std::move(kernels), e.sigma, e.lambda, criterion};
}

void expect_equals_loops(const plain::Lsce& e, const Matrix& w) {
  const auto loops = e(w);
  const auto plug_in = fast(e).evaluate(w);
  const auto envelope = fast(e, ProjectionCriterion::envelope).evaluate(w);
  EXPECT_NEAR(plug_in.value, loops.plug_in, 1e-11 * std::abs(loops.plug_in));
  EXPECT_NEAR(envelope.value, loops.envelope, 1e-11 * std::abs(loops.envelope));
  const double size = loops.gradient.cwiseAbs().maxCoeff();
  EXPECT_GT(size, 1e-4);
  EXPECT_LT((plug_in.gradient - loops.gradient).cwiseAbs().maxCoeff(), 1e-10 * size);
  EXPECT_LT((envelope.gradient - loops.envelope_gradient).cwiseAbs().maxCoeff(), 1e-10 * size);
  EXPECT_LT((fast(e).coefficients(w) - loops.a).cwiseAbs().maxCoeff(), 1e-10 * loops.a.cwiseAbs().maxCoeff());
}

TEST(ProjectionObjective, EqualsTheAppendixAsLoops) {
  for (const auto& [d_x, d_z, d_y] : {std::tuple{4, 2, 1}, {3, 1, 2}, {6, 5, 3}, {2, 2, 1}, {1, 1, 1}}) {
    SCOPED_TRACE(message(d_x, " inputs, ", d_z, " directions, ", d_y, " targets"));
    expect_equals_loops(example(d_x, d_y, 70, 20), normals(d_z, d_x, 9));
  }
}

TEST(ProjectionObjective, EqualsTheAppendixWhereTheOverlapsHaveLowRank) {
  plain::Lsce e = example(3, 1, 80, 60);
  e.sigma_y = 4;  // one target, wide kernels: V has a handful of dimensions
  expect_equals_loops(e, normals(2, 3, 9));
}

TEST(ProjectionObjective, IsLsmiWithTheRowsOverlaps) {
  plain::Lsce e = example(4, 1, 60, 15);
  e.ratio = true;
  e.w = (normals(60, 1, 5).array().abs() + 0.1).matrix();
  expect_equals_loops(e, normals(2, 4, 9));
}

TEST(ProjectionObjective, WeightsAreCopies) {
  plain::Lsce e = example(3, 1, 50, 12);
  for (Index i = 0; i < 50; ++i) e.w[i] = static_cast<double>(1 + i % 3);
  const Matrix w = normals(2, 3, 9);
  expect_equals_loops(e, w);
  plain::Lsce copies = e;
  std::vector<Index> rows;
  for (Index i = 0; i < 50; ++i) {
    for (Index k = 0; k <= i % 3; ++k) rows.push_back(i);
  }
  copies.x = Matrix(e.x(Eigen::all, rows));
  copies.y = Matrix(e.y(Eigen::all, rows));
  copies.w = Vector::Ones(std::ssize(rows));
  const auto weighted = fast(e).evaluate(w);
  const auto copied = fast(copies).evaluate(w);
  EXPECT_NEAR(weighted.value, copied.value, 1e-12);
  EXPECT_LT((weighted.gradient - copied.gradient).cwiseAbs().maxCoeff(), 1e-11);
  // Their scale is of no account, and none are ones.
  EXPECT_NEAR(ProjectionObjective(e.x, 7 * e.w, e.centers_x, sce_kernels(e.y, e.centers_y, e.sigma_y), e.sigma,
                                  e.lambda, ProjectionCriterion::plug_in)
                  .evaluate(w)
                  .value,
              weighted.value, 1e-13);
  EXPECT_EQ(ProjectionObjective(copies.x, Vector(), e.centers_x, sce_kernels(copies.y, e.centers_y, e.sigma_y), e.sigma,
                                e.lambda, ProjectionCriterion::plug_in)
                .evaluate(w)
                .value,
            copied.value);
}

TEST(ProjectionObjective, GradientEqualsDifferences) {
  for (const ProjectionCriterion criterion : {ProjectionCriterion::plug_in, ProjectionCriterion::envelope}) {
    const plain::Lsce e = example(5, 1, 200, 40);
    const ProjectionObjective f = fast(e, criterion);
    Matrix w = normals(2, 5, 3);
    const Matrix gradient = f.evaluate(w).gradient;
    for (Index k = 0; k < w.size(); ++k) {
      const double step = 1e-5;
      const double here = w(k);
      w(k) = here + step;
      const double above = f.evaluate(w).value;
      w(k) = here - step;
      const double below = f.evaluate(w).value;
      w(k) = here;
      EXPECT_NEAR(gradient(k), (above - below) / (2 * step), 1e-8);
    }
  }
}

TEST(ProjectionObjective, OnlyTheRowSpaceMatters) {
  const ProjectionObjective f = fast(example(4, 1, 60, 15));
  const Matrix w = normals(2, 4, 9);
  const Matrix turn{{std::cos(0.4), -std::sin(0.4)}, {std::sin(0.4), std::cos(0.4)}};
  const auto before = f.evaluate(w);
  const auto after = f.evaluate(turn * w);
  EXPECT_NEAR(before.value, after.value, 1e-13);
  EXPECT_LT((turn * before.gradient - after.gradient).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(ProjectionObjective, FarFromTheOriginNothingIsLost) {
  const plain::Lsce e = example(3, 1, 60, 15);
  plain::Lsce moved = e;
  moved.x.array() += 1048576.0;  // a power of two: little of x is rounded
  moved.centers_x.array() += 1048576.0;
  const Matrix w = normals(2, 3, 9);
  EXPECT_LT((fast(e).evaluate(w).gradient - fast(moved).evaluate(w).gradient).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(ProjectionObjective, ThreadsDoNotChangeOneBit) {
  const plain::Lsce e = example(3, 1, 4700, 20);  // two tiles, ten tasks
  const ProjectionObjective f = fast(e);
  const Matrix w = normals(2, 3, 9);
  const auto reference = f.evaluate(w, 1);
  for (const int threads : {2, 7}) {
    const auto other = f.evaluate(w, threads);
    EXPECT_EQ(other.value, reference.value);
    EXPECT_EQ(other.gradient, reference.gradient);
    EXPECT_EQ(f.coefficients(w, threads), f.coefficients(w, 1));
  }
  // Phi of the first tile is filled twice: both tiles are in the value and in the gradient.
  const double step = 1e-5;
  Matrix moved = w;
  moved(0, 1) += step;
  EXPECT_NEAR((f.evaluate(moved).value - reference.value) / step, reference.gradient(0, 1), 1e-4);
}

TEST(ProjectionObjective, NarrowKernelsAreFinite) {
  plain::Lsce e = example(3, 1, 60, 15);
  e.sigma = 1e-3;
  e.sigma_y = 1e-3;
  const auto out = fast(e).evaluate(normals(2, 3, 9));
  EXPECT_TRUE(std::isfinite(out.value));
  EXPECT_TRUE(out.gradient.allFinite());
}

TEST(ProjectionObjective, NoSolutionIsNaN) {
  plain::Lsce e = example(3, 1, 60, 2);
  e.centers_x.col(1) = e.centers_x.col(0);
  TargetKernels kernels{Matrix::Ones(2, 60), Matrix{{1.0, 3.0}, {3.0, 1.0}}};  // not positive semidefinite
  const ProjectionObjective f(e.x, e.w, e.centers_x, kernels, 1.0, 1e-3, ProjectionCriterion::plug_in);
  EXPECT_TRUE(std::isnan(f.evaluate(Matrix::Ones(1, 3)).value));
  EXPECT_TRUE(f.coefficients(Matrix::Ones(1, 3)).array().isNaN().all());
}

TEST(ProjectionObjective, CanBeCancelled) {
  const ProjectionObjective f = fast(example(3, 1, 60, 15));
  EXPECT_THROW(f.evaluate(normals(2, 3, 9), 1, [] { throw Cancelled(); }), Cancelled);
}

// Section 2.8: where y is uniform on a range of length V, SMI-hat = -V SCE-hat - 1/2, with lambda / V for lambda.
TEST(ProjectionObjective, DensityAndRatioAreOneTaskWhereTheTargetIsUniform) {
  constexpr Index n = 400;
  constexpr double length = 10;
  plain::Lsce e = example(3, 1, n, 12);
  for (Index i = 0; i < n; ++i) e.y(0, i) = length * (static_cast<double>(i) + 0.5) / double{n};
  e.x.row(0) += e.y.row(0);
  e.sigma_y = 0.3;
  for (Index k = 0; k < e.b(); ++k) {  // no kernel reaches an end of the range
    const Index row = n / 3 + k * n / (3 * e.b());
    e.centers_x.col(k) = e.x.col(row);
    e.centers_y.col(k) = e.y.col(row);
  }
  plain::Lsce ratio = e;
  ratio.ratio = true;
  ratio.lambda = e.lambda / length;
  for (const ProjectionCriterion criterion : {ProjectionCriterion::plug_in, ProjectionCriterion::envelope}) {
    const Matrix w = normals(2, 3, 9);
    const ProjectionValue sce = fast(e, criterion).evaluate(w);
    const ProjectionValue smi = fast(ratio, criterion).evaluate(w);
    EXPECT_LT(sce.value, -1e-3);
    EXPECT_NEAR(smi.value, length * sce.value, 1e-10 * std::abs(smi.value));
    const double size = smi.gradient.cwiseAbs().maxCoeff();
    EXPECT_GT(size, 1e-4);
    EXPECT_LT((smi.gradient - length * sce.gradient).cwiseAbs().maxCoeff(), 1e-9 * size);
  }
}

// Of y = x_1 + N(0, s^2), SCE-tilde of z = cos(t) x_1 + sin(t) x_2 is that of a normal law of variance s^2 + sin(t)^2.
TEST(ProjectionObjective, EstimatesTheSquaredLossConditionalEntropy) {
  constexpr double deviation = 0.5;
  plain::Lsce e = example(2, 1, 4000, 200);
  e.y = e.x.row(0) + deviation * normals(1, e.n(), 7);
  e.centers_y = e.y.leftCols(e.b());
  e.sigma = e.sigma_y = 0.4;
  e.lambda = 1e-4;
  for (const double angle : {0.0, 0.5, 1.0, 1.5}) {
    SCOPED_TRACE(angle);
    const double spread = std::hypot(deviation, std::sin(angle));
    const double sce = -1 / (4 * std::sqrt(std::numbers::pi) * spread);
    EXPECT_NEAR(fast(e).value(Matrix{{std::cos(angle), std::sin(angle)}}), sce, -0.05 * sce);
  }
}

TEST(ProjectionObjective, NamesWhatIsWrong) {
  const plain::Lsce e = example(3, 1, 20, 5);
  const auto make = [&](const Matrix& x, const Vector& w, const Matrix& centers, TargetKernels kernels,
                        double bandwidth, double lambda) {
    return complaint([&] {
      ProjectionObjective(x, w, centers, std::move(kernels), bandwidth, lambda, ProjectionCriterion::plug_in);
    });
  };
  const TargetKernels kernels = sce_kernels(e.y, e.centers_y, 1.0);
  EXPECT_EQ(make(e.x, e.w, e.centers_x, kernels, 1, 1), "");
  EXPECT_EQ(make(e.x.leftCols(0), Vector(), e.centers_x, kernels, 1, 1),
            "ProjectionObjective: 0 rows and 5 centres, expected some of each");
  EXPECT_EQ(make(e.x, e.w, e.centers_x.topRows(2), kernels, 1, 1),
            "ProjectionObjective: centres have 2 inputs, x has 3");
  EXPECT_EQ(make(e.x, e.w.head(3), e.centers_x, kernels, 1, 1), "ProjectionObjective: 3 weights for 20 rows");
  EXPECT_EQ(make(e.x, -e.w, e.centers_x, kernels, 1, 1), "ProjectionObjective: weights must be > 0");
  EXPECT_EQ(make(e.x, e.w, e.centers_x, {kernels.values.leftCols(3), kernels.overlaps}, 1, 1),
            "ProjectionObjective: kernels of y are 5 x 3, expected 5 x 20");
  EXPECT_EQ(make(e.x, e.w, e.centers_x, {kernels.values, Matrix(2, 2)}, 1, 1),
            "ProjectionObjective: overlaps are 2 x 2, expected 5 x 5");
  EXPECT_EQ(make(e.x, e.w, e.centers_x, kernels, 0, 1), "ProjectionObjective: bandwidth = 0, expected > 0");
  EXPECT_EQ(make(e.x, e.w, e.centers_x, kernels, 1, -1), "ProjectionObjective: regularization = -1, expected > 0");
  EXPECT_EQ(make(std::nan("") * e.x, e.w, e.centers_x, kernels, 1, 1), "ProjectionObjective: numbers must be finite");
  EXPECT_EQ(complaint([&] { fast(e).evaluate(Matrix(1, 2)); }), "ProjectionObjective: W has 2 columns, expected 3");
  EXPECT_EQ(complaint([&] { fast(e).coefficients(Matrix(1, 2)); }), "ProjectionObjective: W has 2 columns, expected 3");
}

}  // namespace
}  // namespace condens::projection_objective_test
