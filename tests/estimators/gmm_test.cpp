// Expectation maximisation against plain loops, and the model's choices and bad input.

#include "condens/estimators/gmm.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <string>
#include <vector>

#include "estimators/gmm/expectation_maximization.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"
#include "support/plain_gaussian.hpp"
#include "support/sanitized.hpp"

namespace condens::gmm_test {
namespace {

/// Three clusters that overlap; the second is narrow and slanted.
Matrix clusters(Index d, Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix z = normals(d, n, random);
  for (Index i = 0; i < n; ++i) {
    if (i % 3 == 0) z.col(i).array() += 3.0;
    if (i % 3 == 1) {
      z.col(i) *= 0.3;
      z(d - 1, i) += 0.8 * z(0, i);
    }
  }
  return z;
}

struct PlainStep {
  double score;
  Vector weights;
  Matrix means;
  std::vector<Matrix> covariances;
};

// Eqs. 5-8 as they are printed, with row weights and without a floor.
PlainStep plain_step(const Matrix& z, const Vector& c, const Vector& w, const Matrix& v, const std::vector<Matrix>& s,
                     bool full) {
  const Index k = w.size();
  Matrix q(k, z.cols());
  double score = 0;
  for (Index i = 0; i < z.cols(); ++i) {
    for (Index l = 0; l < k; ++l) {
      q(l, i) = w[l] * std::exp(plain_normal_log_pdf(z.col(i), v.col(l), s[static_cast<std::size_t>(l)]));
    }
    score += c[i] * std::log(q.col(i).sum()) / c.sum();
    q.col(i) *= c[i] / q.col(i).sum();
  }
  PlainStep out{score, q.rowwise().sum() / c.sum(), Matrix(v.rows(), k), {}};
  for (Index l = 0; l < k; ++l) {
    out.means.col(l) = z * q.row(l).transpose() / q.row(l).sum();
    const Matrix deviation = z.colwise() - out.means.col(l);
    Matrix covariance = deviation * q.row(l).asDiagonal() * deviation.transpose() / q.row(l).sum();
    if (!full) covariance = covariance.diagonal().eval().asDiagonal();
    out.covariances.push_back(covariance);
  }
  return out;
}

Task quiet(int threads = 1) {
  static const condens::Run one{.threads = 1, .observer = {}}, two{.threads = 2, .observer = {}},
      seven{.threads = 7, .observer = {}};
  return Task(threads == 1 ? one : threads == 2 ? two : seven, "test", 1);
}

TEST(ExpectationMaximization, StepsAsTheEquationsSay) {
  for (const bool full : {true, false}) {
    for (const Index d : {1, 2, 5}) {
      const Matrix z = clusters(d, 700, 1);  // three blocks
      Vector c = Vector::Ones(700);
      c.head(200).setConstant(2.5);
      const Matrix centers = z.leftCols(4);
      Vector w = Vector::Constant(4, 0.25);
      Matrix v = centers;
      std::vector<Matrix> s(4, Matrix::Identity(d, d));
      Task task = quiet();
      EmSettings settings{.full = full, .floors = Vector::Constant(d, 1e-9), .max_iterations = 3, .tolerance = 0};
      const EmState state = em_continue(EmRowsInMemory(z, c), em_start(centers, Vector::Ones(d), full), settings, task);
      for (int step = 0; step < 3; ++step) {
        const PlainStep next = plain_step(z, c, w, v, s, full);
        w = next.weights;
        v = next.means;
        s = next.covariances;
      }
      EXPECT_NEAR(state.score, plain_step(z, c, w, v, s, full).score, 1e-11);
      EXPECT_LT((state.weights - w).norm(), 1e-11);
      EXPECT_LT((state.means - v).norm(), 1e-10);
      EXPECT_LT((state.components().covariances() - columns_of(s)).norm(), 1e-10);
      EXPECT_EQ(state.iterations, 3);
      EXPECT_FALSE(state.converged);
    }
  }
}

TEST(ExpectationMaximization, NeverLosesLikelihood) {
  // Also where the floor holds: it is the constrained maximum of the M step.
  for (const bool full : {true, false}) {
    for (const double floor : {1e-6, 0.3}) {
      const Matrix z = clusters(3, 300, 2);
      const EmRowsInMemory rows(z, Vector::Ones(300));
      EmSettings settings{.full = full, .floors = Vector::Constant(3, floor), .max_iterations = 1, .tolerance = 0};
      Task task = quiet();
      EmState state = em_start(z.leftCols(3), Vector::Ones(3), full);
      double before = -1e9;
      for (int step = 0; step < 25; ++step) {
        state = em_continue(rows, state, settings, task);
        EXPECT_GE(state.score, before - 1e-12);
        before = state.score;
        for (Index l = 0; l < 3; ++l) {
          const Matrix covariance = state.components().covariance(l);
          EXPECT_GE(Eigen::SelfAdjointEigenSolver<Matrix>(covariance).eigenvalues().minCoeff(), floor * (1 - 1e-9));
        }
      }
    }
  }
}

TEST(ExpectationMaximization, DoesNotDependOnThreads) {
  const Matrix z = clusters(4, 3000, 3);
  const EmRowsInMemory rows(z, Vector::Ones(3000));
  const EmSettings settings{.full = true, .floors = Vector::Constant(4, 1e-3), .max_iterations = 5};
  Task one = quiet();
  const EmState alone =
      em_continue(rows, em_start_of_clusters(rows, {z.leftCols(5)}, settings, one).front(), settings, one);
  for (const int threads : {2, 7}) {
    Task task = quiet(threads);
    const EmState state =
        em_continue(rows, em_start_of_clusters(rows, {z.leftCols(5)}, settings, task).front(), settings, task);
    EXPECT_EQ(state.covariances, alone.covariances);
    EXPECT_EQ(state.score, alone.score);
  }
}

TEST(ExpectationMaximization, SeveralMixturesInOnePassAreThoseThatEachIsAlone) {
  const Matrix z = clusters(3, 500, 5);
  const EmRowsInMemory rows(z, Vector::Ones(500));
  const EmSettings settings{.full = true, .floors = Vector::Constant(3, 1e-3), .max_iterations = 40, .tolerance = 1e-4};
  Task task = quiet();
  const std::vector<Matrix> means = {z.leftCols(3), z.rightCols(6), z.middleCols(7, 1)};
  const std::vector<EmState> together =
      em_continue(rows, em_start_of_clusters(rows, means, settings, task), settings, task);
  std::vector<Index> iterations;
  for (std::size_t i = 0; i < means.size(); ++i) {
    const EmState alone =
        em_continue(rows, em_start_of_clusters(rows, {means[i]}, settings, task).front(), settings, task);
    EXPECT_EQ(together[i].means, alone.means);
    EXPECT_EQ(together[i].covariances, alone.covariances);
    EXPECT_EQ(together[i].score, alone.score);
    EXPECT_EQ(together[i].iterations, alone.iterations);
    iterations.push_back(alone.iterations);
  }
  EXPECT_NE(iterations[0], iterations[2]);  // they end at different times
}

TEST(ExpectationMaximization, BeginsEmptyComponentsAgainOrDropsThem) {
  const Matrix z = clusters(2, 90, 4);
  const EmRowsInMemory rows(z, Vector::Ones(90));
  Matrix centers = z.leftCols(3);
  centers.col(2).setConstant(1e6);  // no row is near
  Task task = quiet();
  const EmSettings settings{.full = true, .floors = Vector::Constant(2, 1e-3)};
  const EmState state = em_continue(rows, em_start(centers, Vector::Ones(2), true), settings, task);
  EXPECT_GE(state.reseeded, 1);
  EXPECT_TRUE(state.means.allFinite());
  EXPECT_LT(state.means.cwiseAbs().maxCoeff(), 10.0);
  EXPECT_EQ(state.weights.size() + state.dropped, 3);
  EXPECT_GE(state.weights.minCoeff(), 0.4 / 90);
}

Dataset of(const Matrix& y) { return {.x = Matrix(0, y.cols()), .y = y}; }

TEST(Gmm, FindsTheClustersAndTheirShape) {
  RandomStream random(5);
  Matrix y = normals(2, 600, random);
  for (Index i = 0; i < 600; ++i) {
    y(1, i) = 0.9 * y(0, i) + 0.2 * y(1, i);  // slanted
    if (i < 200) y.col(i) += Vector{{6.0, -6.0}};
  }
  const Gmm model = Gmm::fit(of(y));
  EXPECT_EQ(model.n_kernels(), 2);
  EXPECT_EQ(model.covariance(), "full");
  Index small = 0;
  model.kernel_weights().minCoeff(&small);
  EXPECT_NEAR(model.kernel_weights()[small], 1.0 / 3.0, 1e-3);
  EXPECT_LT((model.kernel_means().col(small) - Vector{{6.0, -6.0}}).norm(), 0.3);
  const Matrix covariance = model.kernel_covariances().col(small).reshaped(2, 2);
  EXPECT_NEAR(covariance(1, 0) / covariance(0, 0), 0.9, 0.1);
  const Document& table = model.report().details.at("candidates");
  EXPECT_EQ(table.at("n_components").as_vector().size(), table.at("score").as_vector().size());
  // Independent coordinates need no full covariances.
  EXPECT_EQ(Gmm::fit(of(normals(2, 400, 6)), {.n_components = {1, 2}}).covariance(), "diagonal");
}

TEST(Gmm, OneComponentIsTheGaussianOfTheMoments) {
  const Matrix y = clusters(3, 200, 7);
  const Gmm model = Gmm::fit(of(y), {.n_components = {1}, .covariance = GmmCovariance::full, .defensive_weight = 0});
  const Vector mean = y.rowwise().mean();
  const Matrix centred = y.colwise() - mean;
  EXPECT_LT((model.kernel_means().col(0) - mean).norm(), 1e-12);
  EXPECT_LT((model.kernel_covariances().col(0).reshaped(3, 3) - centred * centred.transpose() / 200).norm(), 1e-11);
}

TEST(Gmm, ScoresByTheCriterion) {
  const Matrix y = clusters(2, 150, 8);
  const GmmOptions options{.n_components = {2, 3}, .covariance = GmmCovariance::full, .defensive_weight = 0};
  const Gmm model = Gmm::fit(of(y), options);
  const Document& table = model.report().details.at("candidates");
  GmmOptions second = options;
  second.n_components = {3};
  const Gmm three = Gmm::fit(of(y), second);
  const double parameters = 2 + 3 * (2 + 3);
  EXPECT_NEAR(table.at("score").as_vector()[1], -three.state().log_likelihood + 0.5 * parameters * std::log(150) / 150,
              1e-9);
}

TEST(Gmm, ComparesNoMoreParametersThanRows) {
  RandomStream random(3);
  const Dataset few{.x = Matrix(0, 20), .y = normals(10, 20, random)};
  GmmOptions options;
  options.covariance = GmmCovariance::diagonal;  // one component has 20 parameters, two have 41
  EXPECT_EQ(Gmm::fit(few, options).n_kernels(), 1);
  options.n_components = {4};  // given is given
  EXPECT_EQ(Gmm::fit(few, options).n_kernels(), 4);
}

TEST(Gmm, ComparesByHeldOutRows) {
  const Matrix z = clusters(3, 240, 9);
  const Dataset data{.x = z.topRows(1), .y = z.bottomRows(2)};
  const GmmOptions options{.n_components = {1, 3}, .selection = GmmSelection::cv, .cv = {3}, .starts = 1};
  const Gmm model = Gmm::fit(data, options);
  EXPECT_EQ(model.n_kernels(), 3);
  EXPECT_EQ(model.report().details.at("candidates").at("score").as_vector().size(), 4);
}

TEST(Gmm, StartsFromGivenCentres) {
  const Matrix y = clusters(2, 120, 10);
  GmmOptions options{.covariance = GmmCovariance::diagonal, .max_iterations = 0, .defensive_weight = 0};
  options.centers = y.leftCols(4);
  const Gmm model = Gmm::fit(of(y), options);
  EXPECT_EQ(model.report().status, "iteration limit");
  EXPECT_LT((model.kernel_means() - y.leftCols(4)).norm(), 1e-12);
  EXPECT_EQ(model.kernel_weights(), Vector::Constant(4, 0.25));
}

// Two branches over an even input: clusters split as well along it as between the branches, and k-means nearly always
// does.
TEST(Gmm, FewComponentsAreFoundFromFewStarts) {
  int found = 0;
  const int samples = repetitions(12);
  for (int seed = 1; seed <= samples; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed));
    Matrix x(1, 300);
    Matrix y(1, 300);
    for (Index i = 0; i < 300; ++i) {
      x(0, i) = 2.0 * random.uniform() - 1.0;
      y(0, i) = (random.uniform() < 0.5 ? -0.85 : 0.85) + 0.5 * x(0, i) + 0.35 * random.normal();
    }
    const Dataset data{.x = x, .y = y};
    GmmOptions options{.n_components = {2}, .covariance = GmmCovariance::full};
    const auto likelihood = [&] { return Gmm::fit(data, options).report().details.at("log_likelihood").as_number(); };
    const double few = likelihood();
    options.starts = 15;
    found += few > likelihood() - 1e-3 ? 1 : 0;
  }
  EXPECT_GE(found, samples - 1);  // from four k-means starts 17 of 24 other samples
}

