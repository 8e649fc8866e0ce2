// What RSDE and SKD have in common: densities of Gaussian kernels at data points that a programme chooses.

#include <gtest/gtest.h>

#include <vector>

#include "condens/core/errors.hpp"
#include "condens/estimators/rsde.hpp"
#include "condens/estimators/skd.hpp"
#include "support/normals.hpp"
#include "support/two_bumps.hpp"

namespace condens::chosen_points_test {
namespace {

template <class M, class O>
struct With {
  using Model = M;
  using Options = O;
};

template <class T>
class ChosenPoints : public ::testing::Test {};

using Models = ::testing::Types<With<Rsde, RsdeOptions>, With<Skd, SkdOptions>>;
TYPED_TEST_SUITE(ChosenPoints, Models, );

TYPED_TEST(ChosenPoints, AWeightOfTwoIsTwoCopiesAndNoneIsAbsence) {
  using Model = typename TypeParam::Model;
  using Options = typename TypeParam::Options;
  const Dataset data = two_bumps(40, 2);
  Dataset weighted = data;
  weighted.weights = Vector::Ones(40);
  weighted.weights[3] = 2;
  weighted.weights[7] = 0;
  std::vector<Index> rows;
  for (Index i = 0; i < 40; ++i) {
    if (i != 7) rows.push_back(i);
  }
  rows.push_back(3);
  const Dataset test = two_bumps(30, 2, 9);
  for (Options options : {Options{}, Options::paper()}) {
    options.merge_copies = true;
    const Model by_weight = Model::fit(weighted, options);
    const Model by_copies = Model::fit(data.subset(rows), options);
    EXPECT_NEAR(by_weight.state().bandwidth, by_copies.state().bandwidth, 1e-6);
    const Vector difference = by_weight.log_density(test.x, test.y) - by_copies.log_density(test.x, test.y);
    EXPECT_LE(difference.cwiseAbs().maxCoeff(), 1e-5);
  }
}

TYPED_TEST(ChosenPoints, CopiesLeaveOneByOneWhereTheyAreNotMerged) {
  using Model = typename TypeParam::Model;
  using Options = typename TypeParam::Options;
  // Every row twice: a row that is held out alone meets its copy and scores better.
  const Dataset data = two_bumps(25, 2);
  std::vector<Index> twice;
  for (Index i = 0; i < 25; ++i) twice.insert(twice.end(), {i, i});
  Options options = Options::paper();
  EXPECT_FALSE(options.merge_copies);
  options.bandwidth = {0.2, 0.3};
  options.target_bandwidth = {0.2};
  options.cv = {50};
  const auto score = [&] { return Model::fit(data.subset(twice), options).report().details.at("score").as_number(); };
  const double apart = score();
  options.merge_copies = true;
  EXPECT_LT(apart, score() - 0.01);
}

TYPED_TEST(ChosenPoints, HardDataStillHaveADensity) {
  using Model = typename TypeParam::Model;
  using Options = typename TypeParam::Options;
  const auto fits = [](const Matrix& y) {
    for (const Options& options : {Options{}, Options::paper()}) {
      const Model model = Model::fit({.x = Matrix(0, y.cols()), .y = y}, options);
      EXPECT_TRUE(model.log_density(Matrix(0, y.cols()), y).allFinite());
      EXPECT_NEAR(model.kernel_weights().sum(), 1.0, 1e-12);
    }
  };
  fits(Matrix{{0.0, 1.0}});                      // two rows
  fits(Matrix{{0.0, 0.0, 0.0, 1.0, 1.0, 1.0}});  // two different ones
  fits(normals(6, 3, 1));                        // fewer rows than dimensions
  fits(normals(1, 30, 2).cwiseMax(-0.5));        // ties
  fits(normals(300, 4, 4));                      // densities that no double holds
  Matrix far = normals(1, 30, 3);
  far(0, 4) = 1e8;
  fits(far);
}

TYPED_TEST(ChosenPoints, CanBeCancelled) {
  const Run run{.threads = 1, .observer = [](auto, double) { return false; }};
  EXPECT_THROW(TypeParam::Model::fit(two_bumps(300, 1), {}, run), Cancelled);
}

}  // namespace
}  // namespace condens::chosen_points_test
