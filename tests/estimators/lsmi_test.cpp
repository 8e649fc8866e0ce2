// LSMI: planted subspaces, and its estimate and its choice of widths against plain loops of the
// formulas (Suzuki and Sugiyama 2013; errata R10).

#include "condens/estimators/lsmi.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "condens/data/folds.hpp"
#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/sanitized.hpp"

namespace condens::lsmi_test {
namespace {

/// Tangkaratt et al. (2015), section 4.1: y = x1^2 + x2^2 + noise, or the cube of x2 + noise.
Dataset planted(Index n, bool two, std::uint64_t seed = 1) {
  const Matrix x = normals(4, n, seed);
  Matrix y = 0.25 * normals(1, n, seed + 100);
  for (Index i = 0; i < n; ++i) y(0, i) += two ? x.col(i).head(2).squaredNorm() : std::pow(x(1, i), 3);
  return {.x = x, .y = y};
}

double distance(const Matrix& a, const Matrix& b) { return (a.transpose() * a - b.transpose() * b).norm(); }

using Numbers = std::vector<double>;

/// One start and one cell: quick. The inner model is quick, too.
Document quick(Numbers n_components) {
  Document out;
  out.set("bandwidth", 0.7).set("bandwidth_y", 0.3).set("regularization", 0.001).set("n_centers", 60);
  out.set("model", "ekde").set("n_components", Document(n_components)).set("random_starts", 1);
  return out.set("cv", Document(Numbers{3}));
}

Lsmi fit(const Dataset& data, const Document& options, int threads = 1, std::string_view preset = "recommended") {
  const auto model = find_model("lsmi").fit(data, preset, options, {.threads = threads, .observer = {}});
  return dynamic_cast<const Lsmi&>(*model);
}

double kernel(const Vector& a, const Vector& b, double width) {
  return std::exp(-(a - b).squaredNorm() / (2 * width * width));
}

/// H and h of these rows of z and y, by sums over all pairs of rows.
struct Plain {
  Matrix h_matrix;
  Vector h;
};
Plain plain(const Matrix& z, const Matrix& y, const Matrix& centers_z, const Matrix& centers_y, double width,
            double width_y) {
  const Index n = z.cols();
  const Index b = centers_z.cols();
  const double count = static_cast<double>(n);
  Plain out{Matrix::Zero(b, b), Vector::Zero(b)};
  for (Index l = 0; l < b; ++l) {
    for (Index m = 0; m < b; ++m) {
      double of_z = 0;
      double of_y = 0;
      for (Index i = 0; i < n; ++i) {
        of_z += kernel(z.col(i), centers_z.col(l), width) * kernel(z.col(i), centers_z.col(m), width);
        of_y += kernel(y.col(i), centers_y.col(l), width_y) * kernel(y.col(i), centers_y.col(m), width_y);
      }
      out.h_matrix(l, m) = of_z * of_y / (count * count);  // the double sum factorises
    }
    for (Index i = 0; i < n; ++i) {
      out.h[l] += kernel(z.col(i), centers_z.col(l), width) * kernel(y.col(i), centers_y.col(l), width_y) / count;
    }
  }
  return out;
}

Vector solved(const Plain& of, double lambda) {
  return (of.h_matrix + lambda * Matrix::Identity(of.h.size(), of.h.size())).llt().solve(of.h);
}

Matrix standardized(const Matrix& x) { return Standardizer::fit(x, Vector()).transform(x); }

TEST(Lsmi, FindsPlantedSubspaces) {
  for (const bool two : {true, false}) {
    const Lsmi model = fit(planted(300, two), quick({two ? 2.0 : 1.0}).set("n_centers", 100));
    const Matrix truth = two ? Matrix(Matrix::Identity(2, 4)) : Matrix{{0, 1, 0, 0}};
    EXPECT_LT(distance(model.components(), truth), two ? 0.35 : 0.2) << "of at most 2 or 1.41";
    EXPECT_GT(model.state().smi, 0.5) << "y depends on z";
  }
}

TEST(Lsmi, TheEstimateIsThatOfThePlainFormula) {
  const Dataset data = planted(40, true);
  Document options = quick({2});
  options.set("center_selection", "random").set("n_centers", 40);  // every row is a centre
  const Lsmi model = fit(data, options);
  const Matrix z = model.transform(data.x);
  const Matrix y = standardized(data.y);
  const Plain of = plain(z, y, z, y, 0.7, 0.3);
  EXPECT_NEAR(model.state().smi, 0.5 * of.h.dot(solved(of, 0.001)) - 0.5, 1e-9);
  // No subspace nearby has more.
  const Matrix s = standardized(data.x);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Matrix other = model.components() + 0.05 * normals(2, 4, seed);
    const Matrix root = (other * other.transpose()).llt().matrixL();
    const Matrix moved = root.triangularView<Eigen::Lower>().solve(other) * s;
    const Plain there = plain(moved, y, moved, y, 0.7, 0.3);
    EXPECT_LT(0.5 * there.h.dot(solved(there, 0.001)) - 0.5, model.state().smi);
  }
}

TEST(Lsmi, WidthsAndPenaltyAreThoseOfTheLeastHeldOutCriterion) {
  // One input varies: its direction is all there is, and the widths are those of that direction.
  const Index n = sanitized ? 18 : 30;
  const Matrix x = normals(1, n, 3);
  Matrix two(2, n);
  two << x, Matrix::Constant(1, n, 7.0);
  const Dataset data{.x = two, .y = Matrix(x.array().square() + 0.3 * normals(1, n, 4).array())};
  const Numbers widths{0.4, 1.0};
  const Numbers widths_y{0.3, 0.9};
  const Numbers penalties{0.01, 0.1};
  for (const bool masked : {true, false}) {
    Document options = quick({1});
    options.set("bandwidth", Document(widths)).set("bandwidth_y", Document(widths_y));
    options.set("regularization", Document(penalties)).set("mask_centers", masked);
    options.set("center_selection", "random").set("n_centers", n).set("seed", 2);
    const Lsmi model = fit(data, options);
    // The search sorts its rows.
    std::vector<Index> order;
    for (Index i = 0; i < n; ++i) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return x(0, a) < x(0, b); });
    const Matrix z = standardized(x)(Eigen::all, order);
    const Matrix y = standardized(data.y)(Eigen::all, order);
    const std::vector<Index> fold = assign_folds(n, 3, 2);
    double best = std::numeric_limits<double>::infinity();
    Vector cell(3);
    for (const double width : widths) {
      for (const double width_y : widths_y) {
        std::vector<Plain> fitted;
        std::vector<Plain> held_out;
        for (Index k = 0; k < 3; ++k) {
          std::vector<Index> train;
          std::vector<Index> test;
          for (Index i = 0; i < n; ++i) (fold[static_cast<std::size_t>(i)] == k ? test : train).push_back(i);
          const Matrix centers_z = masked ? Matrix(z(Eigen::all, train)) : z;
          const Matrix centers_y = masked ? Matrix(y(Eigen::all, train)) : y;
          const auto of = [&](const std::vector<Index>& rows) {
            return plain(z(Eigen::all, rows), y(Eigen::all, rows), centers_z, centers_y, width, width_y);
          };
          fitted.push_back(of(train));
          held_out.push_back(of(test));
        }
        for (const double lambda : penalties) {
          double total = 0;
          for (std::size_t k = 0; k < 3; ++k) {
            const Vector a = solved(fitted[k], lambda);
            total += 0.5 * a.dot(held_out[k].h_matrix * a) - held_out[k].h.dot(a);
          }
          if (total < best) {
            best = total;
            cell << width, width_y, lambda;
          }
        }
      }
    }
    EXPECT_EQ(model.state().bandwidth, cell[0]) << masked;
    EXPECT_EQ(model.state().bandwidth_y, cell[1]) << masked;
    EXPECT_EQ(model.state().regularization, cell[2]) << masked;
    EXPECT_EQ(model.components(), (Matrix{{1, 0}})) << "the constant input has no loading";
  }
}

