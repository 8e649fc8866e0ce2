// Groups of inputs that the caller makes: they enter SACDE together, with kernels of all their inputs, and SALSCDE
// whole.

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/estimators/salscde.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/cut_tables.hpp"
#include "support/planted_sacde.hpp"

namespace condens::sacde_groups_test {
namespace {

SacdeOptions small() {
  SacdeOptions out;
  out.bandwidth = {0.5, 1};
  out.bandwidth_y = {0.3};
  out.regularization = {0.9, 0.6, 0.3, 0.15};
  out.n_centers = 40;
  return out;
}

SacdeOptions grouped(const std::vector<double>& groups) {
  SacdeOptions out = small();
  out.groups = groups;
  return out;
}

/// y is high where the signs of the first two inputs agree: neither tells anything alone.
Dataset exclusive_or(Index n, Index d_x) {
  RandomStream random(1);
  Matrix x(d_x, n);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) x(k, i) = random.normal();
    y(0, i) = (x(0, i) * x(1, i) > 0 ? 1.0 : -1.0) + 0.3 * random.normal();
  }
  return {.x = x, .y = y};
}

Dataset with_columns(const Dataset& data, const std::vector<Index>& rows) {
  return {.x = Matrix(data.x(rows, Eigen::all)), .y = data.y};
}

TEST(SacdeGroups, AreTheInputsOfADatasetWithTheseGroups) {
  const Dataset data = planted(100, 4);
  Dataset together = data;
  together.groups = {0, 0, 1, 1};
  const Sacde by_option = Sacde::fit(data, grouped({7, 7, 3, 3}));
  const Sacde by_data = Sacde::fit(together, small());
  EXPECT_EQ(by_option.log_density(data.x, data.y), by_data.log_density(data.x, data.y));
  EXPECT_EQ(by_option.support(), by_data.support());
  EXPECT_EQ(by_option.feature_importances(), by_data.feature_importances());
  EXPECT_EQ(by_option.coefficients().cols(), 2);
  // Every input a group of its own is no group at all.
  EXPECT_EQ(Sacde::fit(data, grouped({5, 6, 7, 8})).log_density(data.x, data.y),
            Sacde::fit(data, small()).log_density(data.x, data.y));
}

TEST(SacdeGroups, NeedNotStandTogether) {
  const Dataset data = exclusive_or(150, 4);
  const std::vector<Index> order = {0, 2, 1, 3};
  const Dataset apart = with_columns(data, order);
  SacdeOptions options = grouped({0, 0, 1, 2});
  options.center_selection = CenterSelection::random;
  const Sacde near = Sacde::fit(data, options);
  options.groups = {0, 1, 0, 2};
  const Sacde far = Sacde::fit(apart, options);
  EXPECT_EQ(far.support(), Vector(near.support()(order)));
  EXPECT_LT((far.log_density(apart.x, apart.y) - near.log_density(data.x, data.y)).cwiseAbs().maxCoeff(), 1e-6);
  // Of the path each group is named by its first input.
  for (const Index input : far.path().inputs) EXPECT_NE(input, 2);
  EXPECT_TRUE(save_density(*load_density(save_density(far))) == save_density(far));
}

