// Mixture proportions against plain expectation maximisation, closed forms and the optimality conditions.

#include "optim/mixture_proportions.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "support/complaint.hpp"
#include "support/normals.hpp"

namespace condens::mixture_proportions_test {
namespace {

const Vector even;  // weights of rows: all equal

/// log N(y_i; c_m, s_m^2) of draws from two of the normals.
Matrix normal_members(Index members, Index n, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix out(members, n);
  for (Index i = 0; i < n; ++i) {
    const double y = (i % 3 == 0 ? 1.0 : -1.0) + 0.7 * random.normal();
    for (Index m = 0; m < members; ++m) {
      const double scale = 0.5 + 0.3 * static_cast<double>(m);
      const double z = (y - 2.0 + static_cast<double>(m)) / scale;
      out(m, i) = -0.5 * z * z - std::log(scale);
    }
  }
  return out;
}

double log_likelihood(const Matrix& log_density, const Vector& v, const Vector& w) {
  double out = 0;
  for (Index i = 0; i < v.size(); ++i) {
    double p = 0;
    for (Index m = 0; m < w.size(); ++m) p += w[m] * std::exp(log_density(m, i));
    out += v[i] * std::log(p);
  }
  return out / v.sum();
}

/// The definition, step by step, until nothing moves.
Vector plain_em(const Matrix& log_density, const Vector& v, int steps) {
  const Index m = log_density.rows();
  Vector w = Vector::Constant(m, 1.0 / static_cast<double>(m));
  for (int step = 0; step < steps; ++step) {
    Vector next = Vector::Zero(m);
    for (Index i = 0; i < v.size(); ++i) {
      Vector share(m);
      for (Index k = 0; k < m; ++k) share[k] = w[k] * std::exp(log_density(k, i));
      next += v[i] * share / share.sum();
    }
    w = next / next.sum();
  }
  return w;
}

/// max_m u_m - 1, computed anew.
double certificate(const Matrix& log_density, const Vector& v, const Vector& w) {
  Vector u = Vector::Zero(w.size());
  for (Index i = 0; i < v.size(); ++i) {
    const Vector p = (log_density.col(i).array() - log_density.col(i).maxCoeff()).exp();
    u += v[i] / v.sum() * p / p.dot(w);
  }
  return u.maxCoeff() - 1.0;
}

TEST(MixtureProportions, EqualsPlainExpectationMaximisation) {
  const Matrix members = normal_members(4, 60, 1);
  RandomStream random(2);
  Vector v(60);
  for (Index i = 0; i < 60; ++i) v[i] = random.uniform();
  const MixtureProportions found = mixture_proportions(members, v);
  EXPECT_LE(found.gap, 1e-10);
  EXPECT_NEAR(certificate(members, v, found.weights), found.gap, 1e-12);
  EXPECT_NEAR(found.log_likelihood, log_likelihood(members, v, found.weights), 1e-12);
  const Vector plain = plain_em(members, v, 20000);
  EXPECT_LT((plain - found.weights).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_GE(found.log_likelihood, log_likelihood(members, v, plain) - 1e-13);
}

TEST(MixtureProportions, IsCertifiedAtManyProblems) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed);
    const Index m = 1 + random.below(8);
    const Index n = 1 + random.below(80);
    Matrix members = normals(m, n, random);
    members *= std::pow(10.0, static_cast<double>(random.below(4)) - 1);  // from near ties to single winners
    for (Index i = 0; i < n; ++i) {
      if (m > 1 && random.uniform() < 0.3) members(random.below(m), i) = -infinity;
    }
    const Vector v = Vector::Ones(n);
    const MixtureProportions found = mixture_proportions(members, even);
    EXPECT_LE(found.gap, 1e-10) << seed;
    EXPECT_LE(certificate(members, v, found.weights), 1e-9) << seed;
    EXPECT_GE(found.weights.minCoeff(), 0.0);
    EXPECT_NEAR(found.weights.sum(), 1.0, 1e-14);
  }
}

