// Learning the widths of the Nadaraya-Watson density, n = 1,000, d_x = 5, one thread:
//
//   plain    the leave-one-out likelihood and its gradient as loops over pairs, with std::exp
//   condens  the same numbers by tiles, matrix products and vectorised exponentials
//
// and the share of the time that 2 n^2 exponentials alone would take; then the whole fit.

#include <cmath>
#include <numbers>

#include "condens/estimators/nadaraya_watson.hpp"
#include "condens/estimators/nadaraya_watson/leave_one_out.hpp"
#include "measure.hpp"
#include "simulated.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

/// mean_i log p_{-i}(y_i|x_i) and its gradient by log h; log h_y last.
double plain(const Dataset& data, const Vector& h, double h_y, Vector& gradient) {
  const Index n = data.size();
  const Index d = h.size();
  double value = 0;
  gradient.setZero(d + 1);
  for (Index i = 0; i < n; ++i) {
    double below = 0;
    double above = 0;
    Vector by_below = Vector::Zero(d);
    Vector by_above = Vector::Zero(d + 1);
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      double distance = 0;
      for (Index k = 0; k < d; ++k) distance += std::pow((data.x(k, i) - data.x(k, j)) / h[k], 2);
      const double z = (data.y(0, i) - data.y(0, j)) / h_y;
      const double p = std::exp(-0.5 * distance);
      const double q = p * std::exp(-0.5 * z * z);
      below += p;
      above += q;
      for (Index k = 0; k < d; ++k) {
        const double t = std::pow((data.x(k, i) - data.x(k, j)) / h[k], 2);
        by_below[k] += p * t;
        by_above[k] += q * t;
      }
      by_above[d] += q * (z * z - 1);
    }
    value += std::log(above / below / (std::sqrt(2 * std::numbers::pi) * h_y)) / static_cast<double>(n);
    gradient.head(d) += (by_above.head(d) / above - by_below / below) / static_cast<double>(n);
    gradient[d] += by_above[d] / above / static_cast<double>(n);
  }
  return value;
}

}  // namespace

int main() {
  keep_freed_memory();
  const Index n = 1000;
  const Dataset data = two_branches(n, 5, 1);
  const Vector h = Vector::Constant(5, 1.1);
  const double h_y = 0.3;
  std::printf("Nadaraya-Watson: n = 1000, d_x = 5, one width per input\n");
  const Limits limits = print_limits(1);

  Vector gradient;
  double value = 0;
  const double t_plain = best_seconds(3, [&] { value = plain(data, h, h_y, gradient); });
  const NwLeaveOneOut likelihood(data.x, data.y);
  NwLikelihood found{};
  const double t_ours = best_seconds(40, [&] { found = likelihood.of_widths(h, h_y); });
  const double t_matrix = best_seconds(20, [&] { likelihood.of_matrix(Matrix::Identity(5, 5) / 1.1, h_y); });
  const double exps = 2.0 * static_cast<double>(n * n) / limits.exp;
  double difference = std::abs(value - found.value) + std::abs(gradient[5] - found.gradient_y);
  difference += (gradient.head(5) - found.gradient.col(0)).cwiseAbs().maxCoeff();
  std::printf("\nlikelihood and gradient, 1 thread\n");
  std::printf("  plain loops       %8.2f ms\n", 1e3 * t_plain);
  std::printf("  condens           %8.2f ms   %.1f x faster; 2 n^2 exponentials alone: %.0f %%\n", 1e3 * t_ours,
              t_plain / t_ours, 100 * exps / t_ours);
  std::printf("  condens, matrix W %8.2f ms\n", 1e3 * t_matrix);
  std::printf("  largest difference %.1e\n", difference);

  std::printf("\nwhole fit, standardisation to model\n");
  const int cores = resolve_threads(0);
  for (const auto& [metric, name] : {std::pair{NwMetricChoice::diagonal, "diagonal"},
                                     {NwMetricChoice::automatic, "auto"},
                                     {NwMetricChoice::full, "full"}}) {
    NadarayaWatsonOptions options;
    options.metric = metric;
    double iterations = 0;
    const auto fit = [&](int threads) {
      return best_seconds(3, [&] {
        const NadarayaWatson model = NadarayaWatson::fit(data, options, {.threads = threads, .observer = {}});
        iterations = model.report().details.at("certificate").at("iterations").as_number();
      });
    };
    const double one = fit(1);
    std::printf("  %-9s 1 thread %7.1f ms, %d threads %7.1f ms, %.0f steps\n", name, 1e3 * one, cores, 1e3 * fit(cores),
                iterations);
  }
  return difference < 1e-10 ? 0 : 1;
}
