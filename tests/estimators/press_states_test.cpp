// What the weights of predictive states say of rows, and the errors of their coefficients, beside plain loops.

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "condens/core/random.hpp"
#include "condens/estimators/press.hpp"
#include "condens/model/states.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_press.hpp"

namespace condens::press_states_test {
namespace {

/// A rising step whose noise grows with x; a second input plays no part.
Dataset uneven_step(Index n) {
  RandomStream random(3);
  Matrix x(2, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (double& value : x.col(i)) value = random.normal();
    y(0, i) = (x(0, i) > 0 ? 1.0 : 0.0) + 0.3 * std::exp(0.5 * x(0, i)) * random.normal();
  }
  return {.x = x, .y = y};
}

Press fit(const Dataset& rows, PressCriterion criterion = PressCriterion::mse, double states = 2) {
  PressOptions options;
  options.n_states = {states};
  options.criterion = criterion;
  options.regularization = {1e-3};
  options.n_starts = 1;
  options.standardize = false;
  options.bandwidth_y = {0.3};
  options.compression_tolerance = 0;
  return Press::fit(rows, options);
}

/// States with the weights that stand in the columns of x, of sizes as they are in these.
class Weights final : public HasStates {
 public:
  explicit Weights(const Matrix& w) : sizes_(w.rowwise().sum()) {}
  Index n_states() const override { return sizes_.size(); }
  Matrix state_weights(const MatrixView& x) const override { return x; }
  const Vector& state_sizes() const override { return sizes_; }
  Vector entropy(const MatrixView&) const override { return {}; }
  GaussianMixtures state_densities() const override { throw std::logic_error("no densities"); }
  Matrix smoothing_matrix(const MatrixView& x) const override {
    return x.transpose() * sizes_.cwiseInverse().asDiagonal() * x;
  }
  const Matrix& state_means() const override { return none_; }
  const Matrix& state_levels() const override { return none_; }
  const Matrix& state_inputs() const override { return none_; }
  const Matrix& state_input_variances() const override { return none_; }
  const Matrix& state_representatives() const override { return none_; }
  const Matrix& coefficients() const override { return none_; }
  const Matrix& standard_errors() const override { return none_; }
  const Matrix& robust_standard_errors() const override { return none_; }
  double degrees_of_freedom() const override { return 0; }
  double mean_entropy() const override { return 0; }

