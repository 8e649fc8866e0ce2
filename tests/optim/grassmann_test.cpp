// Minimisation over subspaces: problems with known answers, the paper's geodesic, bad values.

#include "optim/grassmann.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <numbers>

#include "condens/core/errors.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::grassmann_test {
namespace {

/// tr(W A W') is least on the eigenvectors of the least eigenvalues.
struct Trace {
  Matrix a;
  explicit Trace(Index d, std::uint64_t seed = 1) {
    const Matrix r = normals(d, d, seed);
    a = r * r.transpose() / static_cast<double>(d);
  }
  double operator()(const Matrix& w, Matrix& gradient) const {
    gradient = 2.0 * w * a;
    return (w * a * w.transpose()).trace();
  }
  Matrix solution(Index k) const {
    return Eigen::SelfAdjointEigenSolver<Matrix>(a).eigenvectors().leftCols(k).transpose();
  }
  double least(Index k) const { return Eigen::SelfAdjointEigenSolver<Matrix>(a).eigenvalues().head(k).sum(); }
};

double departure_from_orthonormal(const Matrix& w) {
  return (w * w.transpose() - Matrix::Identity(w.rows(), w.rows())).cwiseAbs().maxCoeff();
}

/// The paper's W_t: the first rows of exp(-t [0, G W_perp'; -W_perp G', 0]) [W; W_perp].
Matrix geodesic_of_the_paper(const Matrix& w, const Matrix& gradient, double t) {
  const Index k = w.rows();
  const Index d = w.cols();
  const Matrix q = Eigen::HouseholderQR<Matrix>(w.transpose()).householderQ();
  const Matrix perp = q.rightCols(d - k).transpose();
  Matrix generator = Matrix::Zero(d, d);
  generator.topRightCorner(k, d - k) = gradient * perp.transpose();
  generator.bottomLeftCorner(d - k, k) = -generator.topRightCorner(k, d - k).transpose();
  // exp(A) = exp(A / 2^10)^(2^10), the small one by its series.
  const Matrix small = -t / 1024 * generator;
  Matrix power = Matrix::Identity(d, d);
  Matrix sum = power;
  for (int n = 1; n < 20; ++n) {
    power = power * small / n;
    sum += power;
  }
  for (int n = 0; n < 10; ++n) sum = sum * sum;
  Matrix frame(d, d);
  frame << w, perp;
  return (sum * frame).topRows(k);
}

TEST(Grassmann, TheGeodesicIsThatOfThePaper) {
  const Matrix w = orthonormal_rows(normals(2, 5, 1));
  const Matrix gradient = normals(2, 5, 2);
  for (const double t : {0.0, 1e-6, 0.1, 1.0, 7.0}) {
    const Matrix at = geodesic(w, gradient, t);
    EXPECT_LT(departure_from_orthonormal(at), 1e-13) << t;
    EXPECT_LT((at - geodesic_of_the_paper(w, gradient, t)).cwiseAbs().maxCoeff(), 1e-11) << t;
  }
  // Minus the natural gradient at 0 (errata R2).
  const Matrix natural = gradient - gradient * w.transpose() * w;
  EXPECT_LT(((geodesic(w, gradient, 1e-6) - w) / 1e-6 + natural).cwiseAbs().maxCoeff(), 1e-4);
  // A gradient of less than full rank, and none.
  Matrix flat = gradient;
  flat.row(1).setZero();
  EXPECT_LT((geodesic(w, flat, 0.7) - geodesic_of_the_paper(w, flat, 0.7)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((geodesic(w, Matrix::Zero(2, 5), 3.0) - w).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Grassmann, BothFindTheLeastEigenvectors) {
  for (const auto& [k, d] : {std::pair{1, 6}, {3, 8}, {2, 30}, {4, 4}}) {
    const Trace trace(d);
    const Matrix start = normals(k, d, 4);
    for (const bool lifted : {true, false}) {
      SCOPED_TRACE(message(k, " of ", d, lifted ? ", lifted" : ", geodesics"));
      const SubspaceSettings settings{.max_iterations = 5000, .value_tolerance = 1e-15};
      const SubspaceResult found =
          lifted ? minimize_lifted(trace, start, settings) : descend_geodesics(trace, start, settings);
      EXPECT_NEAR(found.value, trace.least(k), 1e-9);
      EXPECT_LT(departure_from_orthonormal(found.w), 1e-13);
      EXPECT_LT(principal_angles(found.w, trace.solution(k)).maxCoeff(), 1e-3);
      EXPECT_FALSE(found.interrupted);
      EXPECT_LE(found.projected_gradient, 1e-4);
    }
  }
}

TEST(Grassmann, QuasiNewtonStepsNeedFewerEvaluations) {
  const Trace trace(30);
  const Matrix start = normals(2, 30, 4);
  const SubspaceSettings settings{.max_iterations = 5000, .value_tolerance = 1e-15};
  EXPECT_LT(2 * minimize_lifted(trace, start, settings).evaluations,
            descend_geodesics(trace, start, settings).evaluations);
}

TEST(Grassmann, StepsBackFromWhereNothingIsDefined) {
  const Trace trace(6);
  const Matrix start = normals(2, 6, 4);
  Matrix gradient(2, 6);
  const double first = trace(orthonormal_rows(start), gradient);
  int undefined = 0;
  const auto partly = [&](const Matrix& w, Matrix& out) {
    const double value = trace(w, out);
    if (value > first + 1e-12) return value;
    if (std::abs(value - 0.5 * (first + trace.least(2))) < 0.05) {  // a ring on the way down
      ++undefined;
      out.setConstant(std::nan(""));
      return undefined % 2 == 0 ? std::nan("") : -std::numeric_limits<double>::infinity();
    }
    return value;
  };
  for (const bool lifted : {true, false}) {
    undefined = 0;
    const SubspaceResult found = lifted ? minimize_lifted(partly, start) : descend_geodesics(partly, start);
    EXPECT_GT(undefined, 0);
    EXPECT_LT(found.value, first);
    EXPECT_TRUE(found.w.allFinite());
  }
  const auto nowhere = [](const Matrix&, Matrix&) { return std::nan(""); };
  EXPECT_THROW(minimize_lifted(nowhere, start), NumericalError);
  EXPECT_THROW(descend_geodesics(nowhere, start), NumericalError);
}

TEST(Grassmann, ReturnsTheBestSoFarWhenStopped) {
  const Trace trace(20);
  const Matrix start = normals(2, 20, 4);
  Matrix gradient(2, 20);
  const double first = trace(orthonormal_rows(start), gradient);
  for (const bool lifted : {true, false}) {
    int calls = 0;
    const auto stop = [&] { return ++calls > 8; };
    const SubspaceResult found =
        lifted ? minimize_lifted(trace, start, {}, stop) : descend_geodesics(trace, start, {}, stop);
    EXPECT_TRUE(found.interrupted);
    EXPECT_EQ(found.evaluations, 8);
    EXPECT_LT(found.value, first);
    EXPECT_DOUBLE_EQ(trace(found.w, gradient), found.value);
    const SubspaceResult none = lifted ? minimize_lifted(trace, start, {}, [] { return true; })
                                       : descend_geodesics(trace, start, {}, [] { return true; });
    EXPECT_TRUE(none.interrupted);
    EXPECT_TRUE(std::isnan(none.value));
    EXPECT_EQ(none.w, orthonormal_rows(start));
    const auto cancel = []() -> bool { throw Cancelled(); };
    EXPECT_THROW(lifted ? minimize_lifted(trace, start, {}, cancel) : descend_geodesics(trace, start, {}, cancel),
                 Cancelled);
  }
}

TEST(Grassmann, StopsAtItsLimits) {
  const Trace trace(20);
  const Matrix start = normals(2, 20, 4);
  for (const bool lifted : {true, false}) {
    const auto search = [&](const SubspaceSettings& settings) {
      return lifted ? minimize_lifted(trace, start, settings) : descend_geodesics(trace, start, settings);
    };
    EXPECT_EQ(search({.max_iterations = 3}).iterations, 3);
    EXPECT_EQ(search({.max_iterations = 3}).status, LbfgsStatus::iteration_limit);
    EXPECT_EQ(search({.gradient_tolerance = 1e3}).status, LbfgsStatus::converged);
    EXPECT_EQ(search({.gradient_tolerance = 0, .value_tolerance = 0.1}).status, LbfgsStatus::flat);
  }
}

TEST(Grassmann, AnglesBetweenSubspaces) {
  const double angle = 1e-9;
  const Matrix a{{1, 0, 0}, {0, 1, 0}};
  const Matrix b{{std::cos(angle), 0, std::sin(angle)}, {0, 1, 0}};
  EXPECT_NEAR(principal_angles(a, b)[0], angle, 1e-15);
  EXPECT_NEAR(principal_angles(a, b)[1], 0.0, 1e-15);
  const Matrix c = Matrix::Identity(3, 3).bottomRows(1);
  EXPECT_NEAR(principal_angles(a, c)[0], std::numbers::pi / 2, 1e-15);
  EXPECT_EQ(principal_angles(c, a).size(), 1);
  const Matrix turned = Matrix{{std::cos(1.0), -std::sin(1.0)}, {std::sin(1.0), std::cos(1.0)}} * a;
  EXPECT_LT(principal_angles(a, turned).maxCoeff(), 1e-15);
  const Matrix plain = orthonormal_rows(normals(2, 6, 1));
  const Matrix other = orthonormal_rows(normals(2, 6, 2));
  const Vector angles = principal_angles(plain, other);
  // The Frobenius distance of projections, the paper's error, is sqrt(2) times the norm of the sines.
  EXPECT_NEAR((plain.transpose() * plain - other.transpose() * other).norm(),
              std::numbers::sqrt2 * angles.array().sin().matrix().norm(), 1e-13);
  EXPECT_EQ(principal_angles(Matrix(0, 3), a).size(), 0);
}

TEST(Grassmann, NamesWhatIsWrong) {
  const Trace trace(3);
  EXPECT_EQ(complaint([&] { minimize_lifted(trace, normals(4, 3, 1)); }),
            "subspace of 4 dimensions among 3, expected no more than that");
  EXPECT_EQ(complaint([&] { descend_geodesics(trace, Matrix::Ones(2, 3)); }),
            "subspace: the rows of the start are not independent");
  EXPECT_EQ(complaint([&] { principal_angles(Matrix(1, 2), Matrix(1, 3)); }),
            "principal_angles: spaces of 2 and 3 coordinates");
}

}  // namespace
}  // namespace condens::grassmann_test
