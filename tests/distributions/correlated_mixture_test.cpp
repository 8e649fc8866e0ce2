// Components with any covariance, against plain formulas of the covariance matrices.

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "condens/distributions/gaussian_mixture.hpp"
#include "support/complaint.hpp"
#include "support/plain_gaussian.hpp"

namespace condens::correlated_mixture_test {
namespace {

struct Example {
  Vector weights;
  Matrix means;
  std::vector<Matrix> covariances;

  GaussianComponents components() const { return GaussianComponents::from_covariances(means, columns_of(covariances)); }
  GaussianMixture law() const { return {weights, components()}; }
};

Example example(Index d, Index m, std::uint64_t seed = 1) {
  RandomStream random(seed, static_cast<std::uint64_t>(d));
  Example out{Vector(m), 2.0 * normals(d, m, random), {}};
  for (double& weight : out.weights) weight = 0.1 + random.uniform();
  out.weights /= out.weights.sum();
  for (Index l = 0; l < m; ++l) out.covariances.push_back(random_covariance(d, random));
  return out;
}

/// The same law, with the coordinates of every component turned by an orthogonal matrix.
Example turned(const Example& p, const Matrix& rotation) {
  Example out{p.weights, rotation * p.means, {}};
  for (const Matrix& covariance : p.covariances) {
    const Matrix moved = rotation * covariance * rotation.transpose();
    out.covariances.emplace_back(0.5 * (moved + moved.transpose()));
  }
  return out;
}

Matrix random_rotation(Index d, std::uint64_t seed) {
  return Eigen::HouseholderQR<Matrix>(normals(d, d, seed)).householderQ();
}

TEST(CorrelatedMixture, ConditionalTimesMarginalIsTheJointDensity) {
  const Index n = 6;
  const std::vector<Index> given{2, 0};
  const std::vector<Index> rest{1, 3};
  const Example of_correlated = example(4, 5);
  const Matrix scales = (0.3 * normals(4, 5, 8)).array().exp();
  for (const GaussianComponents& components :
       {of_correlated.components(), GaussianComponents{of_correlated.means, scales}}) {
    const auto shared = std::make_shared<const GaussianComponents>(components);
    const Matrix log_weights = of_correlated.weights.array().log().matrix().replicate(1, n);
    const GaussianMixtures together = GaussianMixtures::shared(shared, log_weights);
    const Matrix y = 2.0 * normals(4, n, 3);
    const Vector expected = together.log_pdf(y) - together.marginal(given).log_pdf(y(given, Eigen::all));
    const GaussianMixtures apart =
        together.select({0, 1, 2, 3, 4, 5}).affine_each(Matrix::Zero(4, n), Matrix::Ones(4, n));
    for (const GaussianMixtures& laws : {together, apart}) {
      const GaussianMixtures conditional = laws.conditional(given, y(given, Eigen::all));
      EXPECT_EQ(conditional.dimension(), 2);
      EXPECT_LT((conditional.log_pdf(y(rest, Eigen::all)) - expected).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
  const GaussianMixtures laws = GaussianMixtures::separate(of_correlated.components(), Matrix::Zero(5, 1));
  EXPECT_NE(complaint([&] { laws.conditional({0, 1, 2, 3}, Matrix::Zero(4, 1)); }).find("not all"), std::string::npos);
  EXPECT_NE(complaint([&] { laws.conditional({0}, Matrix::Zero(1, 2)); }).find("values"), std::string::npos);
}

TEST(CorrelatedMixture, ShiftsAndScalesOfEveryRow) {
  const Example p = example(2, 3);
  const GaussianMixtures laws =
      GaussianMixtures::shared(std::make_shared<const GaussianComponents>(p.components()), Matrix::Zero(3, 4));
  const Matrix shift = normals(2, 4, 1);
  const Matrix scale = (normals(2, 4, 2).array().abs() + 0.1)
                           .matrix()
                           .cwiseProduct(Matrix{{1.0, -1.0, 1.0, -1.0}, {1.0, 1.0, -1.0, -1.0}});
  const Matrix y = normals(2, 4, 3);
  const Vector moved = laws.affine_each(shift, scale).log_pdf(shift + scale.cwiseProduct(y));
  const Vector expected = laws.log_pdf(y) - scale.cwiseAbs().array().log().colwise().sum().matrix().transpose();
  EXPECT_LT((moved - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(CorrelatedMixture, HasTheDensityOfTheFormula) {
  for (const Index d : {2, 3, 7}) {
    for (const Index m : {1, 5, 16, 37}) {  // groups of 16 in the vectorised loop
      const Example p = example(d, m);
      const GaussianMixture law = p.law();
      const Matrix y = 2.0 * normals(d, 20, 3);
      for (const auto& point : y.colwise()) {
        const double expected = plain_mixture_pdf(point, p.weights, p.means, p.covariances);
        EXPECT_NEAR(law.pdf(point), expected, 1e-12 * expected);
      }
    }
  }
}

TEST(CorrelatedMixture, FarAwayHasAFiniteLogDensity) {
  const Example p = example(3, 4);
  EXPECT_TRUE(std::isfinite(p.law().log_pdf(Vector::Constant(3, 1e100))));
  EXPECT_LT(p.law().log_pdf(Vector::Constant(3, 1e100)), -1e150);
}

TEST(CorrelatedMixture, GivesItsCovariancesBack) {
  const Example p = example(4, 3);
  const GaussianMixture law = p.law();
  Vector mean = Vector::Zero(4);
  for (Index l = 0; l < 3; ++l) mean += p.weights[l] * p.means.col(l);
  Matrix covariance = Matrix::Zero(4, 4);
  for (Index l = 0; l < 3; ++l) {
    const Matrix& own = p.covariances[static_cast<std::size_t>(l)];
    EXPECT_LT((law.components().covariance(l) - own).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LT((law.scales().col(l) - own.diagonal().cwiseSqrt()).norm(), 1e-14);
    covariance += p.weights[l] * (own + (p.means.col(l) - mean) * (p.means.col(l) - mean).transpose());
  }
  EXPECT_LT((law.components().covariances() - columns_of(p.covariances)).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((law.covariance() - covariance).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((law.variance() - covariance.diagonal()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((law.mean() - mean).norm(), 1e-14);
}

TEST(CorrelatedMixture, OfDiagonalCovariancesIsThatOfScales) {
  Example p = example(3, 4);
  Matrix scales(3, 4);
  for (Index l = 0; l < 4; ++l) {
    Matrix& own = p.covariances[static_cast<std::size_t>(l)];
    own = own.diagonal().eval().asDiagonal();
    scales.col(l) = own.diagonal().cwiseSqrt();
  }
  EXPECT_FALSE(p.components().correlated());
  EXPECT_TRUE(p.components() == (GaussianComponents{p.means, scales}));
  // The code for correlations, given none, agrees with the code for scales.
  GaussianComponents full = p.components();
  full.correlations = GaussianComponents::standard(3, 4, true).correlations;
  const GaussianMixture plain = p.law(), general(p.weights, full);
  const Vector y{{0.3, -1.0, 2.0}};
  EXPECT_NEAR(general.log_pdf(y), plain.log_pdf(y), 1e-14);
  EXPECT_LT((general.covariance() - plain.covariance()).norm(), 1e-13);
  EXPECT_NEAR(general.squared_l2_norm(), plain.squared_l2_norm(), 1e-14);
  EXPECT_NEAR(general.energy_score(y), plain.energy_score(y), 1e-12);
  EXPECT_LT((general.mode() - plain.mode()).norm(), 1e-9);
  RandomStream a(3), b(3);
  EXPECT_LT((general.sample(5, a) - plain.sample(5, b)).norm(), 1e-13);
  // One coordinate needs no covariance matrix.
  EXPECT_TRUE(GaussianComponents::from_covariances(Matrix{{1.0, 2.0}}, Matrix{{4.0, 9.0}}) ==
              (GaussianComponents{Matrix{{1.0, 2.0}}, Matrix{{2.0, 3.0}}}));
}

TEST(CorrelatedMixture, HasMarginalsOfItsVariances) {
  const Example p = example(3, 4);
  for (Index j = 0; j < 3; ++j) {
    const GaussianMixture marginal = p.law().marginal(j);
    EXPECT_FALSE(marginal.components().correlated());
    for (Index l = 0; l < 4; ++l) {
      EXPECT_NEAR(marginal.scales()(0, l), std::sqrt(p.covariances[static_cast<std::size_t>(l)](j, j)), 1e-14);
    }
    EXPECT_NEAR(marginal.cdf(marginal.quantile(0.3)), 0.3, 1e-12);
  }
}

TEST(CorrelatedMixture, HasMarginalsOfSeveralCoordinates) {
  const Example p = example(4, 3);
  const GaussianMixture law = p.law();
  const std::vector<Index> which{3, 0, 2};
  const GaussianMixture part = law.marginal(which);
  EXPECT_EQ(part.weights(), law.weights());
  EXPECT_LT((part.mean() - law.mean()(which)).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((part.covariance() - law.covariance()(which, which)).cwiseAbs().maxCoeff(), 1e-12);
  const GaussianMixtures laws =
      GaussianMixtures::shared(std::make_shared<const GaussianComponents>(law.components()), law.log_weights());
  EXPECT_EQ(laws.marginal(which)[0].components().correlations, part.components().correlations);
  for (const std::vector<Index>& bad : {std::vector<Index>{}, {0, 4}, {-1}, {1, 1}}) {
    EXPECT_THROW(law.marginal(bad), std::invalid_argument);
  }
}

TEST(CorrelatedMixture, TurnsWithItsCoordinates) {
  // Integrals over the space do not know the axes: those of a law with independent coordinates are exact.
  for (const Index d : {2, 4}) {
    Example p = example(d, 3);
    for (Matrix& own : p.covariances) own = own.diagonal().eval().asDiagonal();
    const Matrix rotation = random_rotation(d, 9);
    const GaussianMixture plain = p.law(), law = turned(p, rotation).law();
    ASSERT_TRUE(law.components().correlated());
    const Vector y = normals(d, 1, 5).col(0);
    const Vector there = rotation * y;
    EXPECT_NEAR(law.log_pdf(there), plain.log_pdf(y), 1e-12);
    EXPECT_NEAR(law.squared_l2_norm(), plain.squared_l2_norm(), 1e-13);
    EXPECT_NEAR(law.energy(), plain.energy(), 1e-11);
    EXPECT_NEAR(law.energy(there), plain.energy(y), 1e-11);
    EXPECT_NEAR(law.energy_score(there), plain.energy_score(y), 1e-11);
    EXPECT_NEAR(law.squared_loss(there), plain.squared_loss(y), 1e-13);
    ASSERT_EQ(law.modes().cols(), plain.modes().cols());
    EXPECT_LT((law.modes() - rotation * plain.modes()).norm(), 1e-7);
  }
}

TEST(CorrelatedMixture, HasTheOverlapsOfTheFormula) {
  const Example p = example(3, 4);
  double expected = 0.0;
  for (Index l = 0; l < 4; ++l) {
    for (Index r = 0; r < 4; ++r) {
      const Matrix both = p.covariances[static_cast<std::size_t>(l)] + p.covariances[static_cast<std::size_t>(r)];
      expected += p.weights[l] * p.weights[r] * std::exp(plain_normal_log_pdf(p.means.col(l), p.means.col(r), both));
    }
  }
  EXPECT_NEAR(p.law().squared_l2_norm(), expected, 1e-13 * expected);
}

TEST(CorrelatedMixture, HasModesWithoutGradient) {
  Example p{Vector{{0.5, 0.3, 0.2}}, Matrix{{0.0, 3.0, 0.2}, {0.0, 3.0, 0.1}}, {}};
  p.covariances = {Matrix{{1.0, 0.6}, {0.6, 0.5}}, Matrix{{0.25, -0.4}, {-0.4, 1.0}}, Matrix{{1.0, 0.9}, {0.9, 1.0}}};
  const GaussianMixture law = p.law();
  const Matrix modes = law.modes();
  ASSERT_EQ(modes.cols(), 2);
  for (Index k = 0; k < 2; ++k) {
    for (Index j = 0; j < 2; ++j) {
      Vector up = modes.col(k), down = modes.col(k);
      up[j] += 1e-5;
      down[j] -= 1e-5;
      EXPECT_NEAR((law.log_pdf(up) - law.log_pdf(down)) / 2e-5, 0.0,
                  1e-7);  // step^2 / 6 times a third derivative of 900
      EXPECT_LT(law.log_pdf(up), law.log_pdf(modes.col(k)) + 1e-15);
    }
  }
}

TEST(CorrelatedMixture, DrawsHaveTheMomentsOfTheComponents) {
  const Example p = example(3, 2);
  const GaussianMixture law = p.law();
  RandomStream random(11);
  const Index n = 100000;
  const Matrix draws = law.sample(n, random);
  const Matrix centred = draws.colwise() - law.mean();
  const Matrix covariance = law.covariance();
  for (Index j = 0; j < 3; ++j) {
    for (Index k = 0; k <= j; ++k) {
      const Eigen::ArrayXd products = centred.row(j).array() * centred.row(k).array();
      const double error = std::sqrt((products - products.mean()).square().mean() / static_cast<double>(n));
      EXPECT_NEAR(products.mean(), covariance(j, k), 5.0 * error);  // six tests: false alarm once in 300,000
    }
  }
}

TEST(CorrelatedMixture, NearlySingularStaysExact) {
  // y_2 = y_1 up to 1e-6: along (1, -1) / sqrt 2 the variance is (1 - rho).
  const double rho = 1.0 - 1e-12;
  const GaussianMixture law(
      Vector::Ones(1), GaussianComponents::from_covariances(Matrix::Zero(2, 1), Matrix{{1.0}, {rho}, {rho}, {1.0}}));
  const double log_det = std::log1p(-rho * rho);
  EXPECT_NEAR(law.log_pdf(Vector{{0.5, 0.5}}), -0.5 * 0.5 / (1.0 + rho) - 0.5 * log_det - std::log(2 * M_PI), 1e-4);
  EXPECT_NEAR(law.squared_l2_norm(), 1.0 / (4.0 * M_PI * std::sqrt((1.0 - rho) * (1.0 + rho))), 30.0);  // of 56,000
  EXPECT_NEAR(law.energy(), 2.0 * std::sqrt(1.0 + rho) / std::sqrt(M_PI), 1e-5);
}

GaussianMixtures batch(Index d, bool shared, Index n = 40, Index m = 5) {
  const Example p = example(d, shared ? m : m * n, 4);
  const Matrix log_weights = normals(m, n, 6);
  if (!shared) return GaussianMixtures::separate(p.components(), log_weights);
  return GaussianMixtures::shared(std::make_shared<const GaussianComponents>(p.components()), log_weights);
}

TEST(CorrelatedMixtures, GiveTheBitsOfSingleLaws) {
  for (const bool shared : {true, false}) {
    const GaussianMixtures laws = batch(3, shared);
    const Matrix y = normals(3, laws.size(), 8);
    const Vector log_pdf = laws.log_pdf(y), norm = laws.squared_l2_norm(), score = laws.energy_score(y);
    const Matrix covariance = laws.covariance(), mode = laws.mode(), draws = laws.sample(2, 17);
    const Matrix grid = laws.log_pdf_grid(y.leftCols(3));
    for (Index i = 0; i < laws.size(); ++i) {
      const GaussianMixture p = laws[i];
      ASSERT_EQ(log_pdf[i], p.log_pdf(y.col(i)));
      ASSERT_EQ(norm[i], p.squared_l2_norm());
      ASSERT_EQ(score[i], p.energy_score(y.col(i)));
      ASSERT_EQ(Matrix(covariance.col(i).reshaped(3, 3)), p.covariance());
      ASSERT_EQ(mode.col(i), p.mode());
      ASSERT_EQ(grid(2, i), p.log_pdf(y.col(2)));
      RandomStream random(17, static_cast<std::uint64_t>(i));
      ASSERT_EQ(draws.middleCols(2 * i, 2), p.sample(2, random));
    }
    const condens::Run one{.threads = 1, .observer = {}}, many{.threads = 7, .observer = {}};
    EXPECT_EQ(laws.log_pdf(y, one), laws.log_pdf(y, many));
    EXPECT_EQ(laws.energy_score(y, one), laws.energy_score(y, many));
  }
}

TEST(CorrelatedMixtures, AreCutAndJoined) {
  for (const bool shared : {true, false}) {
    const GaussianMixtures laws = batch(2, shared);
    const Matrix y = normals(2, laws.size(), 8);
    const GaussianMixtures joined = GaussianMixtures::concatenate({laws.slice(0, 8), laws.slice(8, 32)});
    EXPECT_EQ(joined.has_shared_components(), shared);
    EXPECT_EQ(joined.log_pdf(y), laws.log_pdf(y));
    EXPECT_EQ(laws.select({7, 2, 7}).log_pdf(y.leftCols(3))[2], laws[7].log_pdf(y.col(2)));
  }
  // With independent coordinates beside, and fewer components.
  const GaussianMixtures full = batch(2, true, 3, 4);
  const GaussianMixtures plain = GaussianMixtures::separate(Matrix::Zero(2, 4), Matrix::Ones(2, 4), Matrix::Zero(2, 2));
  for (const bool first : {true, false}) {
    const GaussianMixtures joined =
        GaussianMixtures::concatenate(first ? std::vector{full, plain} : std::vector{plain, full});
    const Vector y{{0.3, -0.2}};
    const Index of_full = first ? 0 : 2;
    EXPECT_NEAR(joined[of_full + 1].log_pdf(y), full[1].log_pdf(y), 1e-14);
    EXPECT_NEAR(joined[first ? 3 : 0].log_pdf(y), plain[0].log_pdf(y), 1e-14);
    EXPECT_NEAR(joined.squared_l2_norm()[of_full], full.squared_l2_norm()[0], 1e-14);
  }
  // Equal but for the correlations is not equal.
  const GaussianComponents& all = full.components();
  auto other = std::make_shared<const GaussianComponents>(GaussianComponents{all.means, all.scales});
  EXPECT_FALSE(GaussianMixtures::concatenate({full, GaussianMixtures::shared(other, full.log_weights())})
                   .has_shared_components());
}

TEST(CorrelatedMixtures, TransformAffinely) {
  const Example p = example(3, 4);
  const Vector shift{{1.0, -2.0, 0.5}}, scale{{3.0, -0.5, -2.0}};
  const GaussianMixtures laws =
      GaussianMixtures::shared(std::make_shared<const GaussianComponents>(p.components()), p.weights.array().log());
  const GaussianMixture moved = laws.affine(shift, scale)[0];
  for (Index l = 0; l < 4; ++l) {
    const Matrix expected = scale.asDiagonal() * p.covariances[static_cast<std::size_t>(l)] * scale.asDiagonal();
    EXPECT_LT((moved.components().covariance(l) - expected).cwiseAbs().maxCoeff(), 1e-12);
  }
  const Vector y{{0.2, 0.4, -1.0}};
  EXPECT_NEAR(moved.log_pdf(shift + scale.cwiseProduct(y)), p.law().log_pdf(y) - std::log(3.0), 1e-12);
}

TEST(CorrelatedMixture, NamesWhatIsNoCovariance) {
  const auto said = [](const Matrix& covariances, const Matrix& means = Matrix::Zero(2, 1)) {
    return complaint([&] { GaussianComponents::from_covariances(means, covariances); });
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nexpected: " << part;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  has(said(Matrix::Zero(3, 1)), "GaussianComponents: covariances is 3 x 1; expected 4 x 1");
  has(said(Matrix{{1.0}, {0.5}, {0.5}, {0.0}}), "variance 0 of component 0, coordinate 1");
  has(said(Matrix{{nan}, {0.5}, {0.5}, {1.0}}), "variance nan of component 0, coordinate 0");
  has(said(Matrix{{1.0}, {nan}, {nan}, {1.0}}), "covariance nan of component 0, coordinates 1 and 0");
  has(said(Matrix{{1.0}, {0.5}, {0.4}, {1.0}}), "has 0.5 for coordinates 1, 0 and 0.4 for 0, 1; expected a symmetric");
  has(said(Matrix{{1.0}, {1.0}, {1.0}, {1.0}}), "the covariance of component 0 is not positive definite");
  has(said(Matrix{{1.0}, {1.2}, {1.2}, {1.0}}), "the covariance of component 0 is not positive definite");
  has(said(Matrix{{1.0}, {0.0}, {0.0}, {1.0}}, Matrix::Constant(2, 1, nan)), "mean nan of component 0");
  const auto refused = [](const Matrix& correlations) {
    return complaint([&] { GaussianMixture(Vector::Ones(1), {Matrix::Zero(2, 1), Matrix::Ones(2, 1), correlations}); });
  };
  has(refused(Matrix::Ones(3, 1)), "GaussianMixture: correlations is 3 x 1; expected 4 x 1");
  has(refused(Matrix{{1.0}, {0.6}, {0.0}, {0.9}}), "the correlations of component 0 have row 1");
  has(refused(Matrix{{1.0}, {0.6}, {0.1}, {0.8}}), "the correlations of component 0 have row 0");
  has(refused(Matrix{{1.0}, {0.6}, {0.0}, {-0.8}}), "last number > 0");
  has(complaint([] {
        GaussianMixture(Vector::Ones(1), {Matrix::Zero(1, 1), Matrix::Ones(1, 1), Matrix::Ones(1, 1)});
      }),
      "correlations of one coordinate; expected none");
}

}  // namespace
}  // namespace condens::correlated_mixture_test
