#include "condens/optim/mnqp.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/optim/simplex_qp.hpp"

namespace condens {

namespace {

void check_programme(const Matrix& b, const VectorView& v) {
  const Index n = v.size();
  require(n > 0, "mnqp: v is empty, expected at least one number");
  require(b.rows() == n && b.cols() == n, "mnqp: B is ", b.rows(), " x ", b.cols(), ", expected ", n, " x ", n,
          ", as v has ", n, " numbers");
  require(b.allFinite() && v.allFinite(), "mnqp: B or v holds NaN or infinity");
  require(b.minCoeff() >= 0, "mnqp: B has the entry ", b.minCoeff(), ", expected numbers >= 0");
  require(b.diagonal().minCoeff() > 0, "mnqp: B has a zero on its diagonal, expected numbers > 0");
}

/// h with sum_i c_i max(v_i + h, 0) = 1 (`order`: v from the largest down): the sum of the k largest
/// alone gives h_k, and it is the right one as soon as the next v lies below its water line.
double water_level(const Vector& c, const VectorView& v, const std::vector<Index>& order) {
  double sum_c = 0;
  double sum_cv = 0;
  double h = 0;
  for (const Index i : order) {
    if (c[i] == 0.0) continue;
    if (sum_c > 0 && v[i] + h <= 0) break;
    sum_c += c[i];
    sum_cv += c[i] * v[i];
    h = (1.0 - sum_cv) / sum_c;
  }
  return h;
}

}  // namespace

Mnqp mnqp(const Matrix& b, const VectorView& v, Index iterations, MnqpStep step, const std::function<void()>& poll) {
  check_programme(b, v);
  require(iterations >= 0, "mnqp: iterations = ", iterations, ", expected a number >= 0");
  const Index n = v.size();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return v[i] > v[j]; });

  Vector point = Vector::Constant(n, 1.0 / static_cast<double>(n));
  Vector product = b * point;
  std::vector<double> path = {0.5 * point.dot(product) - v.dot(point)};
  for (Index l = 0; l < iterations; ++l) {
    // Eq. 42; what is zero stays zero, whatever B makes of it.
    const Vector c = (point.array() != 0.0).select(point.cwiseQuotient(product), 0.0);
    Vector next(n);
    if (step == MnqpStep::printed) {
      const double h = (1.0 - c.dot(v)) / c.sum();  // eq. 43
      next = c.array() * (v.array() + h);           // eq. 44
    } else {
      const double h = water_level(c, v, order);
      next = c.array() * (v.array() + h).max(0.0);
    }
    if (!next.allFinite() || next == point) break;
    point = std::move(next);
    product.noalias() = b * point;
    path.push_back(0.5 * point.dot(product) - v.dot(point));
    if (poll) poll();
    check_cancelled();
  }
  return {point, Eigen::Map<const Vector>(path.data(), std::ssize(path)), frank_wolfe_gap(point, product, v)};
}

}  // namespace condens
