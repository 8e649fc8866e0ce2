// The boosting search against the appendix's steps as plain loops, on functions whose minimum is
// known, and where the paper leaves something open.

#include "optim/boosting_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "support/complaint.hpp"

namespace condens::boosting_search_test {
namespace {

using Function = double (*)(const Vector&);

double sphere(const Vector& x) { return (x.array() - 0.3).square().sum(); }

/// Many local minima; the lowest at 0.2 in every coordinate.
double rastrigin(const Vector& x) {
  const auto z = x.array() - 0.2;
  return (z.square() - 0.5 * (2 * std::numbers::pi * z).cos() + 0.5).sum();
}

double towards_a_corner(const Vector& x) { return (x.array() + 5).square().sum(); }

BatchObjective batch(Function f) {
  return [f](const MatrixView& points, Eigen::Ref<Vector> values) {
    for (Index i = 0; i < points.cols(); ++i) values[i] = f(points.col(i));
  };
}

struct Plain {
  std::vector<double> x;
  double value;
};

/// The appendix, step by step, with one point at a time and std::pow.
Plain plain_search(Function f, double lower, double upper, Index d, const BoostingSettings& s) {
  const auto at = [&](const std::vector<double>& u) { return f(Eigen::Map<const Vector>(u.data(), std::ssize(u))); };
  RandomStream random(s.seed);
  const auto p = static_cast<std::size_t>(s.population);
  std::vector<std::vector<double>> u(p, std::vector<double>(static_cast<std::size_t>(d)));
  std::vector<double> j(p);
  Plain best{};
  for (Index generation = 0; generation < s.generations; ++generation) {
    for (std::size_t i = 0; i < p; ++i) {
      if (i == 0 && generation > 0) {
        u[i] = best.x;
        j[i] = best.value;
        continue;
      }
      for (double& coordinate : u[i]) coordinate = lower + random.uniform() * (upper - lower);
      j[i] = at(u[i]);
    }
    std::vector<double> delta(p, 1.0 / static_cast<double>(p));
    for (Index t = 0; t < s.iterations; ++t) {
      const auto i_best = static_cast<std::size_t>(std::min_element(j.begin(), j.end()) - j.begin());
      const auto i_worst = static_cast<std::size_t>(std::max_element(j.begin(), j.end()) - j.begin());
      best = {u[i_best], j[i_best]};
      double total = 0;
      for (const double value : j) total += value;
      double xi = 0;
      for (std::size_t i = 0; i < p; ++i) xi += delta[i] * j[i] / total;
      const double mu = xi / (1 - xi);
      double sum = 0;
      for (std::size_t i = 0; i < p; ++i) {
        delta[i] *= std::pow(mu, mu <= 1 ? j[i] / total : 1 - j[i] / total);
        sum += delta[i];
      }
      std::vector<double> mean(static_cast<std::size_t>(d), 0.0);
      std::vector<double> mirror(mean);
      for (std::size_t k = 0; k < mean.size(); ++k) {
        for (std::size_t i = 0; i < p; ++i) mean[k] += delta[i] / sum * u[i][k];
        mirror[k] = std::clamp(best.x[k] + (best.x[k] - mean[k]), lower, upper);
      }
      for (double& share : delta) share /= sum;
      const bool take_mirror = at(mirror) < at(mean);
      u[i_worst] = take_mirror ? mirror : mean;
      j[i_worst] = at(u[i_worst]);
    }
    if (!s.literal_best) {
      const auto i_best = static_cast<std::size_t>(std::min_element(j.begin(), j.end()) - j.begin());
      best = {u[i_best], j[i_best]};
    }
  }
  return best;
}

TEST(BoostingSearch, IsThePapersAppendix) {
  for (const Function f : {sphere, rastrigin, towards_a_corner}) {
    for (const bool literal : {false, true}) {
      const BoostingSettings settings{
          .population = 7, .generations = 3, .iterations = 15, .literal_best = literal, .seed = 4};
      const BoostingResult found =
          boosting_search(batch(f), Vector::Constant(3, -2.0), Vector::Constant(3, 1.5), settings);
      const Plain expected = plain_search(f, -2.0, 1.5, 3, settings);
      EXPECT_NEAR(found.value, expected.value, 1e-9 * (1 + expected.value));
      for (Index k = 0; k < 3; ++k) EXPECT_NEAR(found.x[k], expected.x[static_cast<std::size_t>(k)], 1e-9);
    }
  }
}

TEST(BoostingSearch, FindsMinima) {
  const BoostingSettings settings{.population = 20, .generations = 10, .iterations = 200};
  const Vector lower = Vector::Constant(2, -4.0);
  const Vector upper = Vector::Constant(2, 3.0);
  const BoostingResult bowl = boosting_search(batch(sphere), lower, upper, settings);
  EXPECT_LT((bowl.x.array() - 0.3).abs().maxCoeff(), 1e-3);
  const BoostingResult waves = boosting_search(batch(rastrigin), lower, upper, settings);
  EXPECT_LT((waves.x.array() - 0.2).abs().maxCoeff(), 0.05);
}

TEST(BoostingSearch, CountsItsEvaluationsAndCallsInBatches) {
  for (const auto& [population, generations, iterations] :
       {std::tuple{40, 10, 400}, {10, 3, 7}, {1, 2, 5}, {5, 4, 0}}) {
    const BoostingSettings settings{.population = population, .generations = generations, .iterations = iterations};
    Index points = 0;
    Index calls = 0;
    const BatchObjective counted = [&](const MatrixView& x, Eigen::Ref<Vector> values) {
      points += x.cols();
      ++calls;
      batch(sphere)(x, values);
    };
    const BoostingResult found = boosting_search(counted, Vector::Zero(2), Vector::Ones(2), settings);
    EXPECT_EQ(points, generations * (population + 2 * iterations) - (generations - 1));
    EXPECT_EQ(found.evaluations, points);
    EXPECT_EQ(boosting_evaluations(settings), points);
    EXPECT_LE(calls, generations * (1 + iterations));
  }
}

TEST(BoostingSearch, StaysInTheBox) {
  const Vector lower{{-1.0, 0.5}};
  const Vector upper{{2.0, 0.5}};
  const BatchObjective checked = [&](const MatrixView& x, Eigen::Ref<Vector> values) {
    for (Index i = 0; i < x.cols(); ++i) {
      EXPECT_TRUE((x.col(i).array() >= lower.array()).all() && (x.col(i).array() <= upper.array()).all());
    }
    batch(towards_a_corner)(x, values);
  };
  const BoostingResult found = boosting_search(checked, lower, upper, {});
  EXPECT_GT(found.clipped, 0);
  EXPECT_NEAR(found.x[0], -1.0, 1e-3);
  EXPECT_EQ(found.x[1], 0.5);
}

TEST(BoostingSearch, TheLiteralBestCanBeStale) {
  // One generation: with more, the two searches go different ways (errata D15).
  int worse = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const BoostingSettings settings{.population = 6, .generations = 1, .iterations = 10, .seed = seed};
    BoostingSettings literal = settings;
    literal.literal_best = true;
    const Vector lower = Vector::Constant(2, -2.0);
    const Vector upper = Vector::Constant(2, 2.0);
    const double value = boosting_search(batch(rastrigin), lower, upper, settings).value;
    const double stale = boosting_search(batch(rastrigin), lower, upper, literal).value;
    EXPECT_LE(value, stale);
    worse += stale > value ? 1 : 0;
  }
  EXPECT_GT(worse, 0);
}

TEST(BoostingSearch, ValuesOfZeroAndInfinityHaveLimits) {
  const Vector lower = Vector::Constant(2, -1.0);
  const Vector upper = Vector::Constant(2, 1.0);
  const auto zero = [](const Vector&) { return 0.0; };
  EXPECT_EQ(boosting_search(batch(zero), lower, upper, {}).value, 0.0);
  const auto wall = [](const Vector& x) { return x[0] > 0 ? std::numeric_limits<double>::infinity() : sphere(x); };
  const BoostingResult found = boosting_search(batch(wall), lower, upper, {});
  EXPECT_NEAR(found.value, 0.09, 0.01);
  const auto nowhere = [](const Vector&) { return std::numeric_limits<double>::infinity(); };
  EXPECT_TRUE(std::isinf(boosting_search(batch(nowhere), lower, upper, {}).value));
  const BoostingSettings alone{.population = 1, .generations = 3, .iterations = 4};
  EXPECT_TRUE(std::isfinite(boosting_search(batch(sphere), lower, upper, alone).value));
}

TEST(BoostingSearch, SaysWhatIsWrong) {
  const Vector zero = Vector::Zero(2);
  const Vector one = Vector::Ones(2);
  const auto with = [&](const Vector& lower, const Vector& upper, const BoostingSettings& settings) {
    return complaint([&] { boosting_search(batch(sphere), lower, upper, settings); });
  };
  EXPECT_EQ(with(zero, Vector::Ones(3), {}), "boosting_search: 2 lower and 3 upper bounds, expected as many");
  EXPECT_EQ(with(one, zero, {}), "boosting_search: bounds 1 are [1, 0], expected finite and in order");
  EXPECT_EQ(with(zero, one, {.population = 0}), "boosting_search: population = 0, expected >= 1");
  EXPECT_EQ(with(zero, one, {.generations = 0}), "boosting_search: generations = 0, expected >= 1");
  EXPECT_EQ(with(zero, one, {.iterations = -1}), "boosting_search: iterations = -1, expected >= 0");
  const auto negative = [](const Vector&) { return -1.0; };
  EXPECT_EQ(complaint<NumericalError>([&] { boosting_search(batch(negative), zero, one, {}); }),
            "boosting_search: a value of -1, expected >= 0");
  int calls = 0;
  EXPECT_THROW(boosting_search(batch(sphere), zero, one, {},
                               [&] {
                                 if (++calls == 5) throw Cancelled();
                               }),
               Cancelled);
}

}  // namespace
}  // namespace condens::boosting_search_test
