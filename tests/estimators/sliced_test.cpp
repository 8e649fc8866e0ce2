// SIR and SAVE against the textbook's formulas, planted subspaces, and what breaks a covariance.

#include "condens/estimators/sliced/directions.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>

#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::sliced_test {
namespace {

/// y of one direction of five correlated inputs, monotone (for SIR) or even (for SAVE).
Dataset planted(Index n, bool even, std::uint64_t seed = 1) {
  const Matrix mix = Matrix::Identity(5, 5) + 0.3 * normals(5, 5, 99);
  const Matrix x = mix * normals(5, n, seed);
  const Matrix noise = normals(1, n, seed + 1000);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const double z = (x(0, i) - 2 * x(3, i)) / std::sqrt(5.0);
    y(0, i) = (even ? z * z : z + 0.2 * z * z * z) + 0.2 * noise(0, i);
  }
  return {.x = x, .y = y};
}

const Matrix truth = Matrix{{1, 0, 0, -2, 0}} / std::sqrt(5.0);

/// Distance between two subspaces, given orthonormal rows: |P - Q|_F.
double distance(const Matrix& a, const Matrix& b) { return (a.transpose() * a - b.transpose() * b).norm(); }

/// The directions as the textbook computes them: slices of equal size, the symmetric root of
/// the covariance, and no weights. n must be a multiple of n_slices, and no y equal another.
Matrix plain(const Dataset& data, SlicedMethod method, Index n_slices, Index count) {
  const Index n = data.size();
  const Index d = data.x.rows();
  const Matrix centred = data.x.colwise() - Vector(data.x.rowwise().mean());
  const Matrix covariance = centred * centred.transpose() / static_cast<double>(n);
  const Matrix root = Eigen::SelfAdjointEigenSolver<Matrix>(covariance).operatorInverseSqrt();
  const Matrix u = root * centred;
  std::vector<Index> order;
  for (Index i = 0; i < n; ++i) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return data.y(0, a) < data.y(0, b); });
  Matrix m = Matrix::Zero(d, d);
  const Index size = n / n_slices;
  for (Index h = 0; h < n_slices; ++h) {
    Vector mean = Vector::Zero(d);
    for (Index i = h * size; i < (h + 1) * size; ++i) mean += u.col(order[static_cast<std::size_t>(i)]);
    mean /= static_cast<double>(size);
    Matrix spread = Matrix::Zero(d, d);
    for (Index i = h * size; i < (h + 1) * size; ++i) {
      const Vector away = u.col(order[static_cast<std::size_t>(i)]) - mean;
      spread += away * away.transpose() / static_cast<double>(size);
    }
    const Matrix lost = Matrix::Identity(d, d) - spread;
    m += (method == SlicedMethod::sir ? Matrix(mean * mean.transpose()) : Matrix(lost * lost)) /
         static_cast<double>(n_slices);
  }
  const Matrix vectors = Eigen::SelfAdjointEigenSolver<Matrix>(m).eigenvectors().rightCols(count);
  const Eigen::HouseholderQR<Matrix> qr(root * vectors);
  return (qr.householderQ() * Matrix::Identity(d, count)).transpose();
}

class Sliced : public ::testing::TestWithParam<SlicedMethod> {
 protected:
  bool save() const { return GetParam() == SlicedMethod::save; }
};

TEST_P(Sliced, EqualsTheTextbook) {
  const Dataset data = planted(120, save());
  const SlicedBasis found = sliced_basis(data, GetParam(), 6);
  ASSERT_EQ(found.components.rows(), 5) << "the covariance is regular";
  EXPECT_LT((found.components * found.components.transpose() - Matrix::Identity(5, 5)).norm(), 1e-12);
  for (Index k = 1; k <= 4; ++k) {
    EXPECT_LT(distance(found.components.topRows(k), plain(data, GetParam(), 6, k)), 1e-9) << k;
    EXPECT_GE(found.eigenvalues[k - 1], found.eigenvalues[k]);
  }
}

TEST_P(Sliced, FindsThePlantedDirectionMoreExactlyWithMoreRows) {
  double before = 1.0;
  for (const Index n : {200, 2000, 20000}) {
    double error = 0.0;  // mean of five samples
    for (const int seed : {1, 2, 3, 4, 5}) {
      error += distance(sliced_basis(planted(n, save(), seed), GetParam(), 10).components.topRows(1), truth) / 5;
    }
    EXPECT_LT(error, 0.7 * before) << n;
    before = error;
  }
  EXPECT_LT(before, 0.1);
}

TEST_P(Sliced, WeightsCountCopiesToTheBitAndZeroIsAbsence) {
  Dataset weighted = planted(60, save());
  weighted.weights = Vector(60);
  for (Index i = 0; i < 60; ++i) weighted.weights[i] = static_cast<double>(i % 4);
  std::vector<Index> rows;
  for (Index i = 59; i >= 0; --i) rows.insert(rows.end(), static_cast<std::size_t>(i % 4), i);
  const Dataset copies{.x = weighted.x(Eigen::all, rows), .y = weighted.y(Eigen::all, rows)};
  const SlicedBasis a = sliced_basis(weighted, GetParam(), 5);
  const SlicedBasis b = sliced_basis(copies, GetParam(), 5);
  EXPECT_EQ(a.components, b.components);
  EXPECT_EQ(a.eigenvalues, b.eigenvalues);
  EXPECT_GT(distance(a.components.topRows(1), sliced_basis(planted(60, save()), GetParam(), 5).components.topRows(1)),
            1e-3)
      << "weights matter";
}

