// LSCE: planted subspaces, the paper's closed formulas, cross-validation as loops, bad input.

#include "condens/estimators/lsce.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/registry.hpp"
#include "optim/grassmann.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_lscde.hpp"
#include "support/plain_lsce.hpp"

namespace condens::lsce_test {
namespace {

/// Illustration (b) of the paper's section 3.2, turned: y = t + t^2 + t^3 + noise, t = (x1 + x2) / sqrt(2).
Dataset cubic(Index d_x, Index n, std::uint64_t seed = 1) {
  RandomStream random(seed);
  const Matrix x = normals(d_x, n, random);
  Matrix y(1, n);
  for (Index i = 0; i < n; ++i) {
    const double t = (x(0, i) + (d_x > 1 ? x(1, i) : 0.0)) / std::sqrt(2.0);
    y(0, i) = t + t * t + t * t * t + 0.25 * random.normal();
  }
  return {.x = x, .y = y};
}

/// (a): y = x1^2 + x2^2 + noise.
Dataset squares(Index d_x, Index n, std::uint64_t seed = 1) {
  RandomStream random(seed);
  const Matrix x = normals(d_x, n, random);
  const Matrix y = x.topRows(2).colwise().squaredNorm() + 0.25 * normals(1, n, random);
  return {.x = x, .y = y};
}

/// The direction of `cubic`.
Matrix diagonal(Index d_x) {
  Matrix out = Matrix::Zero(1, d_x);
  out.leftCols(2).setConstant(std::sqrt(0.5));
  return out;
}

LsceOptions quick(double n_components) {
  LsceOptions out;
  out.n_components = {n_components};
  out.bandwidth = {0.3, 0.6};
  out.bandwidth_y = {0.3};
  out.regularization = {0.01};
  out.n_centers = 40;
  return out;
}

/// One cell and given centres on the scale of the data: nothing is chosen but W.
LsceOptions closed(const Dataset& data, Index b, double n_components) {
  LsceOptions out = LsceOptions::paper();
  out.n_components = {n_components};
  out.bandwidth = {0.8};
  out.bandwidth_y = {0.5};
  out.regularization = {0.02};
  out.centers.resize(data.x.rows() + data.y.rows(), b);
  out.centers << data.x.leftCols(b), data.y.leftCols(b);
  out.random_starts = 2;
  out.standardize = false;
  return out;
}

plain::Lsce loops(const Dataset& data, const LsceOptions& options) {
  return {.x = data.x,
          .y = data.y,
          .w = data.weights.size() > 0 ? data.weights : Vector::Ones(data.size()),
          .centers_x = options.centers.topRows(data.x.rows()),
          .centers_y = options.centers.bottomRows(data.y.rows()),
          .sigma = options.bandwidth[0],
          .sigma_y = options.bandwidth_y.empty() ? options.bandwidth[0] : options.bandwidth_y[0],
          .lambda = options.regularization[0]};
}

bool has_warning(const ConditionalDensity& model, std::string_view words) {
  for (const std::string& warning : model.report().warnings) {
    if (warning.find(words) != std::string::npos) return true;
  }
  return false;
}

/// The first row that a search on `count` of n rows does not see.
Index not_in_sample(Index n, Index count) {
  const std::vector<Index> places = sample_of_places(n, count, 0);
  Index row = 0;
  while (row < count && places[static_cast<std::size_t>(row)] == row) ++row;
  return row;
}

double departure_from_orthonormal(const Matrix& w) {
  return (w * w.transpose() - Matrix::Identity(w.rows(), w.rows())).cwiseAbs().sum();
}

TEST(Lsce, FindsPlantedSubspaces) {
  const Lsce line = Lsce::fit(cubic(5, 150), quick(1));
  EXPECT_LT(principal_angles(line.components(), diagonal(5))[0], 0.1);
  EXPECT_LT(departure_from_orthonormal(line.components()), 1e-12);
  LsceOptions options = quick(2);
  options.n_centers = 80;
  const Lsce plane = Lsce::fit(squares(4, 250), options);
  EXPECT_LT(principal_angles(plane.components(), Matrix::Identity(2, 4)).maxCoeff(), 0.2);
  EXPECT_EQ(plane.n_components(), 2);
  EXPECT_LT(departure_from_orthonormal(plane.components()), 1e-12);
  for (const auto& row : plane.components().rowwise()) EXPECT_GT(row.maxCoeff(), -row.minCoeff());
}

TEST(Lsce, ThePapersProcedureFindsThem) {
  LsceOptions options = LsceOptions::paper();
  options.n_components = {1};
  options.bandwidth = {0.2, 0.5};
  options.regularization = {0.01, 0.1};
  options.n_centers = 40;
  options.random_starts = 4;
  const Lsce model = Lsce::fit(cubic(4, 100), options);
  EXPECT_LT(principal_angles(model.components(), diagonal(4))[0], 0.15);
  EXPECT_EQ(model.state().bandwidth, model.state().bandwidth_y);
  const Document& starts = model.report().details.at("starts");
  EXPECT_EQ(starts.at("start").as_strings(), std::vector<std::string>(4, "random"));
  // Compared under equal hyper-parameters, the one with the least value stands.
  EXPECT_EQ(starts.at("objective").as_vector().minCoeff(), model.state().sce);
}

TEST(Lsce, SceAndDensityAreTheClosedFormulas) {
  const Dataset data = cubic(3, 60);
  for (const LsceOptimizer optimizer : {LsceOptimizer::lbfgs, LsceOptimizer::steepest}) {
    LsceOptions options = closed(data, 15, 2);
    options.optimizer = optimizer;
    const Lsce model = Lsce::fit(data, options);
    const Matrix w = model.components();
    const auto at_w = loops(data, options)(w);
    EXPECT_NEAR(model.state().sce, at_w.plug_in, 1e-12);
    const Matrix slope = at_w.gradient - at_w.gradient * w.transpose() * w;
    EXPECT_LT(slope.cwiseAbs().maxCoeff(), 1e-3);  // a minimum
    const plain::Lscde density =
        plain::fit(w * data.x, data.y, Vector::Ones(60), w * data.x.leftCols(15), data.y.leftCols(15), 0.8, 0.5, 0.02);
    const Dataset test = cubic(3, 20, 2);
    const Vector fast = model.log_density(test.x, test.y);
    for (Index i = 0; i < 20; ++i) {
      EXPECT_NEAR(fast[i], density.log_density(w * test.x.col(i), test.y.col(i)), 1e-9);
    }
  }
}

// SCE is in units of y to the power -d_y: the search must not take a small number for a flat one.
TEST(Lsce, UnitsOfUnstandardisedColumnsDoNotMatter) {
  const Dataset data = cubic(4, 80);
  for (const LsceOptimizer optimizer : {LsceOptimizer::lbfgs, LsceOptimizer::steepest}) {
    LsceOptions options = closed(data, 20, 1);
    options.optimizer = optimizer;
    options.informed_starts = true;
    const Lsce expected = Lsce::fit(data, options);
    EXPECT_EQ(expected.report().status, "ok");
    for (const double unit : {1024.0, 1000.0, 1e-3, 1e6}) {
      const Dataset scaled{.x = Matrix(unit * data.x), .y = Matrix(unit * data.y)};
      LsceOptions own = options;
      own.bandwidth[0] *= unit;
      own.bandwidth_y[0] *= unit;
      own.regularization[0] *= unit;
      own.centers *= unit;
      const Lsce found = Lsce::fit(scaled, own);
      EXPECT_EQ(found.report().status, "ok") << unit;
      EXPECT_NEAR(unit * found.state().sce, expected.state().sce, 1e-7 * std::abs(expected.state().sce)) << unit;
      EXPECT_LT(principal_angles(found.components(), expected.components())[0], 1e-3) << unit;
    }
  }
}

TEST(Lsce, StandardisedDataAreWhatIsSearched) {
  Dataset data = cubic(3, 60);
  data.x = Matrix(Vector{{3.0, 0.1, 7.0}}.asDiagonal() * data.x);
  data.y = Matrix(5.0 * data.y.array() + 2.0);
  LsceOptions options = closed(data, 15, 1);
  options.standardize = true;
  const Lsce model = Lsce::fit(data, options);
  const Standardizer x = Standardizer::fit(data.x, Vector());
  const Standardizer y = Standardizer::fit(data.y, Vector());
  const Dataset scaled{.x = x.transform(data.x), .y = y.transform(data.y)};
  const LsceOptions same = closed(scaled, 15, 1);
  EXPECT_NEAR(model.state().sce, loops(scaled, same)(model.components()).plug_in, 1e-12);
  EXPECT_LT((model.transform(data.x) - model.components() * scaled.x).cwiseAbs().maxCoeff(), 1e-12);
  const Lsce other = Lsce::fit(scaled, same);
  EXPECT_LT((model.log_density(data.x, data.y).array() + std::log(y.scale()[0]) -
             other.log_density(scaled.x, scaled.y).array())
                .abs()
                .maxCoeff(),
            1e-6);
}

/// CV_j of section 2.4 by loops, and with `nll` the log density of LSCDE.
Vector held_out(const Dataset& data, const LsceOptions& options, const Matrix& w, const std::vector<Index>& fold,
                bool nll) {
  const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
  Vector out = Vector::Zero(folds);
  for (Index k = 0; k < folds; ++k) {
    std::vector<Index> train;
    std::vector<Index> test;
    for (std::size_t i = 0; i < fold.size(); ++i) (fold[i] == k ? test : train).push_back(static_cast<Index>(i));
    const plain::Lsce part = loops(data.subset(train), options);
    const Dataset held = data.subset(test);
    const plain::Lsce rest = loops(held, options);
    const Vector a = part(w).a;
    const auto kernels = rest.kernels(w);
    const plain::Lscde density = plain::fit(w * part.x, part.y, part.w, w * part.centers_x, part.centers_y, part.sigma,
                                            part.sigma_y, part.lambda);
    for (Index i = 0; i < held.size(); ++i) {
      const Vector phi = kernels.Phi.row(i).transpose().cwiseProduct(a);
      const double loss = nll ? -density.log_density(w * held.x.col(i), held.y.col(i))
                              : 0.5 * phi.dot(kernels.V * phi) - phi.dot(kernels.Psi.row(i).transpose());
      out[k] += loss / static_cast<double>(held.size());
    }
  }
  return out;
}

TEST(Lsce, ChoosesTheCellThatLoopsChoose) {
  const Dataset data = cubic(1, 40);
  LsceOptions options = closed(data, 12, 1);
  const std::vector<Index> fold = assign_folds(40, 4, 3);
  options.cv.assign(fold.begin(), fold.end());
  options.bandwidth = {0.3, 0.9, 2.0};
  options.bandwidth_y = {0.2, 0.6};
  options.regularization = {1e-3, 0.1, 1.0};
  double best = std::numeric_limits<double>::infinity();
  LsceOptions chosen = options;
  for (const double s : options.bandwidth) {
    for (const double s_y : options.bandwidth_y) {
      for (const double lambda : options.regularization) {
        LsceOptions cell = options;
        cell.bandwidth = {s};
        cell.bandwidth_y = {s_y};
        cell.regularization = {lambda};
        const double score = held_out(data, cell, Matrix::Identity(1, 1), fold, false).mean();
        if (score >= best) continue;
        best = score;
        chosen = cell;
      }
    }
  }
  const Lsce model = Lsce::fit(data, options);
  EXPECT_EQ(model.state().bandwidth, chosen.bandwidth[0]);
  EXPECT_EQ(model.state().bandwidth_y, chosen.bandwidth_y[0]);
  EXPECT_EQ(model.state().regularization, chosen.regularization[0]);
}

TEST(Lsce, ScoresOfAllInputsAreThoseOfLoops) {
  const Dataset data = cubic(2, 40);
  for (const bool nll : {false, true}) {
    LsceOptions options = closed(data, 12, 1);
    options.n_components = {1, 2};
    options.scoring = nll ? Scoring::nll : Scoring::squared;
    const std::vector<Index> fold = assign_folds(40, 4, 3);
    options.cv.assign(fold.begin(), fold.end());
    const Lsce model = Lsce::fit(data, options);
    const Document& candidates = model.report().details.at("candidates");
    EXPECT_EQ(candidates.at("n_components").as_vector(), (Vector{{1, 2}}));
    const Vector folds = held_out(data, options, Matrix::Identity(2, 2), fold, nll);
    EXPECT_NEAR(candidates.at("score").as_vector()[1], folds.mean(), 1e-10);
    EXPECT_NEAR(candidates.at("standard_error").as_vector()[1],
                std::sqrt((folds.array() - folds.mean()).square().sum() / 12.0), 1e-10);
  }
}

TEST(Lsce, ChoosesTheNumberOfComponents) {
  LsceOptions options = quick(1);
  options.n_components = {};
  const Lsce one = Lsce::fit(cubic(4, 120), options);
  EXPECT_EQ(one.n_components(), 1);
  const Vector tried = one.report().details.at("candidates").at("n_components").as_vector();
  EXPECT_EQ(tried, (Vector{{1, 2, 3}}));  // two in a row that are no better end it
  const Lsce two = Lsce::fit(squares(4, 120), options);
  EXPECT_EQ(two.n_components(), 2);
  EXPECT_EQ(two.report().details.at("score").as_number(),
            two.report().details.at("candidates").at("score").as_vector()[1]);
  options.n_components = {3, 1};
  const Lsce given = Lsce::fit(cubic(4, 120), options);
  EXPECT_EQ(given.report().details.at("candidates").at("n_components").as_vector(), (Vector{{1, 3}}));
}

TEST(Lsce, TellsWhereTheStartsEnded) {
  LsceOptions options = quick(2);
  options.random_starts = 2;
  const Lsce model = Lsce::fit(squares(4, 120), options);
  const Document& starts = model.report().details.at("starts");
  const std::vector<std::string> names = starts.at("start").as_strings();
  EXPECT_EQ(names, (std::vector<std::string>{"nw", "sir", "save", "random", "random"}));
  const Vector objective = starts.at("objective").as_vector();
  const Vector angle = starts.at("angle").as_vector();
  const Vector left_behind = starts.at("left_behind").as_vector();
  EXPECT_EQ(left_behind.size(), 5);
  EXPECT_GE(left_behind.sum(), 2.0);  // three go to the end
  Index best = 0;
  EXPECT_EQ(objective.minCoeff(&best), model.report().details.at("objective").as_number());
  EXPECT_LT(angle[best], 1e-7);
  EXPECT_EQ(left_behind[best], 0.0);
  EXPECT_GE(angle.minCoeff(), 0.0);
  for (Index k = 0; k < angle.size(); ++k) {
    // Subspaces that are the same have the same value.
    if (angle[k] < 1e-7) {
      EXPECT_NEAR(objective[k], objective[best], 1e-6) << names[static_cast<std::size_t>(k)];
    }
  }
}

TEST(Lsce, GoesOnFromGivenDirections) {
  const Dataset drawn = cubic(5, 150);
  Matrix x = drawn.x;
  x.row(1) *= 7.0;  // directions are in units of the data
  const Dataset data{.x = x, .y = drawn.y};
  LsceOptions options = quick(1);
  options.informed_starts = false;
  options.random_starts = 0;
  options.start_directions = Matrix{{1.0}, {1.0 / 7.0}, {0.0}, {0.3}, {0.0}};
  const Lsce given = Lsce::fit(data, options);
  const Document& starts = given.report().details.at("starts");
  EXPECT_EQ(starts.at("start").as_strings(), std::vector<std::string>{"given"});
  EXPECT_LT(principal_angles(given.components(), diagonal(5))[0], 0.1);
  options.max_steps = 1;  // still near where it began, within one step
  const Lsce one_step = Lsce::fit(data, options);
  Matrix begin = options.start_directions.transpose() * one_step.x_scale().scale().asDiagonal();
  begin /= begin.norm();
  EXPECT_LT(principal_angles(one_step.components(), begin)[0], 0.3);
  // As many of them as there are components, and others where there are fewer.
  options = quick(2);
  options.start_directions = Matrix::Identity(5, 3);
  EXPECT_EQ(Lsce::fit(data, options).report().details.at("starts").at("start").as_strings().front(), "given");
  options.start_directions = Matrix::Identity(5, 1);
  EXPECT_EQ(Lsce::fit(data, options).n_components(), 2);
}

TEST(Lsce, AsManyComponentsAsInputsIsLscde) {
  const Dataset data = cubic(2, 50);
  for (const double count : {2.0, 7.0}) {
    const LsceOptions options = closed(data, 12, count);
    const Lsce model = Lsce::fit(data, options);
    EXPECT_EQ(model.components(), Matrix::Identity(2, 2));
    EXPECT_TRUE(has_warning(model,
                            "n_components is 2, as many as there are inputs that vary (2): nothing is reduced, "
                            "this is LSCDE"));
    LscdeOptions lscde = LscdeOptions::paper();
    lscde.bandwidth = options.bandwidth;
    lscde.bandwidth_y = options.bandwidth_y;
    lscde.regularization = options.regularization;
    lscde.centers = options.centers;
    lscde.standardize = false;
    const Vector own = model.log_density(data.x, data.y);
    EXPECT_LT((own - Lscde::fit(data, lscde).log_density(data.x, data.y)).cwiseAbs().maxCoeff(), 1e-12);
  }
  const Lsce one = Lsce::fit(cubic(1, 50), quick(1));
  EXPECT_EQ(one.components(), Matrix::Identity(1, 1));
  EXPECT_TRUE(has_warning(one, "nothing is reduced"));
}

TEST(Lsce, NoInputsIsADensity) {
  Dataset data = cubic(2, 60);
  data.x = Matrix(0, 60);
  for (const LsceOptions& options : {LsceOptions{}, LsceOptions::paper()}) {
    const Lsce model = Lsce::fit(data, options);
    EXPECT_EQ(model.components().rows(), 0);
    EXPECT_TRUE(model.log_density(Matrix(0, 60), data.y).allFinite());
  }
  // Inputs that do not vary are none.
  data.x = Matrix::Constant(2, 60, 4.0);
  const Lsce constant = Lsce::fit(data, quick(1));
  EXPECT_EQ(constant.n_components(), 0);
  EXPECT_EQ(constant.components().cols(), 2);
  EXPECT_TRUE(has_warning(constant, "input 1 is constant and plays no part"));
  EXPECT_TRUE(constant.log_density(data.x, data.y).allFinite());
  EXPECT_TRUE(save_density(*load_density(save_density(constant))) == save_density(constant));
}

TEST(Lsce, ConstantInputsHaveNoLoading) {
  const Dataset data = cubic(3, 80);
  Matrix x(4, 80);
  x << data.x.topRows(1), Matrix::Constant(1, 80, 7.0), data.x.bottomRows(2);
  const Lsce with = Lsce::fit({.x = x, .y = data.y}, quick(1));
  const Lsce without = Lsce::fit(data, quick(1));
  EXPECT_EQ(with.components()(0, 1), 0.0);
  EXPECT_EQ(with.components()(Eigen::all, std::vector<Index>{0, 2, 3}), without.components());
  EXPECT_TRUE(has_warning(with, "input 2 is constant and plays no part"));
  EXPECT_LT((with.log_density(x, data.y) - without.log_density(data.x, data.y)).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Lsce, HardDataGiveFiniteLaws) {
  const auto check = [](const Dataset& data, const LsceOptions& options) {
    const Lsce model = Lsce::fit(data, options);
    EXPECT_TRUE(model.components().allFinite());
    EXPECT_LT(departure_from_orthonormal(model.components()), 1e-12);
    EXPECT_TRUE(model.log_density(data.x, data.y).allFinite());
  };
  const Dataset data = cubic(3, 60);
  for (const double components : {1.0, 2.0}) {
    Matrix collinear(5, 60);
    collinear << data.x, data.x.row(0), data.x.row(0) + data.x.row(1);
    check({.x = collinear, .y = data.y}, quick(components));
    check({.x = normals(40, 25, 1), .y = normals(1, 25, 2)}, quick(components));  // fewer rows than inputs
    check({.x = data.x, .y = data.y.array().round().matrix()}, quick(components));
    // A category of three levels as indicators.
    Matrix indicators = Matrix::Zero(4, 60);
    indicators.row(0) = data.x.row(0);
    for (Index i = 0; i < 60; ++i) indicators(1 + i % 3, i) = 1.0;
    check({.x = indicators, .y = data.y, .groups = {0, 1, 1, 1}}, quick(components));
    check({.x = data.x, .y = Matrix(data.x.topRows(2) + 0.1 * normals(2, 60, 3))}, quick(components));
    Dataset copies = data.subset(std::vector<Index>(30, 0));
    copies.y = normals(1, 30, 2);
    Matrix x = copies.x;
    x.col(0).array() += 1.0;  // all rows but one have the same x
    copies.x = x;
    check(copies, quick(components));
  }
}

TEST(Lsce, WeightsAreCopiesAndZeroIsAbsence) {
  const Dataset data = cubic(3, 40);
  const LsceOptions options = [&] {
    LsceOptions out = closed(data, 12, 1);
    out.informed_starts = true;
    out.optimizer = LsceOptimizer::lbfgs;
    out.tuning = LsceTuning::common;
    return out;
  }();
  Dataset weighted = data;
  weighted.weights.resize(40);
  std::vector<Index> rows;
  for (Index i = 0; i < 40; ++i) {
    weighted.weights[i] = static_cast<double>(i % 3);
    for (Index k = 0; k < i % 3; ++k) rows.push_back(i);
  }
  const Lsce by_weight = Lsce::fit(weighted, options);
  const Lsce by_copies = Lsce::fit(data.subset(rows), options);
  EXPECT_NEAR(by_weight.state().sce, by_copies.state().sce, 1e-9);
  EXPECT_LT(principal_angles(by_weight.components(), by_copies.components())[0], 1e-4);
  std::vector<Index> counted;
  for (Index i = 0; i < 40; ++i) {
    if (i % 3 > 0) counted.push_back(i);
  }
  EXPECT_TRUE(Lsce::fit(weighted.subset(counted), options).to_document() == by_weight.to_document());
}

TEST(Lsce, ThreadsDoNotChangeOneBit) {
  const Dataset data = squares(4, 90);
  LsceOptions paper = LsceOptions::paper();
  paper.n_components = {2};
  paper.random_starts = 3;
  paper.max_steps = 10;
  paper.bandwidth = {0.5, 1.0};
  paper.regularization = {0.1};
  LsceOptions envelope = quick(2);
  envelope.criterion = ProjectionCriterion::envelope;
  for (const LsceOptions& options : {quick(2), envelope, paper}) {
    const Document one = Lsce::fit(data, options, {.threads = 1, .observer = {}}).to_document();
    for (const int threads : {2, 7}) {
      EXPECT_TRUE(Lsce::fit(data, options, {.threads = threads, .observer = {}}).to_document() == one) << threads;
    }
  }
}

TEST(Lsce, SurvivesItsDocument) {
  const Dataset data = cubic(3, 60);
  const Lsce model = Lsce::fit(data, quick(2));
  const Document saved = model.to_document();
  EXPECT_TRUE(Lsce::from_document(saved, load_density).to_document() == saved);
  Document broken = saved;
  broken.set("components", Matrix(Matrix::Ones(2, 3)));
  EXPECT_THROW(Lsce::from_document(broken, load_density), FormatError);
}

TEST(Lsce, GivesUpOrKeepsTheBestWhenInterrupted) {
  const Dataset data = squares(5, 120);
  for (const LsceOptions& preset : {LsceOptions{}, LsceOptions::paper()}) {
    for (const int threads : {1, 2}) {
      LsceOptions options = preset;
      options.n_components = {1, 2};
      options.n_centers = 60;
      int calls = 0;
      int seen = 0;
      const auto until = [&](std::string_view, double fraction) {
        EXPECT_GE(fraction, 0.0);
        EXPECT_LE(fraction, 1.0);
        return ++seen < calls;
      };
      // Before the search has begun there is nothing to keep.
      std::optional<Lsce> model;
      while (!model && calls < 50) {
        ++calls;
        seen = 0;
        options.keep_best = false;
        EXPECT_THROW(Lsce::fit(data, options, {.threads = threads, .observer = until}), Cancelled);
        seen = 0;
        options.keep_best = true;
        try {
          model.emplace(Lsce::fit(data, options, {.threads = threads, .observer = until}));
        } catch (const Cancelled&) {
          EXPECT_EQ(seen, calls);
        }
      }
      ASSERT_TRUE(model);
      EXPECT_EQ(model->report().status, "interrupted");
      EXPECT_TRUE(has_warning(*model, "the search was interrupted"));
      EXPECT_EQ(seen, calls);
      EXPECT_LT(departure_from_orthonormal(model->components()), 1e-12);
      EXPECT_TRUE(model->log_density(data.x, data.y).allFinite());
      EXPECT_TRUE(std::isfinite(model->state().sce));
    }
  }
}

TEST(Lsce, ManyRowsAreSearchedOnASampleAndFittedWhole) {
  const Dataset data = cubic(3, 900);
  LsceOptions options = closed(data, 15, 1);
  options.max_search_rows = 150;
  const Lsce model = Lsce::fit(data, options);
  EXPECT_EQ(model.report().details.at("n_rows").as_integer(), 900);
  EXPECT_EQ(model.report().details.at("n_rows_searched").as_integer(), 150);
  const Dataset sample = data.subset(sample_of_places(900, 150, 0));
  const Lsce of_sample = Lsce::fit(sample, options);
  EXPECT_EQ(of_sample.report().details.find("n_rows_searched"), nullptr);
  EXPECT_EQ(model.components(), of_sample.components());
  EXPECT_EQ(model.state().sce, of_sample.state().sce);
  const Matrix& w = model.components();
  const plain::Lscde density =
      plain::fit(w * data.x, data.y, Vector::Ones(900), w * data.x.leftCols(15), data.y.leftCols(15), 0.8, 0.5, 0.02);
  const Dataset test = cubic(3, 20, 2);
  const Vector fast = model.log_density(test.x, test.y);
  for (Index i = 0; i < 20; ++i) EXPECT_NEAR(fast[i], density.log_density(w * test.x.col(i), test.y.col(i)), 1e-9);
  options.max_search_rows = 0;
  EXPECT_EQ(Lsce::fit(data, options).report().details.find("n_rows_searched"), nullptr);
}

TEST(Lsce, AnInputThatIsConstantInTheSampleHasNoLoading) {
  Dataset data = cubic(3, 300);
  Matrix x = data.x;
  x.row(2).setZero();
  x(2, not_in_sample(300, 100)) = 1;  // an indicator of one row
  data.x = x;
  LsceOptions options = closed(data, 15, 1);
  options.max_search_rows = 100;
  const Lsce model = Lsce::fit(data, options);
  EXPECT_EQ(model.components()(0, 2), 0.0);
  EXPECT_TRUE(has_warning(model, "input 3 is constant in the rows that were searched and plays no part"));
}

TEST(Lsce, FoldsOfTheUsersOwnAreThoseOfTheSample) {
  const Dataset data = cubic(2, 300);
  LsceOptions options = closed(data, 15, 1);
  options.n_components = {1, 2};
  options.max_search_rows = 60;
  options.cv.clear();
  const Index left_out = not_in_sample(300, 60);
  for (Index i = 0; i < 300; ++i) options.cv.push_back(i == left_out ? 2.0 : static_cast<double>(i % 2));
  EXPECT_EQ(Lsce::fit(data, options).report().details.at("fold_scores").as_matrix().rows(), 2);
  options.cv.assign(300, 0.0);
  options.cv[static_cast<std::size_t>(left_out)] = 1;
  EXPECT_NE(complaint([&] { Lsce::fit(data, options); }).find("fold"), std::string::npos);
}

TEST(Lsce, SaysWhatIsWrong) {
  const Dataset data = cubic(2, 40);
  const auto wrong = [&](const auto& spoil) {
    LsceOptions options;
    spoil(options);
    return complaint([&] { Lsce::fit(data, options); });
  };
  EXPECT_EQ(wrong([](LsceOptions& o) { o.bandwidth = {}; }),
            "LSCE: bandwidth is empty, expected at least one number > 0");
  EXPECT_EQ(wrong([](LsceOptions& o) { o.regularization = {}; }),
            "LSCE: regularization is empty, expected at least one number > 0");
  EXPECT_EQ(wrong([](LsceOptions& o) { o.cv = {}; }),
            "LSCE: cv is empty, expected a number of folds or the fold of every row");
  EXPECT_EQ(wrong([](LsceOptions& o) { o.n_components = {1.5}; }),
            "LSCE: n_components = 1.5, expected a list of whole numbers, each >= 1");
  EXPECT_NE(wrong([](LsceOptions& o) { o.n_components = {0}; }).find("n_components = 0"), std::string::npos);
  EXPECT_EQ(wrong([](LsceOptions& o) {
              o.informed_starts = false;
              o.random_starts = 0;
            }),
            "LSCE: random_starts = 0 and informed_starts = false, expected some start");
  EXPECT_EQ(wrong([](LsceOptions& o) { o.centers = Matrix::Zero(2, 4); }),
            "LSCE: centers have 2 numbers each, expected 3: 2 of x and 1 of y");
  EXPECT_EQ(wrong([](LsceOptions& o) { o.start_directions = Matrix::Ones(3, 1); }),
            "LSCE: start_directions have 3 numbers each, expected one for each of the 2 inputs");
  EXPECT_NE(wrong([](LsceOptions& o) { o.cv = {41}; }).find("fold"), std::string::npos);
  EXPECT_EQ(wrong([](LsceOptions& o) { o.max_search_rows = 1; }),
            "LSCE: max_search_rows = 1, expected 0: all, or at least 2 rows");
  EXPECT_EQ(complaint([&] { Lsce::fit({.x = data.x, .y = Matrix::Ones(1, 40)}); }),
            "LSCE: target 1 is constant (1 in every row); a distribution without spread has no density");
}

}  // namespace
}  // namespace condens::lsce_test