TEST(MixtureProportions, KnowsClosedForms) {
  // Each row has one member: the weights are the shares of the rows.
  Matrix members = Matrix::Constant(3, 6, -infinity);
  for (const auto& [i, m] : {std::pair{0, 0}, {1, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 2}}) members(m, i) = -700.0 * i;
  const Vector shares = mixture_proportions(members, even).weights;
  EXPECT_LT((shares - Vector{{0.5, 1.0 / 3, 1.0 / 6}}).cwiseAbs().maxCoeff(), 1e-9);
  // One that is best at every row takes all, and the zeros are exact.
  Matrix winner = Matrix::Zero(3, 5);
  winner.row(1).setConstant(1.0);
  EXPECT_EQ(mixture_proportions(winner, even).weights, (Vector{{0.0, 1.0, 0.0}}));
  EXPECT_EQ(mixture_proportions(Matrix::Constant(1, 4, -3.0), even).weights, Vector::Ones(1));
}

TEST(MixtureProportions, TakesMembersThatAreZeroOrTheSame) {
  Matrix members = normal_members(3, 50, 3);
  const MixtureProportions without = mixture_proportions(members, even);
  Matrix more(6, 50);
  more.topRows(3) = members;
  more.row(3).setConstant(-infinity);
  more.bottomRows(2) = members.topRows(2);
  const MixtureProportions with = mixture_proportions(more, even);
  EXPECT_LE(with.gap, 1e-10);
  EXPECT_NEAR(with.log_likelihood, without.log_likelihood, 2e-10);
  EXPECT_EQ(with.weights[3], 0.0);
  for (Index k = 0; k < 2; ++k) EXPECT_NEAR(with.weights[k] + with.weights[4 + k], without.weights[k], 1e-5);
}

TEST(MixtureProportions, ReadsWeightsAsCopiesAndScalesOutWhatRowsShare) {
  Matrix members = normal_members(3, 20, 4);
  Vector v = Vector::Ones(20);
  v[3] = 2;
  v[5] = 0;
  Matrix copied(3, 20);
  copied << members.leftCols(5), members.rightCols(14), members.col(3);
  const Vector expected = mixture_proportions(copied, even).weights;
  EXPECT_LT((mixture_proportions(members, v).weights - expected).cwiseAbs().maxCoeff(), 1e-9);
  members.col(5).setConstant(-infinity);  // does not count
  members.col(0).array() += 5000.0;
  members.col(1).array() -= 5000.0;
  EXPECT_LT((mixture_proportions(members, v).weights - expected).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(MixtureProportions, NamesWhatItCannotTake) {
  const Matrix members = Matrix::Zero(2, 3);
  EXPECT_NE(complaint([&] { mixture_proportions(Matrix(0, 3), even); }).find("at least one member"), std::string::npos);
  EXPECT_NE(complaint([&] { mixture_proportions(members, Vector::Ones(2)); }).find("2 row_weights for 3 rows"),
            std::string::npos);
  EXPECT_NE(complaint([&] { mixture_proportions(members, Vector::Zero(3)); }).find("all zero"), std::string::npos);
  EXPECT_NE(complaint([&] { mixture_proportions(members, -Vector::Ones(3)); }).find("-1 for row 1"), std::string::npos);
  for (const double bad : {std::nan(""), infinity}) {
    Matrix wrong = members;
    wrong(1, 2) = bad;
    EXPECT_NE(complaint([&] { mixture_proportions(wrong, even); }).find("row 3"), std::string::npos);
  }
  Matrix none = members;
  none.col(1).setConstant(-infinity);
  EXPECT_NE(complaint<NumericalError>([&] { mixture_proportions(none, even); }).find("at row 2"), std::string::npos);
}

}  // namespace
}  // namespace condens::mixture_proportions_test
