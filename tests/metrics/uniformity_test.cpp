#include "condens/metrics/uniformity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "condens/core/random.hpp"

namespace condens::uniformity_test {
namespace {

/// P(D_n < d), exact: Durbin's matrix as in Marsaglia, Tsang and Wang (2003).
double exact_kolmogorov_cdf(int n, double d) {
  const int k = static_cast<int>(n * d) + 1;
  const int m = 2 * k - 1;
  const double h = k - n * d;
  Matrix base(m, m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) base(i, j) = i - j + 1 < 0 ? 0.0 : 1.0;
  for (int i = 0; i < m; ++i) {
    base(i, 0) -= std::pow(h, i + 1);
    base(m - 1, i) -= std::pow(h, m - i);
  }
  base(m - 1, 0) += 2 * h - 1 > 0 ? std::pow(2 * h - 1, m) : 0.0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j)
      if (i - j + 1 > 0) base(i, j) /= std::tgamma(i - j + 2.0);
  Matrix power = Matrix::Identity(m, m);
  for (int i = 1; i <= n; ++i) power = power * base * (static_cast<double>(i) / n);  // n! / n^n, a factor at a time
  return power(k - 1, k - 1);
}

TEST(Uniformity, KolmogorovSmirnovAgreesWithTheExactLaw) {
  for (const int n : {10, 20, 100})
    for (const double t : {0.7, 0.9, 1.1, 1.3, 1.6, 1.9}) {
      const double d = t / std::sqrt(n);
      const double exact = 1.0 - exact_kolmogorov_cdf(n, d);
      const double promised = n >= 100 ? 0.0005 : 0.002;  // by the header
      EXPECT_NEAR(kolmogorov_smirnov_p_value(d, n), exact, promised) << "n " << n << " t " << t;
    }
}

TEST(Uniformity, KolmogorovSmirnovTables) {
  // Upper 5 % points of D in Miller (1956), five decimals; the errors that the header states.
  EXPECT_NEAR(kolmogorov_smirnov_p_value(0.40925, 10), 0.05, 0.002);
  EXPECT_NEAR(kolmogorov_smirnov_p_value(0.29408, 20), 0.05, 0.002);
  EXPECT_NEAR(kolmogorov_smirnov_p_value(0.13403, 100), 0.05, 0.0005);
  // The limiting law: 1.35810 is its upper 5 %, 1.62762 its upper 1 % point.
  EXPECT_NEAR(kolmogorov_smirnov_p_value(1.35810e-6, 1e12), 0.05, 1e-5);
  EXPECT_NEAR(kolmogorov_smirnov_p_value(1.62762e-6, 1e12), 0.01, 1e-5);
  EXPECT_EQ(kolmogorov_smirnov_p_value(0.0, 10), 1.0);
  EXPECT_EQ(kolmogorov_smirnov_p_value(1.0, 10), 0.0);
}

TEST(Uniformity, KolmogorovSmirnovSeriesMeet) {
  // The two series are one function: no jump where they change at t = 1.18.
  for (const double t : {1.17999, 1.18001}) {
    double other = 0.0;
    for (int k = 1; k < 50; ++k) other += (k % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * t * t);
    EXPECT_NEAR(kolmogorov_smirnov_p_value(t * 1e-8, 1e16), other, 1e-8);  // the finite-n correction is below 1e-9
  }
}

TEST(Uniformity, CramerVonMisesLimitingLaw) {
  // Percentage points of the limiting law: Anderson and Darling (1952), table 1; five decimals.
  EXPECT_NEAR(cramer_von_mises_p_value(0.11888, 1e12), 0.50, 5e-5);
  EXPECT_NEAR(cramer_von_mises_p_value(0.34730, 1e12), 0.10, 1e-5);
  EXPECT_NEAR(cramer_von_mises_p_value(0.46136, 1e12), 0.05, 1e-5);
  EXPECT_NEAR(cramer_von_mises_p_value(0.74346, 1e12), 0.01, 1e-5);
  EXPECT_NEAR(cramer_von_mises_p_value(1.16786, 1e12), 0.001, 1e-6);
  EXPECT_EQ(cramer_von_mises_p_value(50.0, 1e12), 0.0);
  EXPECT_EQ(cramer_von_mises_p_value(0.0, 10), 1.0);
}

TEST(Uniformity, PValuesOfUniformSamplesAreUniform) {
  constexpr int samples = 20000;
  RandomStream random(11);
  std::vector<int> ks(3, 0);
  std::vector<int> cvm(3, 0);
  const double levels[3] = {0.01, 0.05, 0.1};
  for (int s = 0; s < samples; ++s) {
    Vector u(12);
    for (double& value : u) value = random.uniform();
    const double p_ks = kolmogorov_smirnov_test(u).p_value;
    const double p_cvm = cramer_von_mises_test(u).p_value;
    for (std::size_t k = 0; k < 3; ++k) {
      ks[k] += p_ks < levels[k];
      cvm[k] += p_cvm < levels[k];
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    // 4.5 standard errors of a share of 20000, and the stated errors of the approximations.
    const double noise = 4.5 * std::sqrt(levels[k] * (1 - levels[k]) / samples);
    EXPECT_NEAR(ks[k] / double(samples), levels[k], noise + 0.002);
    EXPECT_NEAR(cvm[k] / double(samples), levels[k], noise + 0.003);
  }
}

TEST(Uniformity, StatisticsByTheirFormulas) {
  const Vector u{{0.9, 0.1, 0.35, 0.4, 0.72}};
  Vector sorted = u;
  std::sort(sorted.begin(), sorted.end());
  double d = 0.0;
  double w = 1.0 / 60.0;
  for (int i = 0; i < 5; ++i) {
    d = std::max({d, (i + 1) / 5.0 - sorted[i], sorted[i] - i / 5.0});
    w += std::pow(sorted[i] - (2 * i + 1) / 10.0, 2);
  }
  EXPECT_NEAR(kolmogorov_smirnov_test(u).statistic, d, 1e-15);
  EXPECT_NEAR(cramer_von_mises_test(u).statistic, w, 1e-14);
}

TEST(Uniformity, EqualWeightsChangeNothingAndZeroWeightsAreLeftOut) {
  const Vector u{{0.9, 0.1, 0.35, 0.4}};
  const Vector more{{0.9, 0.1, 0.02, 0.35, 0.4}};
  const Vector weights{{3.0, 3.0, 0.0, 3.0, 3.0}};
  EXPECT_NEAR(kolmogorov_smirnov_test(more, weights).p_value, kolmogorov_smirnov_test(u).p_value, 1e-14);
  EXPECT_NEAR(cramer_von_mises_test(more, weights).statistic, cramer_von_mises_test(u).statistic, 1e-14);
  EXPECT_DOUBLE_EQ(effective_size(5, weights), 4.0);
  EXPECT_DOUBLE_EQ(effective_size(2, Vector{{1.0, 3.0}}), 1.6);
}

TEST(Uniformity, SaysWhatIsWrong) {
  EXPECT_THROW(kolmogorov_smirnov_test(Vector()), std::invalid_argument);
  EXPECT_THROW(kolmogorov_smirnov_test(Vector{{0.5, 1.5}}), std::invalid_argument);
  EXPECT_THROW(cramer_von_mises_test(Vector{{0.5, std::nan("")}}), std::invalid_argument);
  EXPECT_THROW(cramer_von_mises_test(Vector{{0.5, 0.6}}, Vector{{1.0}}), std::invalid_argument);
  EXPECT_THROW(cramer_von_mises_test(Vector{{0.5, 0.6}}, Vector{{0.0, 0.0}}), std::invalid_argument);
  EXPECT_THROW(cramer_von_mises_test(Vector{{0.5, 0.6}}, Vector{{-1.0, 2.0}}), std::invalid_argument);
}

}  // namespace
}  // namespace condens::uniformity_test