TEST(Lsmi, ThePapersWayFindsTheSubspace) {
  Document options = quick({1});
  options.set("bandwidth_y", Document(Numbers{})).set("random_starts", 3).set("model_preset", "recommended");
  options.set("bandwidth", Document(Numbers{0.5, 1.0}));
  const Lsmi model = fit(planted(120, false), options, 1, "paper");
  EXPECT_EQ(model.state().bandwidth, model.state().bandwidth_y) << "one width for z and y";
  EXPECT_LT(distance(model.components(), Matrix{{0, 1, 0, 0}}), 0.2);
  const Document paper = find_model("lsmi").defaults("paper");
  EXPECT_EQ(paper.at("random_starts").as_integer(), 20);
  EXPECT_EQ(paper.at("optimizer").as_string(), "steepest");
  EXPECT_EQ(paper.at("model").as_string(), "lscde");
  EXPECT_EQ(paper.at("steps_per_tuning").as_integer(), 5);
}

TEST(Lsmi, ChoosesTheNumberOfDirectionsOnRowsHeldOut) {
  const Lsmi model = fit(planted(150, true), quick({1, 2, 3}));
  EXPECT_EQ(model.n_components(), 2);
  const Document& found = model.report().details.at("candidates");
  EXPECT_EQ(found.at("n_components").as_vector(), (Vector{{1, 2, 3}}));
  const Vector change = model.report().details.at("dimensions").at("subspace_change").as_vector();
  EXPECT_LT(change[1], 0.15);
  EXPECT_LT(change[1], change[0]) << "one of two equal directions is no stable choice";
}