TEST(SacdeGroups, FindInputsThatActOnlyTogether) {
  const Dataset data = exclusive_or(300, 6);
  const Dataset test = exclusive_or(1300, 6).subset([] {
    std::vector<Index> later;
    for (Index i = 300; i < 1300; ++i) later.push_back(i);
    return later;
  }());
  const Sacde alone = Sacde::fit(data, small());
  const Sacde together = Sacde::fit(data, grouped({0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(together.support(), Vector(Vector::Unit(6, 0) + Vector::Unit(6, 1)));
  EXPECT_GT(together.log_density(test.x, test.y).mean(), alone.log_density(test.x, test.y).mean() + 0.2);
}

TEST(SacdeGroups, AreScreenedAndCountedAsOne) {
  const Dataset data = planted(120, 6);
  SacdeOptions options = grouped({0, 1, 2, 2, 1, 0});
  options.screening = 1;
  const Vector expected = Vector(Vector::Unit(6, 0) + Vector::Unit(6, 5));
  EXPECT_EQ(Sacde::fit(data, options).support(), expected);
  options.screening = 0;
  options.bandwidth = {1};
  options.stability_resamples = 10;
  options.stability_bound = 1;
  const Sacde stable = Sacde::fit(data, options);
  EXPECT_EQ(stable.support(), expected);
  // q^2 / ((2 tau - 1) p) with p = 3 groups, tau = 0.75: at most one of them in a half.
  EXPECT_EQ(stable.report().details.at("stability").at("inputs_per_half").as_number(), 1);
}

TEST(SacdeGroups, HaveOneTerm) {
  const Dataset data = exclusive_or(100, 4);
  SacdeOptions options = grouped({0, 1, 0, 2});
  options.regularization = {0.01};
  options.adaptive = false;
  options.bandwidth = {0.8};
  const Sacde model = Sacde::fit(data, options);
  EXPECT_EQ(model.rows_of_term(0), (std::vector<Index>{0, 2}));
  EXPECT_EQ(model.rows_of_term(2), (std::vector<Index>{0, 2}));
  EXPECT_EQ(model.rows_of_term(3), (std::vector<Index>{3}));
  const Matrix y = data.y.leftCols(5);
  const Matrix x = data.x.leftCols(7);
  EXPECT_EQ(model.contribution(0, x({0, 2}, Eigen::all), y), model.contribution(2, x({0, 2}, Eigen::all), y));
  EXPECT_EQ(complaint([&] { model.contribution(0, x.topRows(1), y); }),
            "SACDE: contribution of input 0: x has 1 rows, expected 2, those of its term");
  EXPECT_EQ(complaint([&] { model.rows_of_term(4); }), "SACDE: input = 4, expected 0 to 3");
  // A sum of all terms, each once, is what is normalised.
  for (Index i = 0; i < 5; ++i) {
    const Matrix own = data.x.col(i);
    const Matrix at = data.y.col(i);
    const auto sum_at = [&](const Matrix& place) {
      return model.contribution(0, own({0, 2}, Eigen::all), place)(0, 0) +
             model.contribution(1, own.row(1), place)(0, 0) + model.contribution(3, own.row(3), place)(0, 0) +
             model.constant_contribution(place)[0];
    };
    double integral = 0;
    for (double value = -6; value < 6; value += 0.01) integral += 0.01 * sum_at(Matrix::Constant(1, 1, value));
    const double share = 1 - model.state().defensive.weight;
    EXPECT_NEAR(model.log_density(own, at)[0], std::log(share * sum_at(at) / integral), 1e-2);
  }
}

TEST(SacdeGroups, OfADamagedFileAreRefused) {
  const Dataset data = planted(60, 3);
  Document saved = Sacde::fit(data, grouped({0, 1, 1})).to_document();
  Document options = saved.at("options");
  options.set("groups", Document(std::vector<double>{0, 1, 2}));
  saved.set("options", options);
  EXPECT_EQ(complaint<FormatError>([&] { Sacde::from_document(saved); }),
            "SACDE: groups and the inputs' numbers do not fit together");
}

TEST(SacdeGroups, EnterSalscdeWhole) {
  const Dataset data = planted(120, 4);
  SalscdeOptions options;
  options.selection = grouped({0, 1, 1, 0});
  options.options.bandwidth = {0.5};
  options.options.bandwidth_y = {0.3};
  options.options.regularization = {0.01};
  const Vector expected = Vector(Vector::Unit(4, 0) + Vector::Unit(4, 3));
  EXPECT_EQ(Salscde::fit(data, options).support(), expected);
  options.start = SelectionStart::empty;
  options.residual_level = 0.001;
  EXPECT_EQ(Salscde::fit(data, options).support(), expected);
}

TEST(SacdeGroups, OfATableAreThoseOfRowsInMemory) {
  const Dataset data = planted(700, 4);
  Document options = options_to_document(grouped({0, 1, 1, 0}));
  options.set("bandwidth", Document(std::vector<double>{0.7})).set("tolerance", 1e-12).set("adaptive", false);
  options.set("regularization", Document(std::vector<double>{0.3})).set("centers", joint(data, 30));
  const ModelInfo& info = find_model("sacde");
  cut_tables::Bytes table(data, 77);
  const auto plain = info.fit(data, "", options, {});
  const auto found = fit_by_sums(info, table, "", options, 0, {});
  EXPECT_LT(cut_tables::largest_difference(*plain, *found, data), 1e-8);  // of solutions to a gap of 1e-12
  EXPECT_EQ(info.results_of(*plain).at("support"), info.results_of(*found).at("support"));
}

TEST(SacdeGroups, NeedANumberForEveryInput) {
  const Dataset data = planted(60, 3);
  const std::string expected = "SACDE: groups has 2 numbers for 3 inputs, expected one for each, or none";
  EXPECT_EQ(complaint([&] { Sacde::fit(data, grouped({0, 1})); }), expected);
  SalscdeOptions options;
  options.selection = grouped({0, 1});
  EXPECT_EQ(complaint([&] { Salscde::fit(data, options); }), expected);
  EXPECT_EQ(complaint([&] {
              Sacde::fit(data, grouped({0, 1, -1}));
            }),
            "SACDE: groups = -1, expected a list of numbers, each >= 0");
}

TEST(Salscde, TheSecondStageMayFollowASelectionThatStands) {
  const Dataset data = planted(80, 3);
  SalscdeOptions options;
  options.selection = small();
  options.options.bandwidth = {0.5};
  options.options.bandwidth_y = {0.3};
  const Sacde selection = Sacde::fit(data, small());
  EXPECT_TRUE(save_density(Salscde::fit(selection, data, options)) == save_density(Salscde::fit(data, options)));
  EXPECT_EQ(complaint([&] { Salscde::fit(selection, planted(80, 2), options); }),
            "SALSCDE: a selection of 3 inputs and 1 targets for data of 2 and 1, expected the same numbers");
  options.selection.groups = {0, 0, 1};
  EXPECT_EQ(
      complaint([&] { Salscde::fit(selection, data, options); }),
      "SALSCDE: a selection among 3 groups of inputs with 2 in selection.groups, expected those of the selection");
  options.start = SelectionStart::empty;
  options.residual_level = 0.05;
  EXPECT_EQ(complaint([&] { Salscde::fit(selection, data, options); }),
            "SALSCDE: start = empty with a selection, expected additive");
}

}  // namespace
}  // namespace condens::sacde_groups_test
