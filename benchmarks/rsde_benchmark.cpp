// RSDE's programme at N = 5,000, two dimensions, one thread, for the paper's target and a width of
// 0.35 (two bumps of spread 1 and 0.4):
//
//   active set   kernel columns on demand, to a certificate of 1e-8
//   updates      the multiplicative updates of the paper in their repaired form (errata D1), which need the matrix
//
// Objective and certificate are those of densities on the scale of the data. What the updates lack is said after
// the time that the active set takes, after ten times that, and after a thousand times.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "condens/core/random.hpp"
#include "condens/estimators/rsde.hpp"
#include "condens/optim/mnqp.hpp"
#include "condens/optim/simplex_qp.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "measure.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

constexpr Index n = 5000;
constexpr double width = 0.35;

Matrix two_bumps() {
  RandomStream random(1);
  Matrix y(2, n);
  for (Index i = 0; i < n; ++i) {
    const bool narrow = random.uniform() < 0.4;
    for (Index k = 0; k < 2; ++k) y(k, i) = narrow ? 3 + 0.4 * random.normal() : random.normal();
  }
  return y;
}

/// Columns of N(x_i - x_j; 0, s^2 I).
QpColumns gaussian_columns(const Matrix& rows, double s) {
  const double top = 1 / (2 * std::numbers::pi * s * s);
  return {Vector::Constant(rows.rows(), top), [&rows, s, top](Index j, Eigen::Ref<Vector> column) {
            const Vector center = rows.row(j).transpose();
            squared_distances(rows, center, column);
            column *= -0.5 / (s * s);
            exp_in_place(column.data(), column.size());
            column *= top;
          }};
}

Matrix all_columns(const QpColumns& columns) {
  Matrix out(n, n);
  for (Index j = 0; j < n; ++j) columns.column(j, out.col(j));
  return out;
}

}  // namespace

int main() {
  keep_freed_memory();
  const Matrix y = two_bumps();
  const Matrix rows = y.transpose();
  std::printf("RSDE: N = 5,000, d = 2, bandwidth %.2f\n", width);
  const Limits limits = print_limits(1);
  const double pairs = static_cast<double>(n) * static_cast<double>(n);

  const QpColumns columns = gaussian_columns(rows, width * std::numbers::sqrt2);
  Vector v;
  const double t_v = best_seconds(3, [&] { v = all_columns(gaussian_columns(rows, width)).rowwise().mean(); });
  SimplexQp exact{};
  const double t_exact = best_seconds(5, [&] { exact = solve_simplex_qp(columns, v, {.tolerance = 1e-8}); });
  SimplexQp last{};
  const double t_last = best_seconds(3, [&] { last = solve_simplex_qp(columns, v); });
  const Index kernels = (last.solution.array() > 0).count();
  const Matrix part = Matrix::Random(n, kernels);
  const Vector weight = Vector::Random(kernels);
  Vector product(n);
  const double t_product = best_seconds(50, [&] { product.noalias() = part * weight; });
  std::printf("\nactive set            to a gap of 1e-8 %8.1f ms, %d steps, gap %.1e\n", 1e3 * t_exact,
              static_cast<int>(exact.iterations), exact.gap);
  std::printf("                      to rounding      %8.1f ms, %d steps, gap %.1e, %d kernels\n", 1e3 * t_last,
              static_cast<int>(last.iterations), last.gap, static_cast<int>(kernels));
  const double bound = static_cast<double>(last.iterations) * (t_product + static_cast<double>(n) / limits.exp);
  std::printf("  one product and one kernel column for every step would take %.1f ms: %.0f %% of the time\n",
              1e3 * bound, 100 * bound / t_last);

  const Matrix q = all_columns(columns);
  const double t_step = best_seconds(3, [&] { product.noalias() = q * last.solution; });
  const auto steps_of = [&](double seconds) { return std::max<Index>(1, std::lround(seconds / t_step)); };
  std::printf("\nmultiplicative updates, %.1f ms a step (the matrix is there)\n", 1e3 * t_step);
  for (const double times : {1.0, 10.0, 1000.0}) {
    const Index steps = steps_of(times * t_exact);
    const Mnqp found = mnqp(q, v, steps);
    const double above = found.objective[found.objective.size() - 1] - last.objective;
    std::printf("  after %5.0f x the active set's time, %5d steps: objective %.1e above, gap %.1e\n", times,
                static_cast<int>(steps), above, found.gap);
  }

  RsdeOptions options = RsdeOptions::paper();
  options.standardize = false;
  options.bandwidth = {width};
  double gap = 0;
  const double t_fit = best_seconds(3, [&] {
    const Rsde model = Rsde::fit({.x = Matrix(0, n), .y = y}, options, {.threads = 1, .observer = {}});
    gap = model.report().details.at("certificate").at("gap").as_number();
  });
  std::printf(
      "\nwhole fit of RSDE, 1 thread %.1f ms, gap %.1e; N^2 exponentials alone %.1f ms (the target as a matrix "
      "%.1f ms)\n",
      1e3 * t_fit, gap, 1e3 * pairs / limits.exp, 1e3 * t_v);
  return exact.gap <= 1e-8 ? 0 : 1;
}
