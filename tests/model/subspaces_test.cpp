// What a bootstrap says of directions: of every model that reduces its inputs.

#include "condens/model/subspaces.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "condens/core/random.hpp"
#include "condens/io/model_file.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::model_subspaces_test {
namespace {

/// y follows x1 - x3 (counting from 1), inputs on different scales.
Dataset sample(Index n, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix x = normals(4, n, random);
  const Matrix y = x.row(0) - x.row(2) + 0.3 * normals(1, n, random);
  x.row(0) *= 10.0;
  return {.x = x, .y = y};
}

Document options_of(const std::string& name) {
  Document out = Document::Object{{"n_components", 1}, {"cv", Document::Array{3}}};
  if (name == "sliced" || name == "lsmi") out.set("model", "ekde");
  if (name == "sliced") return out;
  return out.set("bandwidth", 0.7).set("bandwidth_y", 0.3).set("regularization", 0.01).set("n_centers", 30);
}

Model fit(const std::string& name, const Dataset& data, const Document& options, Index replicates, int threads = 1) {
  TargetRequest request{.replicates = replicates, .worth_of_inputs = false};
  TargetModel fitted = fit_target(find_model(name), request, data, "", options,
                                  [](Index row) { return std::to_string(row); }, {.threads = threads, .observer = {}});
  return {Encoder::generic(data.x.rows(), data.y.rows()), std::move(fitted.density), std::move(fitted.target),
          std::move(fitted.conformal), std::move(fitted.replicates)};
}

const ProjectedDensity& projected(const ConditionalDensity& model) {
  return dynamic_cast<const ProjectedDensity&>(model);
}

/// The projection onto the directions in units of the data, then on the scale of the model.
Matrix plain_projection(const ProjectedDensity& own, const Standardizer& scale) {
  const Matrix of_data = own.components() * own.x_scale().scale().cwiseInverse().asDiagonal();
  const Matrix a = of_data * scale.scale().asDiagonal();
  return a.transpose() * (a * a.transpose()).inverse() * a;
}

TEST(SubspaceIntervals, AreRanksOfTheReplicatesOfEveryReduction) {
  const Dataset data = sample(80);
  for (const std::string& name : models_that("reduces_inputs")) {
    if (name == "knn") continue;
    constexpr Index count = 19;
    const Model model = fit(name, data, options_of(name), count);
    const ProjectedDensity& fitted = projected(*model.density);
    const SubspaceIntervals found = subspace_intervals(*model.density, *model.replicates, 0.9);
    const Matrix p = fitted.components().transpose() * fitted.components();
    EXPECT_LT((found.projection - p).norm(), 1e-12) << name;
    std::vector<Matrix> all;
    for (Index r = 0; r < count; ++r) {
      const auto own = model.replicates->density(*model.density, r);
      all.push_back(plain_projection(projected(*own), fitted.x_scale()));
      EXPECT_NEAR(found.distances[r], (all.back() - p).norm() / std::sqrt(2.0), 1e-9) << name;
      EXPECT_NEAR(std::sin(found.angles(0, r)), found.distances[r], 1e-9) << name;
    }
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 4; ++j) {
        std::vector<double> entries;
        for (const Matrix& own : all) entries.push_back(own(i, j));
        std::sort(entries.begin(), entries.end());  // ranks 0.05 * 20 and 0.95 * 20
        EXPECT_NEAR(found.lower(i, j), entries.front(), 1e-9) << name;
        EXPECT_NEAR(found.upper(i, j), entries.back(), 1e-9) << name;
      }
    }
    std::vector<double> distances(found.distances.begin(), found.distances.end());
    std::sort(distances.begin(), distances.end());
    EXPECT_EQ(found.distance_bound, distances[17]) << name;  // 18 of 19 are 94.7 %, 17 fewer than 90
    EXPECT_EQ(found.loaded, Vector(Vector::Ones(4))) << name;
    // y depends on x1 and x3 alike, on the standardised scale.
    EXPECT_LT(found.lower(0, 0), 0.5) << name;
    EXPECT_GT(found.upper(0, 0), 0.5) << name;
    EXPECT_LT(found.upper(1, 1), 0.2) << name;
  }
}

TEST(SubspaceIntervals, SurviveFilesAndThreads) {
  const Dataset data = sample(60);
  const Model model = fit("lsce", data, options_of("lsce"), 19);
  const SubspaceIntervals expected = subspace_intervals(*model.density, *model.replicates);
  const Model read = parse_model(to_cbor(model), "here");
  const Model threads = fit("lsce", data, options_of("lsce"), 19, 3);
  for (const Model* other : {&read, &threads}) {
    const SubspaceIntervals found = subspace_intervals(*other->density, *other->replicates);
    EXPECT_EQ(found.lower, expected.lower);
    EXPECT_EQ(found.angles, expected.angles);
  }
}

TEST(SubspaceIntervals, SearchesOfReplicatesStartAtTheFittedDirections) {
  const Dataset data = sample(60);
  for (const std::string name : {"lsce", "lsmi"}) {
    const Model model = fit(name, data, options_of(name), 1);
    const ProjectedDensity& fitted = projected(*model.density);
    const Document options = model.replicates->density(*model.density, 0)->options();
    EXPECT_EQ(options.at("random_starts").as_integer(), 0);
    EXPECT_FALSE(options.at("informed_starts").as_bool());
    const Matrix start = options.at("start_directions").as_matrix();
    const Matrix directions = fitted.components() * fitted.x_scale().scale().cwiseInverse().asDiagonal();
    EXPECT_LT((start.transpose() - directions).norm(), 1e-12) << name;
  }
}

TEST(SubspaceIntervals, SayWhatIsWrong) {
  const Dataset data = sample(40);
  const Model nw = fit("parzen", data, Document::Object{}, 19);
  EXPECT_EQ(complaint([&] { subspace_intervals(*nw.density, *nw.replicates); }),
            "subspace_intervals: parzen does not reduce its inputs, expected a model that does");
  const Model few = fit("sliced", data, options_of("sliced"), 5);
  EXPECT_EQ(
      complaint([&] { subspace_intervals(*few.density, *few.replicates); }),
      "bands: level = 0.9 of 5 replicates, expected at least 19 of them: fit with bootstrap = 19 or more, or take "
      "a lower level");
}

TEST(SubspaceChange, OfModelsIsOnOneScale) {
  const Dataset data = sample(200);
  Matrix x = data.x;
  x.row(1) *= 50.0;  // other units: the same directions on a standardised scale
  const Dataset other{.x = x, .y = data.y};
  const Model a = fit("sliced", data, options_of("sliced"), 0);
  const Model b = fit("sliced", other, options_of("sliced"), 0);
  EXPECT_LT(subspace_change(projected(*a.density), projected(*b.density)).distance, 1.0);
  const Model same = fit("sliced", data, options_of("sliced"), 0);
  EXPECT_LT(subspace_change(projected(*a.density), projected(*same.density)).distance, 1e-12);
  const Dataset fewer{.x = data.x.topRows(3), .y = data.y};
  const Model c = fit("sliced", fewer, options_of("sliced"), 0);
  EXPECT_EQ(complaint([&] { subspace_change(projected(*a.density), projected(*c.density)); }),
            "subspace_change: models of 4 and of 3 inputs, expected as many");
}

}  // namespace
}  // namespace condens::model_subspaces_test
