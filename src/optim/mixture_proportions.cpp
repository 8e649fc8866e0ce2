#include "mixture_proportions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/optim/simplex_qp.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = "mixture_proportions";
constexpr Index expectation_steps = 20;
constexpr Index most_steps = 500;
constexpr int most_halvings = 33;

/// The rows that count, each divided by its largest density: the solution is the same.
struct Likelihood {
  Matrix p;        // m x n, the largest of every column is one
  Vector v;        // n, sum one
  double offset;   // sum_i v_i log of the divisor
  Vector mixture;  // p'w

  /// f at the weights that were moved to, less the offset.
  double value() const { return v.dot(mixture.array().log().matrix()); }
  void move(const Vector& w) { mixture = p.transpose() * w; }
  Vector gradient() const { return p * v.cwiseQuotient(mixture); }
  Matrix curvature() const {
    const Matrix scaled = p * v.cwiseSqrt().cwiseQuotient(mixture).asDiagonal();
    return scaled * scaled.transpose();
  }
  /// f(w + t s) - f(w) for q = p's, without the rounding of the difference.
  double gain(const Vector& q, double t) const {
    const Vector ratio = t * q.cwiseQuotient(mixture);
    double out = 0;
    for (Index i = 0; i < ratio.size(); ++i) out += v[i] * (ratio[i] > -1 ? std::log1p(ratio[i]) : -infinity);
    return out;
  }
};

Likelihood likelihood_of(const Matrix& log_density, const VectorView& row_weights) {
  const Index m = log_density.rows();
  const Index n = log_density.cols();
  require(m > 0 && n > 0, owner, ": log_density is ", m, " x ", n, ", expected at least one member and one row");
  require(row_weights.size() == 0 || row_weights.size() == n, owner, ": ", row_weights.size(), " row_weights for ", n,
          " rows");
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) {
    const double weight = row_weights.size() == 0 ? 1.0 : row_weights[i];
    require(weight >= 0 && weight < infinity, owner, ": row_weights has ", weight, " for row ", i + 1,
            ", expected a finite number >= 0");
    if (weight > 0) rows.push_back(i);
  }
  require(!rows.empty(), owner, ": row_weights are all zero");
  Likelihood out{.p = log_density(Eigen::all, rows), .v = Vector::Ones(std::ssize(rows)), .offset = 0, .mixture = {}};
  if (row_weights.size() > 0) out.v = row_weights(rows) / row_weights.maxCoeff();
  out.v /= out.v.sum();
  for (Index i = 0; i < out.p.cols(); ++i) {
    auto column = out.p.col(i);
    require(!column.hasNaN() && column.maxCoeff() < infinity, owner, ": row ", rows[static_cast<std::size_t>(i)] + 1,
            " of log_density has NaN or +infinity, expected numbers or -infinity");
    const double largest = column.maxCoeff();
    if (largest == -infinity) {
      throw NumericalError(message("no member has a density at row ", rows[static_cast<std::size_t>(i)] + 1));
    }
    column = (column.array() - largest).exp();
    out.offset += out.v[i] * largest;
  }
  return out;
}

/// The quadratic model's solution, approached as far as f rises enough; false where it does not.
bool proportions_step(Likelihood& f, const Vector& u, Vector& w) {
  const Matrix h = f.curvature();
  if (!h.allFinite()) return false;
  const Vector step = solve_simplex_qp(h, 2.0 * u).solution - w;
  const Vector q = f.p.transpose() * step;
  const double slope = u.dot(step);
  if (!(slope > 0)) return false;
  double t = 1;
  for (int halving = 0; halving < most_halvings; ++halving) {
    if (f.gain(q, t) >= 1e-4 * t * slope) {
      w = (w + t * step).cwiseMax(0.0);
      w /= w.sum();
      f.move(w);
      return true;
    }
    t *= 0.5;
  }
  return false;
}

}  // namespace

MixtureProportions mixture_proportions(const Matrix& log_density, const VectorView& row_weights, double tolerance,
                                       const std::function<void()>& poll) {
  Likelihood f = likelihood_of(log_density, row_weights);
  const Index m = f.p.rows();
  Vector w = Vector::Constant(m, 1.0 / static_cast<double>(m));
  f.move(w);
  MixtureProportions best{w, -infinity, infinity, 0};
  for (Index step = 0; step < most_steps; ++step) {
    if (poll) poll();
    check_cancelled();
    const Vector u = f.gradient();
    const double gap = std::max(0.0, u.maxCoeff() - 1.0);
    if (gap < best.gap) best = {w, f.value() + f.offset, gap, step};
    if (gap <= tolerance) break;
    if (step >= expectation_steps && proportions_step(f, u, w)) continue;
    if (step >= expectation_steps && best.gap < gap) break;  // rounding moves the weights only
    w = w.cwiseProduct(u);
    w /= w.sum();
    f.move(w);
  }
  return best;
}

}  // namespace condens