 private:
  Vector sizes_;
  Matrix none_;
};

TEST(States, DistancesAreThoseOfTheAngles) {
  const Dataset rows = uneven_step(50);
  const Press model = fit(rows);
  const Matrix w = plain::press_weights(model.coefficients(), rows.x);
  const Matrix distances = state_distances(model, rows.x, rows.x.leftCols(7));
  ASSERT_EQ(distances.cols(), 7);
  for (Index i = 0; i < 50; ++i) {
    for (Index k = 0; k < 7; ++k) {  // (41)
      double product = 0;
      double a = 0;
      double b = 0;
      for (Index j = 0; j < w.cols(); ++j) {
        product += w(i, j) * w(k, j);
        a += w(i, j) * w(i, j);
        b += w(k, j) * w(k, j);
      }
      EXPECT_NEAR(distances(i, k), 1 - product / std::sqrt(a * b), 1e-12);
    }
  }
  EXPECT_GE(distances.minCoeff(), 0);
}

TEST(States, FactorsMakeTheSmoothingMatrix) {
  const Dataset rows = uneven_step(50);
  const Press model = fit(rows);
  const StateFactors factors = state_factors(model, rows.x);
  const Matrix w = plain::press_weights(model.coefficients(), rows.x);
  for (Index j = 0; j < 2; ++j) {  // (42)
    double squares = 0;
    double size = 0;
    for (Index i = 0; i < 50; ++i) squares += w(i, j) * w(i, j);
    for (Index i = 0; i < 50; ++i) size += w(i, j);
    EXPECT_NEAR(factors.values[j], squares / size, 1e-12);
    for (Index i = 0; i < 50; ++i) EXPECT_NEAR(factors.vectors(i, j), w(i, j) / std::sqrt(squares), 1e-12);
  }
  const Matrix product = factors.vectors * factors.values.asDiagonal() * factors.vectors.transpose();
  EXPECT_LT((product - plain::press_smoother(w)).norm(), 1e-12);
  EXPECT_NEAR(factors.values.sum(), model.degrees_of_freedom(), 1e-12);
}

TEST(States, TransitionsAreSharesOfThoseThatWereSeen) {
  // 1 2 1 1 2 for sure, and a third state that no row is in
  Matrix w = Matrix::Zero(3, 5);
  for (const Index t : {0, 2, 3}) w(0, t) = 1;
  for (const Index t : {1, 4}) w(1, t) = 1;
  const Matrix next = transition_matrix(w);
  EXPECT_LT((next.topRows(2) - Matrix{{1 / 3.0, 2 / 3.0, 0}, {1, 0, 0}}).norm(), 1e-15);
  EXPECT_TRUE(next.row(2).array().isNaN().all());
  EXPECT_LT((transition_matrix(w, 2).topRows(2) - Matrix{{0.5, 0.5, 0}, {1, 0, 0}}).norm(), 1e-15);
  RandomStream random(8);
  Matrix mixed(2, 30);
  for (Index t = 0; t < 30; ++t) {
    mixed(0, t) = random.uniform();
    mixed(1, t) = 1 - mixed(0, t);
  }
  for (Index j = 0; j < 2; ++j) {
    for (Index k = 0; k < 2; ++k) {
      double pairs = 0;
      double all = 0;
      for (Index t = 0; t + 3 < 30; ++t) {
        pairs += mixed(j, t) * mixed(k, t + 3);
        all += mixed(j, t);
      }
      EXPECT_NEAR(transition_matrix(mixed, 3)(j, k), pairs / all, 1e-14);
    }
  }
  EXPECT_EQ(complaint([&] { transition_matrix(w, 5); }),
            "transition_matrix: steps = 5, expected a whole number from 1 to 4 for 5 rows");
}

TEST(States, VectorsAreOrthogonalIfAndOnlyIfEveryRowIsCertain) {  // Lemma 4.3, with errata P5
  RandomStream random(7);
  for (int trial = 0; trial < 20; ++trial) {
    Matrix w = Matrix::Zero(4, 30);
    Vector rows = Vector::Zero(4);
    for (Index i = 0; i < 30; ++i) {
      const Index j = i < 4 ? i : static_cast<Index>(4 * random.uniform());
      w(j, i) = 1;
      rows[j] += 1;
    }
    const StateFactors certain = state_factors(Weights(w), w);
    EXPECT_LT((certain.vectors.transpose() * certain.vectors - Matrix::Identity(4, 4)).norm(), 1e-14);
    EXPECT_LT((certain.values - Vector::Ones(4)).norm(), 1e-14);
    for (Index i = 0; i < 30; ++i) {
      for (Index j = 0; j < 4; ++j) EXPECT_NEAR(certain.vectors(i, j), w(j, i) / std::sqrt(rows[j]), 1e-15);
    }
    // Each vector is an eigenvector of the smoother.
    const Matrix smoother = Weights(w).smoothing_matrix(w);
    EXPECT_LT((smoother * certain.vectors - certain.vectors).norm(), 1e-13);

    w.col(11) = Vector{{0.2, 0.3, 0.5, 0.0}};  // one row that is not certain
    const StateFactors mixed = state_factors(Weights(w), w);
    const Matrix products = mixed.vectors.transpose() * mixed.vectors;
    EXPECT_GT(products(0, 1), 1e-4);
    EXPECT_GT(products(0, 2), 1e-4);
    EXPECT_GT(products(1, 2), 1e-4);
    EXPECT_EQ(products(0, 3), 0);
    EXPECT_LT(mixed.values.head(3).maxCoeff(), 1);
  }
}

TEST(States, RowsOfTheLargestWeightStandForAState) {
  const Matrix w{{0.1, 0.9, 0.9, 0.3}, {0.9, 0.1, 0.1, 0.7}};
  const Weights states(w);
  const std::vector<std::vector<Index>> found = representative_rows(states, w, 3);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (std::vector<Index>{1, 2, 3}));
  EXPECT_EQ(found[1], (std::vector<Index>{0, 3, 1}));
  EXPECT_EQ(complaint([&] { representative_rows(states, w, 5); }),
            "representative_rows: count = 5, expected 1 to the 4 rows");
}

TEST(States, InputsHaveAMeanAVarianceAndAnExample) {
  Dataset rows = uneven_step(60);
  rows.x = Matrix(rows.x.array() + 1e3);
  rows.weights = Vector::LinSpaced(60, 1, 2);
  PressOptions options;
  options.n_states = {3};
  options.criterion = PressCriterion::mse;
  options.regularization = {1e-3};
  const Press model = Press::fit(rows, options);
  const Matrix w = model.state_weights(rows.x);
  for (Index j = 0; j < model.n_states(); ++j) {
    const Vector share = rows.weights.cwiseProduct(w.row(j).transpose());
    for (Index k = 0; k < 2; ++k) {
      double mean = 0;
      double variance = 0;
      for (Index i = 0; i < 60; ++i) mean += share[i] * rows.x(k, i) / share.sum();
      for (Index i = 0; i < 60; ++i) variance += share[i] * std::pow(rows.x(k, i) - mean, 2) / share.sum();
      EXPECT_NEAR(model.state_inputs()(k, j), mean, 1e-9);
      EXPECT_NEAR(model.state_input_variances()(k, j), variance, 1e-8);
    }
    Index best = 0;
    w.row(j).maxCoeff(&best);
    EXPECT_EQ(model.state_representatives().col(j), rows.x.col(best));
    EXPECT_EQ(representative_rows(model, rows.x)[static_cast<std::size_t>(j)].front(), best);
  }
}

/// The square root of the sum over rows of the squared derivatives of the fitted coefficients by the rows' weights.
Matrix errors_by_refits(Dataset rows, PressCriterion criterion) {
  constexpr double step = 0.05;
  Matrix squares = Matrix::Zero(3, 2);
  for (Index i = 0; i < rows.size(); ++i) {
    const auto with_weight = [&](double weight) {
      rows.weights = Vector::Ones(rows.size());
      rows.weights[i] = weight;
      return fit(rows, criterion).coefficients();
    };
    squares += ((with_weight(1 + step) - with_weight(1 - step)) / (2 * step)).cwiseAbs2();
  }
  return squares.cwiseSqrt();
}

TEST(PressErrors, RobustOnesAreThoseOfTheInfinitesimalJackknife) {
  const Dataset rows = uneven_step(60);
  for (const PressCriterion criterion : {PressCriterion::mse, PressCriterion::gcv, PressCriterion::likelihood}) {
    const Matrix found = fit(rows, criterion).robust_standard_errors();
    const Matrix expected = errors_by_refits(rows, criterion);
    ASSERT_EQ(found.rows(), 3);
    EXPECT_LT((found - expected).norm(), 0.02 * expected.norm())
        << choice_names<PressCriterion>[static_cast<std::size_t>(criterion)];
  }
}

TEST(PressErrors, CopiesOfRowsShrinkThem) {
  Dataset rows = uneven_step(60);
  const Press once = fit(rows);
  rows.weights = Vector::Constant(60, 4.0);
  const Matrix often = fit(rows).robust_standard_errors();
  EXPECT_LT((once.robust_standard_errors() - 2 * often).norm(), 0.02 * once.robust_standard_errors().norm());
}

TEST(PressErrors, GroupsOfRowsStandForThem) {
  Dataset rows = uneven_step(60);
  Matrix y(1, 1200);  // twenty of each row, which differ by too little to matter and too much to be merged
  Matrix x(2, 1200);
  for (Index i = 0; i < 1200; ++i) {
    x.col(i) = rows.x.col(i % 60);
    y(0, i) = rows.y(0, i % 60) + 1e-9 * static_cast<double>(i);
  }
  const Matrix found = fit({.x = x, .y = y}).robust_standard_errors();
  rows.weights = Vector::Constant(60, 20.0);
  const Matrix expected = fit(rows).robust_standard_errors();
  EXPECT_LT((found - expected).norm(), 0.15 * expected.norm());
  EXPECT_GT((found - expected).norm(), 1e-6 * expected.norm());
}

TEST(PressErrors, IntervalsReachSoManyErrorsToBothSides) {
  const Press model = fit(uneven_step(60));
  const CoefficientIntervals found = coefficient_intervals(model, 0.95);
  const Matrix reach = 1.959963984540054 * model.robust_standard_errors();
  EXPECT_LT((found.upper - model.coefficients() - reach).norm(), 1e-12);
  EXPECT_LT((model.coefficients() - found.lower - reach).norm(), 1e-12);
  EXPECT_EQ(coefficient_intervals(fit(uneven_step(60), PressCriterion::mse, 1)).lower.size(), 0);  // no errors
  EXPECT_EQ(complaint([&] { coefficient_intervals(model, 1); }),
            "coefficient_intervals: confidence = 1, expected a number in (0, 1)");
}

}  // namespace
}  // namespace condens::press_states_test
