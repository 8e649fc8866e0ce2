#include "nonnegative_qp.hpp"

#include <algorithm>
#include <vector>

#include "active_set.hpp"
#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "linalg/cholesky.hpp"

namespace condens {

namespace {

/// Q and the ridge against its rounding, which grows where a free part has no factor.
class Form {
 public:
  explicit Form(const Matrix& q)
      : q_(q.selfadjointView<Eigen::Lower>()), largest_(q_.size() > 0 ? q_.diagonal().maxCoeff() : 0.0) {}

  const Matrix& matrix() const { return q_; }
  double ridge() const { return ridge_; }
  double least_pivot() const { return 1e-16 * largest_; }

  /// The members' part anew.
  void factorize(ActiveSet& free) {
    for (;;) {
      Matrix lower = q_(free.members(), free.members());
      if (cholesky_in_place(lower)) return free.set_factor(std::move(lower));
      raise();
    }
  }

  void raise() {
    const double ridge = ridge_ > 0 ? 100 * ridge_ : 1e-14 * largest_;
    const bool is_rounding = ridge > ridge_ && ridge < 2e-8 * largest_;
    if (!is_rounding) {
      throw NumericalError("solve_nonnegative_qp: Q is not positive definite on the free coordinates");
    }
    q_.diagonal().array() += ridge - ridge_;
    ridge_ = ridge;
  }

 private:
  Matrix q_;
  double largest_;
  double ridge_ = 0;
};

void enter(ActiveSet& free, Form& form, Index i, double value) {
  const Matrix& q = form.matrix();
  const Vector cross = q.col(i)(free.members());
  const double left = free.enter(i, value, cross, q(i, i), form.least_pivot());
  if (left > 0) return;
  form.raise();
  form.factorize(free);
}

/// The coordinate at zero with the lowest gradient below `level`, or -1.
Index lowest_at_zero(const ActiveSet& free, const Vector& gradient, double level) {
  Index out = -1;
  for (Index i = 0; i < gradient.size(); ++i) {
    if (free.contains(i) || !(gradient[i] < level)) continue;
    level = gradient[i];
    out = i;
  }
  return out;
}

}  // namespace

NonnegativeQp solve_nonnegative_qp(const Matrix& q, const VectorView& v, const VectorView& start) {
  const Index n = v.size();
  Form form(q);
  ActiveSet free(n);
  std::vector<Index> support;
  for (Index i = 0; i < n; ++i) {
    if (start[i] > 0) support.push_back(i);
  }
  free.set_members(support, start(support));
  form.factorize(free);
  // Gradients below this are rounding errors of the products that form them.
  const double tolerance = 1e-13 * (n > 0 ? v.cwiseAbs().maxCoeff() : 0.0);

  NonnegativeQp out{.solution = {}, .residual = 0, .ridge = 0, .iterations = 0};
  for (const Index most_iterations = 10 * n + 100; out.iterations < most_iterations;) {
    check_cancelled();
    ++out.iterations;
    Vector target = free.solve(v(free.members()));
    if (free.walk(target - free.values()).blocked >= 0) continue;
    free.set_values(std::move(target));
    const Index entering = lowest_at_zero(free, form.matrix() * free.point() - v, -tolerance);
    if (entering < 0) break;
    enter(free, form, entering, 0.0);
  }
  out.solution = free.point();
  out.ridge = form.ridge();
  const Vector gradient = form.matrix() * out.solution - out.ridge * out.solution - v;
  for (Index i = 0; i < n; ++i) {
    out.residual = std::max(out.residual, out.solution[i] > 0 ? std::abs(gradient[i]) : -gradient[i]);
  }
  return out;
}

}  // namespace condens