TEST(Lsmi, SeveralTargetsHaveOneSubspace) {
  Dataset data = planted(150, false);
  Matrix y(2, 150);
  y << data.y, data.x.row(3) + 0.3 * normals(1, 150, 9);
  data.y = y;
  const Lsmi model = fit(data, quick({2}));
  EXPECT_LT(distance(model.components(), Matrix{{0, 1, 0, 0}, {0, 0, 0, 1}}), 0.3);
}

TEST(Lsmi, ThreadsDoNotChangeOneBitAndWeightZeroIsAbsence) {
  const Dataset data = planted(60, true);
  const Document reference = save_density(fit(data, quick({1, 2}), 1));
  for (const int threads : {2, 7}) EXPECT_TRUE(save_density(fit(data, quick({1, 2}), threads)) == reference);
  Dataset more = planted(70, true);
  Matrix x = more.x;
  Matrix y = more.y;
  x.leftCols(60) = data.x;
  y.leftCols(60) = data.y;
  more = {.x = x, .y = y, .weights = Vector::Ones(70)};
  more.weights.tail(10).setZero();
  EXPECT_LT(distance(fit(more, quick({2})).components(), fit(data, quick({2})).components()), 1e-6);
}

TEST(Lsmi, WeightsCountCopiesToTheBit) {
  Dataset weighted = planted(40, true);
  weighted.weights = Vector(40);
  for (Index i = 0; i < 40; ++i) weighted.weights[i] = static_cast<double>(i % 4);
  std::vector<Index> rows;
  for (Index i = 39; i >= 0; --i) rows.insert(rows.end(), static_cast<std::size_t>(i % 4), i);
  const Dataset copies{.x = weighted.x(Eigen::all, rows), .y = weighted.y(Eigen::all, rows)};
  for (const std::string_view preset : {"recommended", "paper"}) {
    const Document options = quick({2}).set("random_starts", 2).set("bandwidth", Document(Numbers{0.5, 1.0}));
    EXPECT_EQ(fit(weighted, options, 1, preset).components(), fit(copies, options, 1, preset).components()) << preset;
  }
}

