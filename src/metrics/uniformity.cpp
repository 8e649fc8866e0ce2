#include "condens/metrics/uniformity.hpp"

#include <algorithm>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/data/dataset.hpp"

namespace condens {

namespace {

/// The steps of the (weighted) distribution function: value, and F before and after it.
struct Step {
  double value;
  double before;
  double after;
};

std::vector<Step> steps(const VectorView& u, const VectorView& weights, const char* owner) {
  const Index n = u.size();
  require(n > 0, owner, ": u is empty, expected at least one value");
  require(weights.size() == 0 || weights.size() == n, owner, ": ", weights.size(), " weights for ", n,
          " values, expected none or one for each");
  for (Index i = 0; i < n; ++i) {
    require(u[i] >= 0.0 && u[i] <= 1.0, owner, ": u[", i, "] = ", u[i], ", expected a value in [0, 1]");
    require(weights.size() == 0 || (weights[i] >= 0.0 && std::isfinite(weights[i])), owner, ": weights[", i,
            "] = ", weights.size() == 0 ? 0.0 : weights[i], ", expected a finite weight of 0 or more");
  }
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return u[a] < u[b]; });

  const Vector counted = counted_weights(weights);  // of any size: their sum is a number
  const double total = counted.size() == 0 ? static_cast<double>(n) : counted.sum();
  require(total > 0.0, owner, ": all weights are zero, expected at least one above zero");
  std::vector<Step> out;
  out.reserve(order.size());
  double sum = 0.0;
  for (const Index i : order) {
    const double before = sum;
    sum += counted.size() == 0 ? 1.0 : counted[i];
    out.push_back({u[i], before / total, sum / total});
  }
  out.back().after = 1.0;
  return out;
}

/// F_n(u) - u at the ends of the cells, 0 and 1 among them.
Vector differences_at_ends(const VectorView& counts) {
  const Index cells = counts.size();
  const double total = counts.sum();
  require(cells > 0 && total > 0.0 && (counts.array() >= 0.0).all(), "counts of ", cells,
          " cells, expected numbers >= 0, of which one is above zero");
  Vector out = Vector::Zero(cells + 1);
  double sum = 0.0;
  for (Index k = 0; k < cells; ++k) {
    sum += counts[k];
    out[k + 1] = sum / total - static_cast<double>(k + 1) / static_cast<double>(cells);
  }
  return out;
}

}  // namespace

double effective_size(Index n, const VectorView& weights) {
  if (weights.size() == 0) return static_cast<double>(n);
  // Scaled by the largest weight, so that squares neither overflow nor vanish.
  const double largest = weights.maxCoeff();
  require(largest > 0.0, "effective_size: all weights are zero, expected at least one above zero");
  const double sum = (weights / largest).sum();
  return sum * sum / (weights / largest).squaredNorm();
}

double kolmogorov_smirnov_p_value(double d, double n) {
  const double root = std::sqrt(n);
  if (d <= 0.5 / n) return 1.0;  // D is never less: each step has height 1 / n
  if (d >= 1.0) return 0.0;
  const double raw = root * d;
  const double t = raw + 1.0 / (6.0 * root) + (raw - 1.0) / (4.0 * n);
  double p = 0.0;
  if (t < 1.18) {  // the theta function's other series, which is fast for small t
    const double q = std::numbers::pi * std::numbers::pi / (8.0 * t * t);
    for (int k = 1; k <= 7; k += 2) p += std::exp(-q * k * k);
    p = 1.0 - p * std::sqrt(2.0 * std::numbers::pi) / t;
  } else {
    for (int k = 1; k <= 4; ++k) p += (k % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * t * t);
  }
  return std::clamp(p, 0.0, 1.0);
}

double cramer_von_mises_p_value(double w, double n) {
  // W2 lies in [1 / (12 n), n / 3].
  if (w <= 1.0 / (12.0 * n)) return 1.0;
  if (w >= n / 3.0) return 0.0;
  const double x = (w - 0.4 / n + 0.6 / (n * n)) * (1.0 + 1.0 / n);
  if (x <= 0.01) return 1.0;  // V(0.01) < 1e-9
  if (x >= 10.0) return 0.0;  // 1 - V(10) < 1e-20, below what the difference from 1 can show
  // V(x) = pi^(-3/2) x^(-1/2) sum_k Gamma(k + 1/2) / k! sqrt(4k + 1) exp(-q) K_{1/4}(q), q = (4k + 1)^2 / (16 x)
  double cdf = 0.0;
  for (int k = 0;; ++k) {
    const double y = 4.0 * k + 1.0;
    const double q = y * y / (16.0 * x);
    if (!(q <= 40.0)) break;  // exp(-q) K(q) < exp(-80)
    const double ratio = boost::math::tgamma_ratio(k + 0.5, k + 1.0);
    cdf += ratio * std::sqrt(y) * std::exp(-q) * boost::math::cyl_bessel_k(0.25, q);
  }
  cdf /= std::pow(std::numbers::pi, 1.5) * std::sqrt(x);
  return std::clamp(1.0 - cdf, 0.0, 1.0);
}

TestResult kolmogorov_smirnov_test(const VectorView& u, const VectorView& weights) {
  double d = 0.0;
  for (const Step& step : steps(u, weights, "kolmogorov_smirnov_test"))
    d = std::max({d, step.after - step.value, step.value - step.before});
  return {d, kolmogorov_smirnov_p_value(d, effective_size(u.size(), weights))};
}

TestResult cramer_von_mises_test(const VectorView& u, const VectorView& weights) {
  // Between two values F_n = F is constant: integral_a^b (F - u)^2 du = ((F - a)^3 - (F - b)^3) / 3.
  const auto cube = [](double v) { return v * v * v; };
  double integral = 0.0;
  double left = 0.0;
  double level = 0.0;
  for (const Step& step : steps(u, weights, "cramer_von_mises_test")) {
    integral += (cube(level - left) - cube(level - step.value)) / 3.0;
    left = step.value;
    level = step.after;
  }
  integral += cube(level - left) / 3.0;
  const double n = effective_size(u.size(), weights);
  return {n * integral, cramer_von_mises_p_value(n * integral, n)};
}

TestResult kolmogorov_smirnov_test_of_cells(const VectorView& counts, double n) {
  const double d = differences_at_ends(counts).cwiseAbs().maxCoeff();
  return {d, kolmogorov_smirnov_p_value(d, n)};
}

TestResult cramer_von_mises_test_of_cells(const VectorView& counts, double n) {
  // Over a cell of width h the difference goes from a to b on a line: its square has the integral h (a^2 + a b + b^2)
  // / 3.
  const Vector ends = differences_at_ends(counts);
  const Index cells = counts.size();
  const auto a = ends.head(cells).array();
  const auto b = ends.tail(cells).array();
  const double w = n * (a.square() + a * b + b.square()).sum() / (3.0 * static_cast<double>(cells));
  return {w, cramer_von_mises_p_value(w, n)};
}

}  // namespace condens
