// Batches: the bits of single laws, of any number of threads and any alignment; and the messages of the room.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "mixture_examples.hpp"

namespace condens::gaussian_mixtures_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Batch {
  GaussianMixtures laws;
  Matrix y;
};

Batch make(Index d, bool shared, Index n = 150, Index m = 7) {
  RandomStream random(5, static_cast<std::uint64_t>(d));
  const auto normal = [&](Index rows, Index cols) -> Matrix {
    return Matrix::NullaryExpr(rows, cols, [&](Index, Index) { return random.normal(); });
  };
  const Index columns = shared ? m : m * n;
  const Matrix means = 2.0 * normal(d, columns);
  const Matrix scales = (0.3 * normal(d, columns)).array().exp();
  Matrix log_weights = 3.0 * normal(m, n);
  log_weights(0, 1) = -kInf;
  log_weights(1, 2) = -800.0;
  const Matrix y = normal(d, n);
  if (!shared) return {GaussianMixtures::separate(means, scales, log_weights), y};
  auto components = std::make_shared<const GaussianComponents>(GaussianComponents{means, scales});
  return {GaussianMixtures::shared(components, log_weights), y};
}

TEST(GaussianMixtures, GiveTheBitsOfSingleLaws) {
  for (const bool shared : {true, false}) {
    for (const Index d : {1, 3}) {
      const auto [laws, y] = make(d, shared);
      const Vector log_pdf = laws.log_pdf(y), pdf = laws.pdf(y), loss = laws.squared_loss(y);
      const Matrix mean = laws.mean(), variance = laws.variance(), mode = laws.mode();
      const Vector norm = laws.squared_l2_norm();
      const Matrix draws = laws.sample(3, 17);
      const Vector score = laws.slice(0, 3).energy_score(y.leftCols(3));
      const Matrix grid = laws.log_pdf_grid(y.leftCols(5));
      for (Index i = 0; i < laws.size(); ++i) {
        const GaussianMixture p = laws[i];
        ASSERT_EQ(log_pdf[i], p.log_pdf(y.col(i)));
        ASSERT_EQ(pdf[i], p.pdf(y.col(i)));
        ASSERT_EQ(loss[i], p.squared_loss(y.col(i)));
        ASSERT_EQ(norm[i], p.squared_l2_norm());
        ASSERT_EQ(mean.col(i), p.mean());
        ASSERT_EQ(variance.col(i), p.variance());
        ASSERT_EQ(mode.col(i), p.mode());
        for (Index q = 0; q < 5; ++q) ASSERT_EQ(grid(q, i), p.log_pdf(y.col(q)));
        if (i < 3) {
          ASSERT_EQ(score[i], p.energy_score(y.col(i)));
        }
        RandomStream random(17, static_cast<std::uint64_t>(i));
        ASSERT_EQ(draws.middleCols(3 * i, 3), p.sample(3, random));
      }
    }
  }
}

TEST(GaussianMixtures, GiveTheBitsOfSingleUnivariateLaws) {
  for (const bool shared : {true, false}) {
    const auto [laws, columns] = make(1, shared, 70);
    const Vector y = columns.row(0);
    const Vector levels{{0.0, 1e-12, 0.3, 0.5, 0.99, 1.0}};
    const Matrix quantile = laws.quantile(levels), interval = laws.interval(0.8);
    const Vector cdf = laws.cdf(y), sf = laws.sf(y), skewness = laws.skewness(), kurtosis = laws.kurtosis();
    const Vector median = laws.median(), crps = laws.crps(y), energy = laws.energy(), entropy = laws.entropy();
    const auto regions = laws.highest_density_region(0.8);
    for (Index i = 0; i < laws.size(); ++i) {
      const GaussianMixture p = laws[i];
      for (Index k = 0; k < levels.size(); ++k) ASSERT_EQ(quantile(k, i), p.quantile(levels[k]));
      ASSERT_EQ(interval(0, i), p.interval(0.8).lower);
      ASSERT_EQ(interval(1, i), p.interval(0.8).upper);
      ASSERT_EQ(cdf[i], p.cdf(y[i]));
      ASSERT_EQ(sf[i], p.sf(y[i]));
      ASSERT_EQ(skewness[i], p.skewness());
      ASSERT_EQ(kurtosis[i], p.kurtosis());
      ASSERT_EQ(median[i], p.median());
      ASSERT_EQ(crps[i], p.crps(y[i]));
      ASSERT_EQ(energy[i], p.energy());
      ASSERT_EQ(entropy[i], p.entropy());
      const auto region = p.highest_density_region(0.8);
      const auto& same = regions[static_cast<std::size_t>(i)];
      ASSERT_EQ(same.size(), region.size());
      for (std::size_t k = 0; k < region.size(); ++k) {
        ASSERT_EQ(same[k].lower, region[k].lower);
        ASSERT_EQ(same[k].upper, region[k].upper);
      }
      ASSERT_NEAR(p.mode()[0], p.modes()(0, 0), 1e-12);  // bounded search against the full one
    }
  }
}