TEST(Lsmi, DegenerateInputs) {
  const Dataset data = planted(50, false);
  EXPECT_EQ(fit(data, quick({9})).components(), Matrix::Identity(4, 4)) << "as many as inputs: all of them";
  EXPECT_EQ(fit({.x = Matrix(0, 50), .y = data.y}, quick({})).n_components(), 0);
  const Lsmi constant = fit({.x = Matrix::Constant(3, 50, 2.0), .y = data.y}, quick({1}));
  EXPECT_EQ(constant.n_components(), 0);
  EXPECT_EQ(constant.state().smi, 0);
  Matrix collinear(6, 50);
  collinear << data.x, data.x.row(0), data.x.row(1) - data.x.row(2);
  const Lsmi model = fit({.x = collinear, .y = data.y}, quick({1}));
  EXPECT_TRUE(model.log_density(collinear, data.y).allFinite());
  // Four different rows, each ten times: fewer than there are folds.
  Dataset few = planted(4, false);
  few = {.x = Matrix(few.x.replicate(1, 10)), .y = Matrix(few.y.replicate(1, 10))};
  const Document searching = quick({1}).set("bandwidth", Document(Numbers{0.5, 1.0})).set("cv", Document(Numbers{5}));
  EXPECT_TRUE(fit(few, searching).log_density(few.x, few.y).allFinite());
  const Matrix wide = normals(60, 30, 5);
  const Lsmi many = fit({.x = wide, .y = Matrix(wide.row(0))}, quick({1}));
  EXPECT_NEAR(many.components().norm(), 1.0, 1e-9);
}

TEST(Lsmi, FileKeepsEveryBitAndRefusesWhatDoesNotFit) {
  const Lsmi model = fit(planted(50, true), quick({2}));
  const Document saved = save_density(model);
  const Document again = document_from_json(document_to_json(saved), "model");
  EXPECT_TRUE(save_density(*load_density(again)) == saved);
  const auto refused = [&](std::string_view key, Document value) {
    Document parameters = saved.at("parameters");
    parameters.set(key, std::move(value));
    const Document spoiled(Document::Object{{"model", "lsmi"}, {"parameters", std::move(parameters)}});
    return complaint<FormatError>([&] { load_density(spoiled); });
  };
  EXPECT_EQ(refused("components", Matrix(3.0 * model.components())), "the rows of components are not orthonormal");
  EXPECT_NE(refused("smi", "much"), "");
  EXPECT_NE(refused("bandwidth", Document()), "");
  EXPECT_NE(refused("x_scale", Standardizer::identity(2).to_document()), "");
  EXPECT_NE(refused("inner", Document::Object{{"model", "nosuch"}}), "");
  EXPECT_NE(refused("options", Document::Object{{"n_centers", 0}}), "");
}

TEST(Lsmi, ObserverCancels) {
  int asked = 0;
  const condens::Run run{.threads = 2, .observer = [&](std::string_view task, double) {
                           EXPECT_EQ(task, "finding directions");
                           return ++asked < 2;
                         }};
  EXPECT_THROW(find_model("lsmi").fit(planted(400, true), "recommended", {}, run), Cancelled);
  EXPECT_EQ(asked, 2);
}

TEST(Lsmi, SaysWhatIsWrong) {
  const Dataset data = planted(40, true);
  const auto said = [&](std::string_view name, Document value) {
    Document options = quick({1});
    options.set(name, std::move(value));
    return complaint([&] { fit(data, options); });
  };
  EXPECT_EQ(said("bandwidth", Document(Numbers{})), "LSMI: bandwidth is empty, expected at least one number > 0");
  EXPECT_EQ(said("regularization", Document(Numbers{})),
            "LSMI: regularization is empty, expected at least one number > 0");
  EXPECT_EQ(said("n_components", 2.5), "LSMI: n_components = 2.5, expected a list of whole numbers, each >= 1");
  EXPECT_EQ(said("cv", Document(Numbers{})), "LSMI: cv is empty, expected a number of folds or the fold of every row");
  EXPECT_EQ(said("model", "lsmi"), "LSMI: model = 'lsmi', expected another model");
  EXPECT_EQ(said("options", Document::Object{{"cv", 5}}),
            "LSMI: options: 'cv' is an option of LSMI itself; give it there");
  Document none = quick({1});
  none.set("informed_starts", false).set("random_starts", 0);
  EXPECT_EQ(complaint([&] { fit(data, none); }),
            "LSMI: random_starts = 0 and informed_starts = false, expected some start");
  Dataset bad = data;
  bad.y = Matrix::Constant(1, 40, 2.0);
  EXPECT_EQ(complaint([&] { fit(bad, quick({1})); }),
            "LSMI: target 1 is constant (2 in every row); a distribution without spread has no density");
}

}  // namespace
}  // namespace condens::lsmi_test
