// PRESS of tables whose rows are elsewhere (estimators/press/table_sums.hpp): a fit to a sample of the rows, then steps
// on all of them.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/estimators/press.hpp"
#include "condens/registry.hpp"
#include "estimators/press/search.hpp"
#include "estimators/press/table_search.hpp"
#include "estimators/press/table_sums.hpp"
#include "support/complaint.hpp"
#include "support/cut_tables.hpp"
#include "support/sanitized.hpp"

namespace condens::press_of_tables_test {
namespace {

using cut_tables::Bytes;
using cut_tables::largest_difference;
using cut_tables::rows_of;

const condens::Run one_thread{.threads = 1, .observer = {}};

PressOptions small_fit(PressCriterion criterion) {
  PressOptions out;
  out.n_states = {3};
  out.criterion = criterion;
  out.regularization = {1e-3};
  out.sample_rows = 200;
  return out;
}

/// Standardised rows of so many targets, with weights.
Dataset standard_rows(Index n, Index targets, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x(2, n);
  Matrix y(targets, n);
  for (Index i = 0; i < n; ++i) {
    for (double& value : x.col(i)) value = random.normal();
    for (double& value : y.col(i)) value = std::sin(2 * x(0, i)) + 0.4 * random.normal();
  }
  return {.x = std::move(x), .y = std::move(y), .weights = Vector::LinSpaced(n, 0.3, 2)};
}

press::TableCriterion criterion_on(const Dataset& rows, PressCriterion criterion, const std::vector<double>& hidden) {
  press::TableCriterion out{
      .scale = table_passes::Scale::of(Standardizer::identity(2), Standardizer::identity(rows.y.rows())),
      .hidden = hidden,
      .n_states = 3,
      .criterion = criterion,
      .total = rows.weights.sum(),
      .ticks = {},
      .defensive = Defensive::fit(1e-3, rows)};
  if (criterion != PressCriterion::likelihood) return out;
  for (const double spacing : {0.05, 0.08, 0.1}) out.ticks.push_back(ticks_of(rows.y.row(0).transpose(), spacing));
  return out;
}

void expect_equal(const PressEvaluation& found, const PressEvaluation& expected, const std::string& what) {
  EXPECT_NEAR(found.value, expected.value, 1e-12 * std::abs(expected.value)) << what;
  EXPECT_NEAR(found.mse, expected.mse, 1e-12 * (1 + expected.mse)) << what;
  EXPECT_NEAR(found.freedom, expected.freedom, 1e-12 * expected.freedom) << what;
  ASSERT_EQ(found.gradient.size(), expected.gradient.size()) << what;
  EXPECT_LT((found.gradient - expected.gradient).cwiseAbs().maxCoeff(),
            1e-12 * expected.gradient.cwiseAbs().maxCoeff() + 1e-15)
      << what;
  ASSERT_EQ(found.by_log_width.size(), expected.by_log_width.size()) << what;
  if (found.by_log_width.size() == 0) return;
  EXPECT_LT((found.by_log_width - expected.by_log_width).cwiseAbs().maxCoeff(), 1e-12) << what;
}

TEST(PressOfTables, PassesAreTheCriterionOfAllRows) {
  const PressPenalties penalties{.smoothness = 2, .smoothness_weight = 0.1, .ridge = 0.01};
  for (const PressCriterion criterion : {PressCriterion::mse, PressCriterion::loocv, PressCriterion::gcv,
                                         PressCriterion::loo, PressCriterion::likelihood}) {
    for (const std::vector<double>& hidden : {std::vector<double>{}, std::vector<double>{4}}) {
      const Dataset rows = standard_rows(500, criterion == PressCriterion::likelihood ? 1 : 2, 1);
      const press::TableCriterion how = criterion_on(rows, criterion, hidden);
      const PressMap map = how.map(2);
      RandomStream random(2);
      const Vector theta = Vector::NullaryExpr(map.n_parameters(), [&] { return random.normal(); });
      const bool likelihood = criterion == PressCriterion::likelihood;
      const Vector widths = likelihood ? Vector{{0.2, 0.3, 0.4}} : Vector();
      std::vector<PressNodes> nodes;
      for (const Vector& ticks : how.ticks) nodes.push_back(nodes_at(ticks, rows.y));
      const PressObjective plain = likelihood ? PressObjective(rows, map, nodes, how.defensive, penalties)
                                              : PressObjective(rows, map, criterion, penalties);
      const PressEvaluation expected = plain.evaluate(theta, widths);
      for (const Index rows_of_block : {500, 167, 64}) {
        Bytes table(rows, rows_of_block);
        const press::TableObjective objective(table, how, penalties, rows.subset({0}), 1);
        const std::string what =
            message(static_cast<int>(criterion), ' ', hidden.size(), " hidden, blocks of ", rows_of_block);
        expect_equal(objective.evaluate(theta, widths), expected, what);
        EXPECT_EQ(table.passes, 3) << what;
      }
    }
  }
}

TEST(PressOfTables, TicksKeepMeansAndEndsOfRowsBetweenThem) {
  const Vector values{{-2, -1.9, 0, 0.35, 5}};
  const Vector ticks = ticks_of(values, 0.1);
  EXPECT_EQ(ticks[0], -2);
  EXPECT_EQ(ticks[ticks.size() - 1], 5);
  const Matrix y{{-2, -1.95, 0.2, 3, 5}};
  const PressNodes nodes = nodes_at(ticks, y);
  for (Index i = 0; i < y.cols(); ++i) {
    const auto at = static_cast<std::size_t>(2 * i);
    EXPECT_GE(nodes.share[2 * i], 0);
    EXPECT_NEAR(nodes.share[2 * i] + nodes.share[2 * i + 1], 1, 1e-15);
    const double mean = nodes.share[2 * i] * ticks[nodes.node[at]] + nodes.share[2 * i + 1] * ticks[nodes.node[at + 1]];
    EXPECT_NEAR(mean, y(0, i), 1e-14);
  }
  const auto wide = [](const Vector& own) {
    return ((own.tail(own.size() - 1) - own.head(own.size() - 1)).array() > 0.1 * (1 + 1e-9)).count();
  };
  EXPECT_EQ(wide(ticks), 0);
  EXPECT_EQ(wide(ticks_of(Vector{{-2, -1.9, 0, 0.35, 1e6}}, 0.1)), 1);
}

TEST(PressOfTables, AnyCutGivesTheModelOfRowsInMemory) {
  const Dataset data = rows_of(5000, 3);
  const Dataset fresh = rows_of(300, 4);
  for (const PressCriterion criterion : {PressCriterion::likelihood, PressCriterion::gcv, PressCriterion::loo}) {
    const PressOptions options = small_fit(criterion);
    const Press inside = Press::fit(data, options);
    for (const Index rows_of_block : {5000, 720}) {
      if (sanitized && rows_of_block == 5000) continue;
      Bytes table(data, rows_of_block);
      const Press elsewhere = Press::fit(table, options, {});
      EXPECT_LT(largest_difference(inside, elsewhere, fresh), 1e-10)
          << static_cast<int>(criterion) << ' ' << rows_of_block;
      EXPECT_EQ(elsewhere.report().details.at("table_steps"), inside.report().details.at("table_steps"));
      EXPECT_LT((elsewhere.state_inputs() - inside.state_inputs()).cwiseAbs().maxCoeff(), 1e-5);
      EXPECT_EQ(elsewhere.state_representatives(), inside.state_representatives());
    }
  }
}

TEST(PressOfTables, StepsOnAllRowsLowerTheCriterionOfAllRows) {
  const Dataset data = rows_of(sanitized ? 1000 : 6000, 5);
  const Dataset fresh = rows_of(4000, 6);
  for (const PressCriterion criterion : {PressCriterion::likelihood, PressCriterion::mse}) {
    PressOptions options = small_fit(criterion);
    options.table_steps = 0;
    const Press sampled = Press::fit(data, options);
    options.table_steps = sanitized ? 5 : 30;
    const Press improved = Press::fit(data, options);
    EXPECT_EQ(sampled.report().details.at("table_steps").as_integer(), 0);
    EXPECT_GT(improved.report().details.at("table_steps").as_integer(), 3);
    const std::string score = criterion == PressCriterion::mse ? "mse" : "leave_one_out_nll";
    EXPECT_LT(improved.report().details.at(score).as_number(), sampled.report().details.at(score).as_number());
    if (sanitized) continue;
    const Vector gain = improved.log_density(fresh.x, fresh.y) - sampled.log_density(fresh.x, fresh.y);
    const double deviation = std::sqrt((gain.array() - gain.mean()).square().mean() / 4000);
    EXPECT_GT(gain.mean(), 3 * deviation) << static_cast<int>(criterion);
  }
}

TEST(PressOfTables, WhatIsToldOfStatesIsThatOfAllRows) {
  Dataset data = rows_of(3000, 7);
  data.weights = Vector::LinSpaced(3000, 0.5, 2);
  const Press model = Press::fit(data, small_fit(PressCriterion::likelihood));
  const Matrix w = model.state_weights(data.x);
  const PressStates expected = press_states(w, data.y, data.weights);
  EXPECT_LT((model.state_sizes() - expected.sizes).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((model.state_means() - expected.means).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((model.state_levels() - expected.levels).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_NEAR(model.degrees_of_freedom(), expected.freedom(), 1e-8);
  EXPECT_NEAR(model.mean_entropy(), model.entropy(data.x).dot(data.weights) / data.weights.sum(), 1e-8);
  const Document& told = model.report().details;
  const Vector squares = (data.y - expected.means * w).colwise().squaredNorm().transpose();
  const double unit = model.y_scale().scale()[0];
  EXPECT_NEAR(told.at("mse").as_number(), squares.dot(data.weights) / data.weights.sum() / (unit * unit), 1e-8);
  EXPECT_EQ(told.at("n_rows").as_integer(), 3000);
  EXPECT_EQ(told.at("n_rows_sampled").as_integer(), 200);
  EXPECT_EQ(told.at("kernels_of").as_string(), "all rows");
  for (Index j = 0; j < w.rows(); ++j) {
    Index most = 0;
    w.row(j).maxCoeff(&most);
    EXPECT_EQ(model.state_representatives().col(j), data.x.col(most)) << j;
    const Vector share = w.row(j).transpose().cwiseProduct(data.weights) / expected.sizes[j];
    const Vector mean = data.x * share;
    const Vector variance = (data.x.colwise() - mean).cwiseAbs2() * share;
    EXPECT_LT((model.state_inputs().col(j) - mean).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LT((model.state_input_variances().col(j) - variance).cwiseAbs().maxCoeff(), 1e-7);
  }
}

TEST(PressOfTables, DensitiesAreThoseOfAllRowsUpToTheToleranceOfTheirKernels) {
  const Dataset data = rows_of(sanitized ? 600 : 2000, 8);
  PressOptions options = small_fit(PressCriterion::likelihood);
  const Press model = Press::fit(data, options);
  const Matrix w = model.state_weights(data.x);
  const Dataset standardized{.x = model.x_scale().transform(data.x),
                             .y = model.y_scale().transform(data.y),
                             .weights = Vector::Ones(data.size())};
  const press::WidthRules exact{.tolerance = 0};
  const press::Components all =
      press::make_components(w, standardized, model.state().bandwidths, exact, Matrix::Zero(1, w.rows()));
  const GaussianMixtures plain =
      press::laws_at(Matrix::Identity(w.rows(), w.rows()), all.shares,
                     kernel_components(all.centers, all.widths, model.state().defensive), model.state().defensive);
  const GaussianMixtures own = model.state_densities();
  const Vector line = Vector::LinSpaced(sanitized ? 401 : 2001, -8, 8);
  for (Index j = 0; j < w.rows(); ++j) {
    double distance = 0;
    for (Index k = 0; k < line.size(); ++k) {
      const Matrix y = Matrix::Constant(1, w.rows(), line[k]);
      const double scale = model.y_scale().scale()[0];
      const Matrix own_y = (y.array() * scale + model.y_scale().mean()[0]).matrix();
      distance +=
          std::abs(std::exp(plain.log_pdf(y, one_thread)[j]) - scale * std::exp(own.log_pdf(own_y, one_thread)[j])) *
          (line[1] - line[0]);
    }
    EXPECT_LT(distance, options.compression_tolerance) << j;
  }
}

TEST(PressOfTables, ASampleThatIsAllRowsIsNone) {
  const Dataset data = rows_of(200, 9);
  const PressOptions options = small_fit(PressCriterion::likelihood);
  PressOptions all = options;
  all.sample_rows = 0;
  Bytes table(data, 70);
  EXPECT_EQ(Press::fit(table, options, {}).state().theta, Press::fit(data, all).state().theta);
  EXPECT_EQ(Press::fit(table, all, {}).to_document(), Press::fit(data, all).to_document());
}

TEST(PressOfTables, SeveralTargetsAndAllKernelsStayThoseOfTheSample) {
  const Dataset data = standard_rows(2000, 2, 10);
  PressOptions options = small_fit(PressCriterion::likelihood);
  const Press two = Press::fit(data, options);
  EXPECT_EQ(two.report().details.at("table_steps").as_integer(), 0);
  EXPECT_EQ(two.report().details.at("kernels_of").as_string(), "the sample");
  options.criterion = PressCriterion::gcv;
  const Press squares = Press::fit(data, options);
  EXPECT_GT(squares.report().details.at("table_steps").as_integer(), 0);
  EXPECT_EQ(squares.report().details.at("kernels_of").as_string(), "the sample");
  Bytes table(data, 300);
  EXPECT_LT(largest_difference(squares, Press::fit(table, options, {}), data), 1e-10);
  const Dataset one = standard_rows(2000, 1, 11);
  options = PressOptions::paper();
  options.n_states = {1, 2, 3};
  options.sample_rows = 200;
  const Press paper = Press::fit(one, options);
  EXPECT_EQ(paper.report().details.at("kernels_of").as_string(), "the sample");
  Bytes blocks(one, 300);
  EXPECT_LT(largest_difference(paper, Press::fit(blocks, options, {}), one), 1e-10);
}

TEST(PressOfTables, CandidatesAreComparedOnTheSampleAndLassoZerosStay) {
  const Dataset data = standard_rows(3000, 1, 12);
  PressOptions options = small_fit(PressCriterion::likelihood);
  options.n_states = {1, 2, 3};
  options.lasso = {0.03};
  const Press inside = Press::fit(data, options);
  const Matrix& coefficients = inside.coefficients();
  EXPECT_TRUE((coefficients.row(2).array() == 0).all());  // y does not hang on it
  EXPECT_FALSE((coefficients.row(1).array() == 0).all());
  Bytes table(data, 900);
  const Press elsewhere = Press::fit(table, options, {});
  EXPECT_EQ(elsewhere.report().details.at("candidates"), inside.report().details.at("candidates"));
  EXPECT_LT(largest_difference(inside, elsewhere, data), 1e-10);
}

TEST(PressOfTables, ErrorsOfCoefficientsAreOfAsManyRowsAsThereAre) {
  const Dataset data = standard_rows(20000, 1, 13);
  PressOptions options = small_fit(PressCriterion::mse);
  options.n_states = {2};
  options.table_steps = 60;
  const Press all = Press::fit(data, options);
  ASSERT_NE(all.report().details.at("table_search").as_string(), "iteration limit");
  options.sample_rows = 0;
  const Press plain = Press::fit(data, options);
  const auto ratio = all.standard_errors().array() / plain.standard_errors().array();
  EXPECT_GT(ratio.minCoeff(), 0.7);
  EXPECT_LT(ratio.maxCoeff(), 1.4);
}

TEST(PressOfTables, AreTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = rows_of(3000, 14);
  const PressOptions options = small_fit(PressCriterion::likelihood);
  const Document first = Press::fit(data, options, one_thread).to_document();
  for (const int threads : {2, 7}) {
    if (sanitized && threads == 2) continue;
    EXPECT_EQ(Press::fit(data, options, {.threads = threads, .observer = {}}).to_document(), first) << threads;
  }
}

TEST(PressOfTables, ARowFarFromAllOthersAndTiesAreFitted) {
  Dataset data = standard_rows(2000, 1, 15);
  Matrix y = data.y;
  y(0, 77) = 300;
  data.y = y;
  const PressOptions options = small_fit(PressCriterion::likelihood);
  const Press far = Press::fit(data, options);
  EXPECT_TRUE(far.log_density(data.x, data.y).allFinite());
  Bytes table(data, 500);
  EXPECT_LT(largest_difference(far, Press::fit(table, options, {}), data), 1e-10);
  data.y = Matrix((y.array().min(3.0) * 2).round() / 2);
  EXPECT_TRUE(Press::fit(data, options).log_density(data.x, data.y).allFinite());
}

TEST(PressOfTables, FoldsOfEveryRowAndOneSampledRowAreRefused) {
  const Dataset data = rows_of(300, 16);
  PressOptions options = small_fit(PressCriterion::likelihood);
  options.cv.assign(300, 0.0);
  const std::string said =
      "PRESS: cv has 300 numbers, expected a number of folds: rows that are not in memory get theirs by their places";
  EXPECT_EQ(complaint([&] { Press::fit(data, options); }), said);
  Bytes table(data, 100);
  EXPECT_EQ(complaint([&] { Press::fit(table, options, {}); }), said);
  options = small_fit(PressCriterion::likelihood);
  options.sample_rows = 1;
  EXPECT_EQ(complaint([&] { Press::fit(data, options); }), "PRESS: sample_rows = 1, expected 0, or at least 2 rows");
}

/// A table that answers for one part of PRESS with this number in the place of all of one name.
class Wrong final : public RowSums {
 public:
  Wrong(const Dataset& data, std::string part, std::string name, double value)
      : RowSums(data.x.rows(), data.y.rows()),
        blocks_(data, 100, one_thread),
        part_(std::move(part)),
        name_(std::move(name)),
        value_(value) {}
  Document total(const Document& pass) override {
    Document out = blocks_.total(pass);
    const Document* part = pass.find("part");
    if (part == nullptr || part->as_string() != part_) return out;
    Document sum = out.at("sum");
    const Matrix& own = sum.at(name_).as_matrix();
    sum.set(name_, Matrix(Matrix::Constant(own.rows(), own.cols(), value_)));
    return out.set("sum", std::move(sum));
  }

 private:
  BlocksInMemory blocks_;
  std::string part_;
  std::string name_;
  double value_;
};

TEST(PressOfTables, AnswersThatNoTableGivesAreRefused) {
  const Dataset data = rows_of(300, 18);
  PressOptions options = small_fit(PressCriterion::likelihood);
  options.table_steps = 0;
  Wrong empty(data, "moments", "sizes", 0.0);
  EXPECT_EQ(complaint<NumericalError>([&] { Press::fit(empty, options, {}); }),
            "PRESS: no state holds rows: the largest holds 0, expected weights of rows that add up to all of them");
  Wrong negative(data, "states", "sums", -1.0);
  EXPECT_EQ(complaint<FormatError>([&] { Press::fit(negative, options, {}); }),
            "a pass over the rows: 'sums' of a state are no masses, expected numbers >= 0");
}

TEST(PressOfTables, PartsOfAPassAreChecked) {
  const Dataset rows = standard_rows(60, 1, 17);
  const press::TableCriterion how = criterion_on(rows, PressCriterion::likelihood, {});
  Document pass = how.pass("states");
  pass.set("theta", Vector(Vector::Zero(9)));
  EXPECT_NO_THROW(Press::accumulate(pass, rows, 0, one_thread));
  const auto said = [&](const Document& changed) {
    return complaint<FormatError>([&] { Press::accumulate(changed, rows, 0, one_thread); });
  };
  const std::string begin = "a pass over the rows: ";
  EXPECT_EQ(said(Document(pass).set("theta", Vector(Vector::Zero(8)))), begin + "'theta' is 8 x 1, expected 9 x 1");
  EXPECT_EQ(said(Document(pass).set("part", "none")), begin + "'none' is no part of PRESS");
  EXPECT_EQ(said(Document(pass).set("hidden", Vector(Vector::Constant(1, 2.5)))),
            begin + "a hidden layer of 2.5 units");
  EXPECT_EQ(said(Document(pass).set("criterion", Index{7})), begin + "'criterion' is 7, expected 0 to 4");
  EXPECT_EQ(said(Document(pass).set("criterion", Index{0})), begin + "3 sets of ticks for 3 states of 1 targets");
  EXPECT_EQ(said(Document(pass).set("tick_counts", Vector(Vector::Constant(1, 1.0)))),
            begin + message("1 ticks of a state, expected 2 to ", pass.at("ticks").as_matrix().size()));
  EXPECT_EQ(said(Document(pass).set("tick_counts", Vector(Vector::Constant(1, 3.0))).set("ticks", Vector{{0, 2, 1}})),
            begin + "'ticks' do not rise");
}

}  // namespace
}  // namespace condens::press_of_tables_test
