// Networks that see a sample of a table first and then all of it (table_training.hpp).

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/estimators/mixture_density_network.hpp"
#include "condens/registry.hpp"
#include "estimators/mixture_density_network/table_training.hpp"
#include "support/complaint.hpp"
#include "support/plain_mdn.hpp"

namespace condens::networks_of_tables_test {
namespace {

/// Two inputs, and y on one of two branches.
Dataset rows_of(Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x(2, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    x(0, i) = random.normal();
    x(1, i) = random.uniform();
    y(0, i) = (random.uniform() < 0.5 ? -1 : 1) * x(0, i) + (0.1 + 0.3 * x(1, i)) * random.normal();
  }
  return {.x = std::move(x), .y = std::move(y), .weights = Vector::LinSpaced(n, 0.5, 2)};
}

MdnOptions small_networks() {
  MdnOptions out;
  out.n_components = {2};
  out.units = {6};
  out.n_members = 2;
  out.sample_rows = 200;
  return out;
}

const Run all_threads{};

mdn::Shape small_shape() {
  return {.n_inputs = 2, .hidden = 3, .layers = 2, .n_components = 2, .skip = true, .scale_floor = 0.01};
}

Matrix some_parameters(const mdn::Shape& shape, Index networks) {
  RandomStream random(5);
  return Matrix::NullaryExpr(shape.n_parameters(), networks, [&] { return 0.3 * random.normal(); });
}

/// sum_i w_i (-log p(y_i | x_i)) over the rows of some folds.
double plain_loss(const mdn::Shape& shape, const Dataset& rows, const std::vector<Index>& fold, Index k, bool inside,
                  const Vector& parameters) {
  long double out = 0;
  for (Index i = 0; i < rows.size(); ++i) {
    const bool held_out = fold[static_cast<std::size_t>(i)] == k;
    if (held_out == inside) out += rows.weights[i] * plain::mdn_loss(shape, parameters, rows.x.col(i), rows.y.col(i));
  }
  return static_cast<double>(out);
}

TEST(NetworksOfTables, SumsAreThoseOfTheRowsThatANetworkTrainsOnAndHoldsOut) {
  const mdn::Shape shape = small_shape();
  const Dataset rows = rows_of(40, 1);
  const Matrix parameters = some_parameters(shape, 4);
  const std::vector<Index> fold = assign_folds(40, 3, 2);
  const mdn::NetworkSums sums = mdn::network_sums(shape, rows, fold, 3, parameters, 1);
  for (Index m = 0; m < 4; ++m) {
    const Vector own = parameters.col(m);
    EXPECT_NEAR(sums.loss[m], plain_loss(shape, rows, fold, m % 3, false, own), 1e-12);
    EXPECT_NEAR(sums.held_out_loss[m], plain_loss(shape, rows, fold, m % 3, true, own), 1e-12);
    EXPECT_NEAR(sums.weight[m] + sums.held_out_weight[m], rows.weights.sum(), 1e-12);
    for (Index k = 0; k < own.size(); ++k) {
      constexpr double step = 1e-5;
      const Vector ahead = own + step * Vector::Unit(own.size(), k);
      const Vector behind = own - step * Vector::Unit(own.size(), k);
      const double slope =
          (plain_loss(shape, rows, fold, m % 3, false, ahead) - plain_loss(shape, rows, fold, m % 3, false, behind)) /
          (2 * step);
      EXPECT_NEAR(sums.gradient(k, m), slope, 1e-6 * (1 + std::abs(slope))) << m << ' ' << k;
    }
  }
}

TEST(NetworksOfTables, StepsOnAllRowsLowerTheLossOnRowsHeldOut) {
  const Dataset data = rows_of(6000, 3);
  const Dataset fresh = rows_of(2000, 4);
  MdnOptions options = small_networks();
  options.table_steps = 0;
  const Mdn sampled = Mdn::fit(data, options);
  options.table_steps = 20;
  const Mdn trained = Mdn::fit(data, options);
  const Document& told = trained.report().details;
  EXPECT_EQ(told.at("n_rows").as_integer(), 6000);
  EXPECT_EQ(told.at("n_rows_sampled").as_integer(), 200);
  EXPECT_EQ(sampled.report().details.find("table_steps"), nullptr);
  const Matrix& losses = told.at("validation_nll_of_table_steps").as_matrix();
  ASSERT_EQ(losses.rows(), 2);
  EXPECT_EQ(losses.cols(), told.at("table_steps").as_integer() + 1);
  const Vector best = losses.rowwise().minCoeff();
  EXPECT_EQ(trained.state().validation_nll, best);
  EXPECT_TRUE((best.array() < losses.col(0).array()).all());
  // 200 rows leave more to learn than 2,000 fresh ones hide by chance.
  const Vector gain = trained.log_density(fresh.x, fresh.y) - sampled.log_density(fresh.x, fresh.y);
  const double deviation = std::sqrt((gain.array() - gain.mean()).square().mean() / 2000);
  EXPECT_GT(gain.mean(), 3 * deviation);
}

TEST(NetworksOfTables, WithoutRowsHeldOutTheLastStepStands) {
  const Dataset data = rows_of(3000, 6);
  MdnOptions options = small_networks();
  options.validation_fraction = 0;
  const Mdn trained = Mdn::fit(data, options);
  EXPECT_EQ(trained.state().validation_nll.size(), 0);
  options.table_steps = 0;
  const Mdn sampled = Mdn::fit(data, options);
  EXPECT_GT(trained.log_density(data.x, data.y).dot(data.weights),
            sampled.log_density(data.x, data.y).dot(data.weights));
}

TEST(NetworksOfTables, ASampleThatIsAllRowsIsNone) {
  const Dataset data = rows_of(200, 7);
  MdnOptions options = small_networks();
  const Document expected = Mdn::fit(data, options).to_document();
  BlocksInMemory table(data, 70, all_threads);
  EXPECT_EQ(Mdn::fit(table, options, {}).to_document(), expected);
  options.sample_rows = 0;
  EXPECT_EQ(Mdn::fit(data, options).state().parameters, Mdn::fit(table, options, {}).state().parameters);
}

TEST(NetworksOfTables, CandidatesAreComparedOnTheSample) {
  const Dataset data = rows_of(2000, 8);
  MdnOptions options = small_networks();
  options.n_components = {1, 2};
  const Mdn inside = Mdn::fit(data, options);
  EXPECT_EQ(inside.state().n_components, 2);
  BlocksInMemory table(data, 700, all_threads);
  const Mdn elsewhere = Mdn::fit(table, options, {});
  EXPECT_EQ(elsewhere.report().details.at("candidates"), inside.report().details.at("candidates"));
  EXPECT_LT((elsewhere.log_density(data.x, data.y) - inside.log_density(data.x, data.y)).cwiseAbs().maxCoeff(), 1e-10);
}

// Columns far from zero, of which sums have few digits left; with the scale of the data as it is, too.
TEST(NetworksOfTables, AreThoseOfRowsInMemoryForAnyCut) {
  for (const bool standardize : {true, false}) {
    Dataset data = rows_of(3000, 10);
    if (standardize) data.x = Matrix(data.x.array() * 1e-3 + 1e3);
    MdnOptions options = small_networks();
    options.standardize = standardize;
    const Mdn inside = Mdn::fit(data, options);
    for (const Index rows : {3000, 1000, 700, 64}) {
      BlocksInMemory table(data, rows, all_threads);
      const Mdn elsewhere = Mdn::fit(table, options, {});
      const Vector difference = elsewhere.log_density(data.x, data.y) - inside.log_density(data.x, data.y);
      EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-10) << standardize << ' ' << rows;
    }
  }
}

TEST(NetworksOfTables, AreTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = rows_of(3000, 9);
  const Document first = Mdn::fit(data, small_networks(), {.threads = 1, .observer = {}}).to_document();
  for (const int threads : {2, 7})
    EXPECT_EQ(Mdn::fit(data, small_networks(), {.threads = threads, .observer = {}}).to_document(), first) << threads;
}

TEST(NetworksOfTables, ASampleMayBeTinyOrHaveOneValueOfY) {
  Dataset data = rows_of(3000, 12);
  data.y = Matrix(data.y.array() * (data.x.row(0).array() > 2.5).cast<double>());  // nearly all are zero
  MdnOptions options = small_networks();
  options.optimizer = MdnOptimizer::lbfgs;
  options.max_iterations = 20;
  options.validation_fraction = 0.5;
  for (const Index count : {2, 3, 30}) {
    options.sample_rows = count;
    const Mdn inside = Mdn::fit(data, options);
    BlocksInMemory table(data, 700, all_threads);
    const Mdn elsewhere = Mdn::fit(table, options, {});
    EXPECT_TRUE(inside.log_density(data.x, data.y).allFinite()) << count;
    EXPECT_TRUE(elsewhere.log_density(data.x, data.y).allFinite()) << count;
  }
  options.sample_rows = 1;
  EXPECT_EQ(complaint([&] { Mdn::fit(data, options); }),
            "MixtureDensityNetwork: sample_rows = 1, expected 0, or at least 2 rows");
}

TEST(NetworksOfTables, FoldsOfEveryRowAreRefused) {
  const Dataset data = rows_of(300, 10);
  MdnOptions options = small_networks();
  options.cv.assign(300, 0.0);
  const std::string said = "MixtureDensityNetwork: cv has 300 numbers, expected a number of folds, of a sample of rows";
  EXPECT_EQ(complaint([&] { Mdn::fit(data, options); }), said);
  BlocksInMemory table(data, 100, all_threads);
  EXPECT_EQ(complaint([&] { Mdn::fit(table, options, {}); }), said);
}

TEST(NetworksOfTables, PartsOfAPassAreChecked) {
  const Dataset data = rows_of(60, 11);
  const auto scale = table_passes::Scale::of(Standardizer::identity(2), Standardizer::identity(1));
  const Document pass = mdn::network_pass(scale, {}, small_shape(), {});
  const auto said = [&](const Document& changed) {
    return complaint<FormatError>([&] { Mdn::accumulate(changed, data, 0, {}); });
  };
  const std::string begin = "a pass over the rows: ";
  EXPECT_EQ(said(Document(pass).set("parameters", Matrix(Matrix::Ones(3, 1)))),
            begin + "'parameters' is 3 x 1, expected " + message(small_shape().n_parameters()) + " x some");
  Document whole = pass;
  whole.set("parameters", some_parameters(small_shape(), 1));
  EXPECT_NO_THROW(Mdn::accumulate(whole, data, 0, {}));
  EXPECT_EQ(said(Document(whole).set("folds", Index{-1})), begin + "'folds' is -1, expected 0 to 10000");
  Document scores = whole.at("scores");
  scores.set("inputs", Vector(Vector::Constant(1, 2.0))).set("knots", Vector{{0, 1}}).set("values", Vector{{0, 1}});
  EXPECT_EQ(said(Document(whole).set("scores", scores)), begin + "a score is of input 2 of 2");
  Document shape = whole.at("shape");
  shape.set("hidden", Index{0});
  EXPECT_EQ(said(Document(whole).set("shape", shape)), begin + "'hidden' is 0, expected 1 to 10000");
}

}  // namespace
}  // namespace condens::networks_of_tables_test