TEST(GaussianMixtures, DoNotDependOnThreadsOrAlignment) {
  const auto [laws, y] = make(1, true, 300);
  const Vector points = y.row(0);
  const condens::Run one{.threads = 1, .observer = {}};
  for (const int threads : {2, 7}) {
    const condens::Run run{.threads = threads, .observer = {}};
    EXPECT_EQ(laws.log_pdf(y, run), laws.log_pdf(y, one));
    EXPECT_EQ(laws.crps(points, run), laws.crps(points, one));
    EXPECT_EQ(laws.mode(run), laws.mode(one));
    EXPECT_EQ(laws.quantile(Vector{{0.2, 0.9}}, run), laws.quantile(Vector{{0.2, 0.9}}, one));
    EXPECT_EQ(laws.sample(2, 1, run), laws.sample(2, 1, one));
  }
  Vector shifted(301);
  shifted.tail(300) = points;
  EXPECT_EQ(laws.crps(shifted.tail(300)), laws.crps(points));
  EXPECT_EQ(laws.log_pdf(Eigen::Map<const Matrix>(shifted.data() + 1, 1, 300)), laws.log_pdf(y));
  EXPECT_EQ(laws.slice(37, 100).log_pdf(y.middleCols(37, 100)), laws.log_pdf(y).segment(37, 100));
}

TEST(GaussianMixtures, AreCutAndJoined) {
  for (const bool shared : {true, false}) {
    const auto [laws, y] = make(2, shared, 20);
    const GaussianMixtures joined =
        GaussianMixtures::concatenate({laws.slice(0, 8), laws.slice(8, 0), laws.slice(8, 12)});
    EXPECT_EQ(joined.has_shared_components(), shared);
    EXPECT_EQ(joined.log_pdf(y), laws.log_pdf(y));
  }
  const auto [small, y] = make(1, true, 4, 2);
  const auto [large, z] = make(1, false, 3, 5);
  const GaussianMixtures joined = GaussianMixtures::concatenate({small, large});
  EXPECT_FALSE(joined.has_shared_components());
  ASSERT_EQ(joined.n_components(), 5);
  EXPECT_NEAR(joined[1].pdf(0.3), small[1].pdf(0.3), 1e-15);
  EXPECT_EQ(joined[5].pdf(0.3), large[1].pdf(0.3));
  EXPECT_EQ(joined[1].modes().cols(), small[1].modes().cols());
}

TEST(GaussianMixtures, TransformAffinely) {
  const auto [laws, y] = make(2, true, 10);
  const Vector shift{{1.0, -2.0}};
  const Vector scale{{3.0, -0.5}};
  const GaussianMixtures moved = laws.affine(shift, scale);
  const Matrix there = (y.array().colwise() * scale.array()).colwise() + shift.array();
  EXPECT_LT((moved.log_pdf(there) - laws.log_pdf(y)).array().abs().maxCoeff() - std::log(1.5), 1e-13);
  EXPECT_NEAR(moved.log_pdf(there)[3], laws.log_pdf(y)[3] - std::log(1.5), 1e-13);
  EXPECT_EQ(moved.marginal(1)[2].pdf(0.4), moved[2].marginal(1).pdf(0.4));
}

template <class F>
void expect_message(F&& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "no error; expected: " << part;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nexpected: " << part;
  }
}

