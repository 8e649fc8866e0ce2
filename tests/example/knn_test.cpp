// The example of docs/extending.md against its formula, and in the registry. The contract suite runs on it as on every
// registered model (EveryModel/Contract.*/knn_*).

#include "knn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/registered_models.hpp"

namespace condens::knn_test {
namespace {

KnnOptions plain() {
  KnnOptions out = KnnOptions::paper();
  out.n_neighbors = {3};
  out.bandwidth_y = {0.5};
  out.standardize = false;
  return out;
}

/// The formula of the head of knn.hpp, by looking at every row.
double plain_density(const Dataset& data, const Vector& x, double y, std::size_t k, double s) {
  std::vector<std::pair<double, double>> rows;  // distance, y
  for (Index i = 0; i < data.size(); ++i) rows.emplace_back((data.x.col(i) - x).norm(), data.y(0, i));
  std::sort(rows.begin(), rows.end());
  double sum = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const double z = (y - rows[i].second) / s;
    sum += std::exp(-0.5 * z * z) / (s * std::sqrt(2 * std::numbers::pi));
  }
  return sum / static_cast<double>(k);
}

TEST(Knn, IsTheFormula) {
  const Dataset data = registered::sample_data(30, 2, 1, 3);
  const Knn model = Knn::fit(data, plain());
  const Dataset test = registered::sample_data(10, 2, 1, 4);
  const Vector found = model.log_density(test.x, test.y);
  for (Index i = 0; i < test.size(); ++i) {
    EXPECT_NEAR(std::exp(found[i]), plain_density(data, test.x.col(i), test.y(0, i), 3, 0.5), 1e-14) << i;
  }
}

TEST(Knn, RowsAtTheSameDistanceEnterTogether) {
  const Dataset data{.x = Matrix{{0.0, 1.0, -1.0, 5.0}}, .y = Matrix{{0.0, 1.0, 2.0, 9.0}}};
  KnnOptions options = plain();
  options.n_neighbors = {2};
  const GaussianMixtures laws = Knn::fit(data, options).predict(Matrix::Zero(1, 1));
  EXPECT_NEAR(laws.mean()(0, 0), 1.0, 1e-14);  // of 0, 1 and 2
}

TEST(Knn, AWeightOfTwoIsTwoRows) {
  const Dataset twice{.x = Matrix{{0.0, 0.0, 1.0, 2.0}}, .y = Matrix{{0.0, 0.0, 1.0, 2.0}}};
  const Dataset weighted{
      .x = Matrix{{0.0, 1.0, 2.0}}, .y = Matrix{{0.0, 1.0, 2.0}}, .weights = Vector{{2.0, 1.0, 1.0}}};
  const Matrix x{{0.1, 0.9, 7.0}};
  const Matrix y{{0.3, 0.3, 0.3}};
  const Vector difference = Knn::fit(twice, plain()).log_density(x, y) - Knn::fit(weighted, plain()).log_density(x, y);
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Knn, ChoosesAmongItsCandidatesAndTells) {
  const auto model = find_model("knn").fit(registered::sample_data(60, 1, 1, 5), "", {}, {});
  const auto tuning = model->report().tuning();
  ASSERT_TRUE(tuning.has_value());
  EXPECT_EQ(tuning->names, (std::vector<std::string>{"n_neighbors", "bandwidth_y"}));
  EXPECT_EQ(tuning->candidates.size(), 16U);
  EXPECT_EQ(tuning->candidates.front().score, model->report().score()->value);
}

TEST(Knn, AFileWhosePartsDoNotFitIsRefused) {
  const Document saved = save_density(Knn::fit(registered::sample_data(20, 2, 1, 6), plain()));
  const auto refused = [&](const char* name, const Document& part) {
    Document parameters = saved.at("parameters");
    Document changed = saved;
    changed.set("parameters", parameters.set(name, part));
    return complaint<FormatError>([&] { load_density(changed); });
  };
  EXPECT_EQ(refused("x", Matrix(Matrix::Zero(3, 20))), "NearestNeighbors: x has length 3 along n_inputs, expected 2");
  EXPECT_EQ(refused("weights", Vector(Vector::Ones(19))),
            "NearestNeighbors: weights has length 19 along n_samples, expected 20");
  EXPECT_EQ(refused("bandwidth_y", -1.0), "NearestNeighbors: bandwidth_y holds -1, expected finite numbers > 0");
  EXPECT_EQ(refused("y", Matrix(1, 0)), "NearestNeighbors: y has length 0 along n_samples, expected 20");
}

TEST(Registry, TakesAModelOfYourOwnOnce) {
  EXPECT_FALSE(find_model("knn").shipped);
  EXPECT_TRUE(find_model(default_model).shipped);
  EXPECT_EQ(complaint([] { register_model(describe_model<Knn, KnnOptions>("knn", "Another", "", "")); }),
            "register_model: 'knn' (Another) is there already, expected a new name");
}

}  // namespace
}  // namespace condens::knn_test
