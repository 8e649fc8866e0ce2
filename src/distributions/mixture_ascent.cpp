// Maxima of a multivariate mixture density. From every component: Newton steps on log p
// where its Hessian is negative definite and the step ascends, else mean shift
// (Carreira-Perpinan 2000, which always ascends):
//   y_k <- sum_l q_l v_lk / s_lk^2 / sum_l q_l / s_lk^2,   q_l the posterior of component l at y.
// With g_lk = (v_lk - y_k) / s_lk^2 and g = sum_l q_l g_l, the Hessian of log p is
//   sum_l q_l (g_l g_l' - diag(1 / s_l^2)) - g g'.
// For any covariances S_l = F_l F_l' put P_l = S_l^-1 for diag(1 / s_l^2) and P_l (v_l - y) for g_l.

#include <cmath>
#include <vector>

#include "condens/core/cancellation.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/log_sum_exp.hpp"
#include "mixture_view.hpp"

namespace condens::detail {
namespace {

struct Local {
  double log_density;
  Vector gradient;
  Matrix negative_hessian;
  Vector mean_shift;  // where the mean-shift step leads
};

/// Inverses of the covariances of correlated components, and of their factors F_l.
struct Precisions {
  explicit Precisions(const MixtureView& p) {
    for (Index l = 0; p.correlations != nullptr && l < p.m; ++l) {
      const Matrix factor = p.factor(l);
      whitening.emplace_back(factor.triangularView<Eigen::Lower>().solve(Matrix::Identity(p.d, p.d)));
      precision.emplace_back(whitening.back().transpose() * whitening.back());
    }
  }
  std::vector<Matrix> whitening;
  std::vector<Matrix> precision;
};

Local expand_correlated(const MixtureView& p, const Precisions& inverse, const Vector& y) {
  Vector posterior(p.m);
  Matrix z(p.d, p.m);
  for (Index l = 0; l < p.m; ++l) {
    const Matrix& whitening = inverse.whitening[static_cast<std::size_t>(l)];
    z.col(l) = whitening * (p.mean_vector(l) - y);
    posterior[l] = p.log_weights[l] + whitening.diagonal().array().log().sum() - 0.5 * z.col(l).squaredNorm();
  }
  Local out{log_sum_exp_in_place(posterior.data(), p.m), Vector::Zero(p.d), Matrix::Zero(p.d, p.d), Vector(p.d)};
  posterior /= posterior.sum();
  Matrix precision = Matrix::Zero(p.d, p.d);
  for (Index l = 0; l < p.m; ++l) {
    const auto i = static_cast<std::size_t>(l);
    const Vector g = inverse.whitening[i].transpose() * z.col(l);
    precision += posterior[l] * inverse.precision[i];
    out.gradient += posterior[l] * g;
    out.negative_hessian -= posterior[l] * (g * g.transpose());
  }
  out.negative_hessian += precision + out.gradient * out.gradient.transpose();
  out.mean_shift = y + SmallCholesky(precision).solve(out.gradient);
  return out;
}

Local expand(const MixtureView& p, const Precisions& inverse, const Vector& y) {
  if (p.correlations != nullptr) return expand_correlated(p, inverse, y);
  Vector posterior(p.m);
  for (Index l = 0; l < p.m; ++l) {
    posterior[l] = p.log_weights[l];
    for (Index k = 0; k < p.d; ++k) {
      const double z = (y[k] - p.mean(l, k)) / p.scale(l, k);
      posterior[l] -= 0.5 * z * z + std::log(p.scale(l, k));
    }
  }
  Local out{log_sum_exp_in_place(posterior.data(), p.m), Vector::Zero(p.d), Matrix::Zero(p.d, p.d), Vector(p.d)};
  posterior /= posterior.sum();
  Vector precision = Vector::Zero(p.d);
  Vector g(p.d);
  for (Index l = 0; l < p.m; ++l) {
    for (Index k = 0; k < p.d; ++k) {
      const double inverse_square = 1.0 / (p.scale(l, k) * p.scale(l, k));
      g[k] = (p.mean(l, k) - y[k]) * inverse_square;
      precision[k] += posterior[l] * inverse_square;
    }
    out.gradient += posterior[l] * g;
    out.negative_hessian -= posterior[l] * (g * g.transpose());
  }
  out.negative_hessian += out.gradient * out.gradient.transpose();
  out.negative_hessian.diagonal() += precision;
  out.mean_shift = y.array() + out.gradient.array() / precision.array();
  return out;
}

// Steps are measured by the least scale of every coordinate, given the others.
double length(const Vector& step, const Vector& least_scale) {
  return (step.array() / least_scale.array()).abs().maxCoeff();
}

// Returns whether a maximum was reached (not a saddle point).
bool ascend(const MixtureView& p, const Precisions& inverse, const Vector& least_scale, Vector& y) {
  constexpr int max_steps = 10000;
  Local here = expand(p, inverse, y);
  for (int step = 0; step < max_steps; ++step) {
    check_cancelled();
    const SmallCholesky cholesky(here.negative_hessian);
    const bool concave = cholesky.positive_definite;
    Vector next = here.mean_shift;
    if (concave) {
      const Vector newton = y + cholesky.solve(here.gradient);
      if (length(newton - y, least_scale) < 1e-13) return true;
      const Local there = expand(p, inverse, newton);
      if (there.log_density > here.log_density) {
        y = newton;
        here = there;
        continue;
      }
      if (length(newton - y, least_scale) < 1e-7) return true;  // the density no longer resolves the step
    }
    if (length(next - y, least_scale) < 1e-13) return concave;
    y = std::move(next);
    here = expand(p, inverse, y);
  }
  return false;
}

}  // namespace

std::vector<Vector> ascend_from_components(const MixtureView& p) {
  const Precisions inverse(p);
  Vector least_scale(p.d);
  for (Index k = 0; k < p.d; ++k) {
    least_scale[k] = p.scale(0, k);
    for (Index l = 1; l < p.m; ++l) least_scale[k] = std::fmin(least_scale[k], p.scale(l, k));
    for (const Matrix& precision : inverse.precision) {
      least_scale[k] = std::fmin(least_scale[k], 1.0 / std::sqrt(precision(k, k)));
    }
  }
  std::vector<Vector> found;
  std::vector<Vector> saddles;
  for (Index l = 0; l < p.m; ++l) {
    if (std::isinf(p.log_weights[l])) continue;
    Vector y(p.d);
    for (Index k = 0; k < p.d; ++k) y[k] = p.mean(l, k);
    std::vector<Vector>& list = ascend(p, inverse, least_scale, y) ? found : saddles;
    bool known = false;
    for (const Vector& other : list) known = known || length(other - y, least_scale) < 1e-5;
    if (!known) list.push_back(std::move(y));
  }
  return found.empty() ? saddles : found;
}

}  // namespace condens::detail