TEST(MixtureErrors, OfConstructionNameTheValue) {
  const Vector half{{0.5, 0.5}}, zero{{0.0, 1.0}}, one{{1.0, 1.0}};
  expect_message([&] { univariate(Vector{{-0.5, 1.5}}, zero, one); }, "weight -0.5 of component 0");
  expect_message([&] { univariate(Vector{{kNan, 1.0}}, zero, one); }, "weight nan of component 0");
  expect_message([&] { univariate(Vector{{0.5, 0.6}}, zero, one); }, "the weights sum to 1.1; expected 1");
  expect_message([&] { univariate(Vector{{1.0}}, zero, one); }, "weights is 1 x 1; expected 2 x 1");
  expect_message([&] { univariate(half, zero, Vector{{1.0, 0.0}}); }, "scale 0 of component 1, coordinate 0");
  expect_message(
      [&] {
        univariate(half, zero, Vector{{1.0, 1e-110}});
      },
      "scale from 1e-105 to 1e+105: change the unit");
  expect_message([&] { univariate(half, zero, Vector{{kInf, 1.0}}); }, "scale inf of component 0");
  expect_message([&] { univariate(half, Vector{{kNan, 1.0}}, one); }, "mean nan of component 0");
  expect_message([&] { univariate(half, zero, Vector{{1.0}}); }, "scales is 1 x 1; expected 1 x 2");
  expect_message([] { GaussianMixture(Vector(0), Matrix(1, 0), Matrix(1, 0)); }, "means is 1 x 0; expected at least");
  const auto logs = [&](const Vector& w) {
    return GaussianMixture::from_log_weights(w, zero.transpose(), one.transpose());
  };
  EXPECT_NEAR(logs(Vector{{5000.0, 5000.0}}).weights()[0], 0.5, 1e-15);
  expect_message([&] { logs(Vector{{-kInf, -kInf}}); }, "every log weight of distribution 0 is -infinity");
  expect_message([&] { logs(Vector{{kInf, 0.0}}); }, "log weight inf of component 0 in distribution 0");
  expect_message([&] { logs(Vector{{kNan, 0.0}}); }, "log weight nan of component 0 in distribution 0");
  expect_message([&] { logs(Vector{{0.0}}); }, "log_weights is 1 x 1; expected 2 x 1");
  expect_message([] { GaussianMixtures::shared(nullptr, Matrix::Zero(1, 1)); }, "components is null");
  expect_message([] { GaussianMixtures::separate(Matrix::Zero(1, 3), Matrix::Ones(1, 3), Matrix::Zero(2, 2)); },
                 "means is 1 x 3 and log_weights 2 x 2");
  expect_message([] { GaussianMixtures::concatenate({}); }, "no parts");
}

TEST(MixtureErrors, OfQuestionsSayWhatToDo) {
  const GaussianMixture p = smooth_examples()[1];
  expect_message([&] { p.quantile(1.5); }, "GaussianMixture::quantile: level 1.5 is outside [0, 1]");
  expect_message([&] { p.quantile(kNan); }, "level nan");
  expect_message([&] { p.upper_quantile(-0.1); }, "upper_quantile: level -0.1");
  expect_message([&] { p.interval(1.0); }, "mass 1 is outside (0, 1)");
  expect_message([&] { p.highest_density_region(0.0); }, "mass 0 is outside (0, 1)");
  expect_message([&] { p.cdf(kNan); }, "GaussianMixture::cdf: y is NaN");
  expect_message([&] { p.pdf(Vector{{1.0, 2.0}}); }, "y is 2 x 1; expected 1 x 1");
  expect_message([&] { p.marginal(1); }, "coordinate 1; expected one of 0, ..., 0");
  RandomStream random(1);
  expect_message([&] { p.sample(-1, random); }, "n is -1");
  const auto [laws, y] = make(2, true, 5);
  const GaussianMixture plane = laws[0];
  expect_message([&] { plane.pdf(0.0); }, "has 2 dimensions, this needs 1; pass a vector");
  expect_message([&] { plane.cdf(0.0); }, "use marginal(j), or sample");
  expect_message([&] { plane.crps(0.0); }, "use energy_score, or marginal(j)");
  expect_message([&] { plane.entropy(); }, "the mean of -log_pdf over a sample");
  expect_message([&] { plane.highest_density_region(0.5); }, "of highest log_pdf");
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { plane.skewness(); }, [&] { plane.kurtosis(); }, [&] { plane.median(); }, [&] { plane.interval(0.5); },
           [&, &b = laws] { b.median(); }, [&, &b = laws] { b.cdf(Vector::Zero(5)); }, [&, &b = laws] { b.entropy(); },
           [&, &b = laws] { b.crps(Vector::Zero(5)); }}) {
    expect_message(call, "has 2 dimensions, this needs 1");
  }
  expect_message([&, &b = laws] { b.log_pdf(Matrix::Zero(2, 4)); },
                 "y has 4 points for 5 distributions; expected as many for each distribution");
  Matrix bad = y;
  bad(1, 3) = kNan;
  expect_message([&, &b = laws] { b.log_pdf(bad); }, "y is NaN at row 1, column 3");
  expect_message([&, &b = laws] { b[5]; }, "distribution 5 of 5");
  expect_message([&, &b = laws] { b.slice(2, 9); }, "distributions 2 to 11 of 5");
  expect_message([&, &b = laws] { b.affine(Vector::Zero(2), Vector{{1.0, 0.0}}); }, "scale 0 of coordinate 1");
  expect_message([&, &b = laws] { b.affine(Vector::Zero(3), Vector::Ones(2)); }, "shift is 3 x 1; expected 2 x 1");
  expect_message([&, &b = laws] { b.sample(-2, 1); }, "per_law is -2");
}

}  // namespace
}  // namespace condens::gaussian_mixtures_test