TEST_P(Sliced, CollinearAndConstantInputsAddNoDirection) {
  const Dataset data = planted(200, save());
  Matrix x(8, 200);
  x << data.x, 2.0 * data.x.row(1) - data.x.row(4), Matrix::Constant(1, 200, 7.1), data.x.row(0);
  const SlicedBasis found = sliced_basis({.x = x, .y = data.y}, GetParam(), 10);
  EXPECT_EQ(found.components.rows(), 5);
  EXPECT_LT(found.components.col(6).norm(), 1e-12) << "a constant input has no loading";
  // The same z, up to a factor, as without the inputs that repeat others.
  const Eigen::RowVectorXd z = found.components.row(0) * x;
  const Eigen::RowVectorXd other = sliced_basis(data, GetParam(), 10).components.row(0) * data.x;
  const Eigen::RowVectorXd a = z.array() - z.mean();
  const Eigen::RowVectorXd b = other.array() - other.mean();
  EXPECT_NEAR(std::abs(a.dot(b)) / (a.norm() * b.norm()), 1.0, 1e-9);
}

TEST_P(Sliced, FewerRowsThanInputsHaveFiniteDirections) {
  const Matrix x = normals(50, 20, 3);
  const SlicedBasis found = sliced_basis({.x = x, .y = normals(1, 20, 4)}, GetParam(), 4);
  EXPECT_GE(found.components.rows(), 1);
  EXPECT_LE(found.components.rows(), 19);
  const Index r = found.components.rows();
  EXPECT_LT((found.components * found.components.transpose() - Matrix::Identity(r, r)).norm(), 1e-12);
}

TEST_P(Sliced, NoInputsAndConstantInputsHaveNoDirection) {
  EXPECT_EQ(sliced_basis({.x = Matrix(0, 9), .y = normals(1, 9, 1)}, GetParam(), 3).components.rows(), 0);
  const SlicedBasis constant = sliced_basis({.x = Matrix::Constant(2, 9, 0.1), .y = normals(1, 9, 1)}, GetParam(), 3);
  EXPECT_EQ(constant.components.rows(), 0);
  EXPECT_EQ(constant.components.cols(), 2);
}

TEST_P(Sliced, SeveralTargetsAreSlicedByClusters) {
  // Each of two targets follows a direction of its own.
  const Index n = 2000;
  const Matrix x = normals(4, n, 7);
  const Matrix noise = 0.2 * normals(2, n, 8);
  Matrix y = noise;
  for (Index i = 0; i < n; ++i) {
    y(0, i) += save() ? x(0, i) * x(0, i) : x(0, i);
    y(1, i) += 1000 * (save() ? x(2, i) * x(2, i) : x(2, i));  // on a scale of its own
  }
  const Matrix two{{1, 0, 0, 0}, {0, 0, 1, 0}};
  const Dataset data{.x = x, .y = y};
  const SlicedBasis found = sliced_basis(data, GetParam(), 10);
  EXPECT_LT(distance(found.components.topRows(2), two), 0.15);
  for (const int threads : {2, 7}) {
    EXPECT_EQ(sliced_basis(data, GetParam(), 10, 0, threads).components, found.components);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Sliced, ::testing::Values(SlicedMethod::sir, SlicedMethod::save),
                         [](const auto& instance) {
                           return std::string(choice_names<SlicedMethod>[static_cast<std::size_t>(instance.param)]);
                         });

TEST(SlicedBasis, EqualTargetsShareASlice) {
  // Two classes: two slices, however many are asked for, and so one direction of SIR.
  const Index n = 300;
  const Matrix x = normals(3, n, 5);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) y(0, i) = x(1, i) > 0 ? 1.0 : 0.0;
  const SlicedBasis found = sliced_basis({.x = x, .y = y}, SlicedMethod::sir, 10);
  ASSERT_EQ(found.components.rows(), 1);
  EXPECT_GT(std::abs(found.components(0, 1)), 0.97);
  EXPECT_GT(found.components(0, 1), 0) << "the largest entry is positive";
}

TEST(SlicedBasis, SaysWhatIsWrong) {
  const Dataset data = planted(20, false);
  EXPECT_EQ(complaint([&] { sliced_basis(data, SlicedMethod::sir, 1); }),
            "sliced_basis: n_slices = 1, expected at least 2");
  Dataset bad = data;
  bad.y = Matrix::Zero(1, 19);
  EXPECT_EQ(complaint([&] { sliced_basis(bad, SlicedMethod::sir, 5); }),
            "sliced_basis: x has 20 rows and y has 19, expected as many inputs as targets");
}

TEST(SlicedBasis, RoundingDoesNotChooseBetweenEqualDirections) {
  // A slice for every row: all that the rows span is equally good.
  for (const Index n : {6, 9}) {
    for (const SlicedMethod method : {SlicedMethod::sir, SlicedMethod::save}) {
      const Matrix x = normals(12, n, 3);
      const Matrix y = normals(1, n, 4);
      const Matrix basis = sliced_basis({.x = x, .y = y}, method, 10).components;
      ASSERT_GT(basis.rows(), 0);
      for (const double share : {1e-15, 1e-13}) {
        const Matrix noisy = x.array() * (1 + share * normals(12, n, 5).array());
        const Matrix again = sliced_basis({.x = noisy, .y = y}, method, 10).components;
        ASSERT_EQ(again.rows(), basis.rows());
        EXPECT_LT((again - basis).cwiseAbs().maxCoeff(), 1e-8);
      }
      // The first is the one along which x varies most: of points in general position their first principal component.
      const Matrix centred = x.colwise() - Vector(x.rowwise().mean());
      const Eigen::SelfAdjointEigenSolver<Matrix> eigen(centred * centred.transpose());
      if (method == SlicedMethod::sir) {
        EXPECT_NEAR(std::abs(basis.row(0).dot(eigen.eigenvectors().col(11))), 1.0, 1e-8);
      }
    }
  }
}

}  // namespace
}  // namespace condens::sliced_test
