// Conformal intervals under covariate shift: masses against the weighted quantile, coverage by simulation.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "condens/core/random.hpp"
#include "condens/model/conformal.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/sanitized.hpp"

namespace condens::shift_test {
namespace {

std::string place_of(Index row) { return "row " + std::to_string(row + 1); }

/// Spread that grows with x; a model of one spread is wrong where x is large.
Dataset draw(Index n, double shift, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x(1, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = shift + random.normal();
    y(0, i) = x(0, i) + std::exp(0.7 * x(0, i)) * random.normal();
  }
  return {.x = x, .y = y};
}

/// N(1, 1) against N(0, 1).
Vector ratio(const MatrixView& x) { return (x.row(0).transpose().array() - 0.5).exp(); }

TargetModel fit(const Dataset& data) {
  return fit_target(find_model("gmm"), {{}, 0.5}, data, "",
                    Document::Object{{"n_components", Document(std::vector<double>{1})}}, place_of, {});
}

TEST(Shift, MassesAreWeightedQuantiles) {
  RandomStream random(1);
  ScoredRows rows{.central = Vector(50), .highest = Vector(50)};
  ShiftWeights weights{Vector(50), Vector(4)};
  for (Index i = 0; i < 50; ++i) {
    rows.central[i] = random.uniform();
    rows.highest[i] = random.uniform();
    weights.calibration[i] = random.uniform() < 0.2 ? 0.0 : random.uniform();
  }
  weights.rows << 0.0, 0.3, 1.0, 100.0;
  const Conformal conformal(rows);
  const Matrix x(0, 4);
  for (const auto kind : {RegionKind::central, RegionKind::highest}) {
    const Vector& scores = kind == RegionKind::central ? rows.central : rows.highest;
    const Vector found = conformal.masses(kind, 0.8, x, weights);
    for (Index j = 0; j < 4; ++j) {
      double expected = 1.0;  // the least r with a share of 0.8 of the weights, over all scores
      for (Index i = 0; i < 50; ++i) {
        double below = 0.0;
        for (Index k = 0; k < 50; ++k) below += scores[k] <= scores[i] ? weights.calibration[k] : 0.0;
        if (below >= 0.8 * (weights.calibration.sum() + weights.rows[j])) expected = std::min(expected, scores[i]);
      }
      EXPECT_NEAR(found[j], expected, 2e-9);
    }
    EXPECT_EQ(found[3], 1.0);  // the new row weighs more than all others
    // Equal weights are no weights.
    const Vector same =
        conformal.masses(kind, 0.8, x, ShiftWeights{Vector::Constant(50, 3.0), Vector::Constant(4, 3.0)});
    EXPECT_EQ(same, conformal.masses(kind, 0.8, x));
  }
}

TEST(Shift, WeightsKeepThePromiseThatIsLostWithoutThem) {
  constexpr int n_tables = repetitions(60);
  Vector plain(n_tables);
  Vector known(n_tables);
  Vector estimated(n_tables);
  for (int r = 0; r < n_tables; ++r) {
    const TargetModel model = fit(draw(300, 0.0, static_cast<std::uint64_t>(2 * r + 1)));
    const Dataset fresh = draw(100, 1.0, static_cast<std::uint64_t>(2 * r + 2));
    const GaussianMixtures laws = model.density->predict(fresh.x);
    const auto coverage = [&](const std::optional<ShiftWeights>& shift) {
      const Matrix ends = conformal_intervals(*model.conformal, laws, 0.8, fresh.x, shift, {});
      return ((fresh.y.row(0).array() >= ends.row(0).array()) && (fresh.y.row(0).array() <= ends.row(1).array()))
          .cast<double>()
          .mean();
    };
    plain[r] = coverage(std::nullopt);
    known[r] = coverage(ShiftWeights{ratio(model.conformal->scored().x), ratio(fresh.x)});
    estimated[r] = coverage(estimate_shift(*model.conformal, fresh.x, 0, {}));
  }
  if (sanitized) return;
  const double error = std::sqrt((known.array() - known.mean()).square().mean() / n_tables);
  EXPECT_LT(plain.mean(), 0.7);
  EXPECT_GT(known.mean(), 0.8 - 4.0 * error);
  EXPECT_LT(known.mean(), 0.88);
  EXPECT_GT(estimated.mean(), 0.74);  // by a classifier of 150 rows and 100
}

TEST(Shift, EstimatesAreTheSameForAnyNumberOfThreadsAndNearTheTruth) {
  const TargetModel model = fit(draw(sanitized ? 300 : 2000, 0.0, 5));
  const Dataset fresh = draw(sanitized ? 150 : 1000, 1.0, 6);
  const ShiftWeights one = estimate_shift(*model.conformal, fresh.x, 0, {1, {}});
  for (const int threads : {2, 7}) {
    const ShiftWeights other = estimate_shift(*model.conformal, fresh.x, 0, {threads, {}});
    EXPECT_EQ(other.calibration, one.calibration);
    EXPECT_EQ(other.rows, one.rows);
  }
  if (sanitized) return;
  const Vector error = one.rows.array().log() - ratio(fresh.x).array().log();
  EXPECT_LT(error.cwiseAbs().mean(), 0.4);
}

TEST(Shift, SaysWhatDoesNotFit) {
  const TargetModel model = fit(draw(60, 0.0, 7));
  const Matrix x = draw(12, 0.0, 8).x;
  const auto refused = [&](const Vector& calibration, const Vector& rows) {
    return complaint([&] { model.conformal->masses(RegionKind::central, 0.9, x, ShiftWeights{calibration, rows}); });
  };
  EXPECT_EQ(refused(Vector::Ones(3), Vector::Ones(12)), "weights: 3 of calibration rows, expected 30");
  EXPECT_EQ(refused(Vector::Ones(30), Vector::Ones(1)), "weights: 1 of new rows, expected 12");
  Vector bad = Vector::Ones(12);
  bad[4] = -1.0;
  EXPECT_EQ(refused(Vector::Ones(30), bad), "weights: -1 of new row 5 (counting from 1), expected a number >= 0");
  EXPECT_EQ(complaint([&] { estimate_shift(*model.conformal, x.leftCols(3), 0, {}); }),
            "shift: 30 calibration rows and 3 new ones, expected at least 10 of each to tell them apart");
  EXPECT_EQ(complaint([&] { estimate_shift(*model.conformal, Matrix::Zero(2, 20), 0, {}); }),
            "shift: rows of 2 inputs, expected 1");
  Matrix gappy = x;
  gappy(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint([&] { estimate_shift(*model.conformal, gappy, 0, {}); }),
            "shift: inputs are missing, expected complete rows: give weights");
  EXPECT_NE(complaint([&] {
              estimate_shift(Conformal(Vector{{0.5}}, Vector{{0.5}}), x, 0, {});
            }).find("shift: the model does not hold the inputs of its calibration rows"),
            std::string::npos);
  TargetRequest request{.kind = {}, .cross = CrossConformal::cv_plus, .cross_folds = 2};
  const TargetModel folds = fit_target(find_model("gp"), request, draw(60, 0.0, 7), "", {}, place_of, {});
  EXPECT_NE(complaint([&] { estimate_shift(*folds.conformal, x, 0, {}); }).find("shift: the intervals are by folds"),
            std::string::npos);
}

}  // namespace
}  // namespace condens::shift_test