TEST(Gmm, IsTheSameForWeightsAndCopiesAndThreads) {
  const Matrix y = clusters(2, 90, 11);
  Matrix copies(2, 120);
  copies << y, y.leftCols(30);
  Vector weights = Vector::Ones(90);
  weights.head(30).setConstant(2.0);
  const GmmOptions options{.n_components = {1, 2, 3}};
  const Gmm a = Gmm::fit({.x = Matrix(0, 90), .y = y, .weights = weights}, options);
  const Gmm b = Gmm::fit(of(copies), options);
  EXPECT_LT((a.kernel_means() - b.kernel_means()).norm(), 1e-9);
  for (const int threads : {2, 7}) {
    EXPECT_EQ(Gmm::fit(of(copies), options, {.threads = threads, .observer = {}}).kernel_covariances(),
              b.kernel_covariances());
  }
}

TEST(Gmm, TakesHardData) {
  const auto finite = [](const Matrix& y, const GmmOptions& options = {}) {
    const Gmm model = Gmm::fit(of(y), options);
    const Vector log_density = model.log_density(Matrix(0, y.cols()), y);
    EXPECT_TRUE(log_density.allFinite());
    EXPECT_TRUE(model.kernel_covariances().allFinite());
    return model;
  };
  Matrix outlier = clusters(2, 100, 12);
  outlier.col(7).setConstant(1e8);
  finite(outlier);
  const Matrix few = normals(8, 4, 13);  // fewer rows than dimensions
  EXPECT_LE(finite(few).n_kernels(), 4);
  Matrix singular = normals(3, 60, 14);
  singular.row(2) = singular.row(0) + singular.row(1);
  finite(singular, {.covariance = GmmCovariance::full});
  Matrix ties = Matrix::Zero(1, 40);
  ties.rightCols(15).setOnes();
  const Gmm model = finite(ties, {.n_components = {6}});
  EXPECT_LE(model.n_kernels(), 2);
  ASSERT_FALSE(model.report().warnings.empty());
  EXPECT_NE(model.report().warnings[0].find("there are 2 different rows"), std::string::npos);
  finite(clusters(2, 50, 15), {.n_components = {5}, .initialization = GmmInitialization::random, .starts = 3});
  GmmOptions far = GmmOptions::paper();
  far.region = {50.0, 60.0};
  finite(clusters(2, 50, 15), far);
  const Matrix z = clusters(2, 50, 16);
  const Gmm flat = Gmm::fit({.x = Matrix::Constant(1, 50, 4.0), .y = z});  // a constant input
  EXPECT_TRUE(flat.log_density(Matrix::Constant(1, 50, 5.0), z).allFinite());
}

TEST(Gmm, NamesBadOptions) {
  const Matrix y = clusters(2, 30, 17);
  const auto said = [&](const GmmOptions& options) { return complaint([&] { Gmm::fit(of(y), options); }); };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nexpected: " << part;
  };
  has(said({.n_components = {}}), "GMM: n_components is empty, expected at least one number in [1, 1000]");
  has(said({.n_components = {2.5}}), "n_components = 2.5, expected a list of whole numbers, each in [1, 1000]");
  has(said({.n_components = {3, 2}}), "n_components has 2 after 3, expected rising candidates");
  has(said({.region = {1.0}}), "region has 1 numbers, expected none or two, a < b");
  has(said({.variance_floor = 0}), "variance_floor = 0");
  has(complaint([] { Gmm::fit(of(Matrix::Ones(1, 5))); }), "GMM: target 1 is constant (1 in every row)");
  has(complaint([] { Gmm::fit(of(Matrix::Ones(1, 1))); }), "GMM: target 1 is constant (1 in every row)");
}

}  // namespace
}  // namespace condens::gmm_test
