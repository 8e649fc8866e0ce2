// Pair integrals and entropy.
//
//   integral N_l N_l' = N(v_l - v_l'; 0, S_l + S_l')
//   E|Z| = mu erf(mu / (s sqrt 2)) + s sqrt(2/pi) exp(-mu^2 / (2 s^2)),  Z ~ N(mu, s^2), one dimension
//     (Gneiting and Raftery 2007, section 4.2, for the CRPS); all terms positive.
//   E|Z| of Z ~ N(mu, S) is that of N(V' mu, diag s^2), S = V diag(s^2) V'.
//   E|Z| = pi^(-1/2) integral_0^inf t^(-1/2) (-g'(t)) dt,  Z ~ N(mu, diag s^2), d > 1,
//     g(t) = E exp(-t |Z|^2) = prod_k (1 + 2 t s_k^2)^(-1/2) exp(-t mu_k^2 / (1 + 2 t s_k^2))
//     (Szekely and Rizzo 2013 for the kernel identity, then one integration by parts); -g' is a sum of
//     positive terms. With t = exp(u - exp(-u)) / E|Z|^2 the integrand is analytic and decays like
//     exp(-exp(-u)) and exp(-u) at least, and the trapezoidal rule converges exponentially
//     (Takahasi and Mori 1974): relative error below 1e-12.

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "condens/linalg/vector_math.hpp"
#include "mixture_view.hpp"

namespace condens::detail {
namespace {

double mean_absolute(double mu, double s) {
  const double z = mu / s * kSqrtHalf;
  return mu * std::erf(z) + s * (std::sqrt(2.0) / kSqrtPi) * std::exp(-z * z);
}

struct Node {
  double t;
  double weight;  // with t^(1/2) dt/du
};

constexpr std::size_t kNodes = 220;

const std::array<Node, kNodes>& nodes() {
  static const std::array<Node, kNodes> table = [] {
    constexpr double step = 0.19;
    std::array<Node, kNodes> out{};
    for (std::size_t i = 0; i < kNodes; ++i) {
      const double u = -4.4 + step * static_cast<double>(i);
      const double t = std::exp(u - std::exp(-u));
      out[i] = {t, step * (1.0 + std::exp(-u)) * std::sqrt(t)};
    }
    return out;
  }();
  return table;
}

// E|Z| from the squares of mu and s.
double mean_norm(const Vector& mu2, const Vector& s2) {
  const double square = mu2.sum() + s2.sum();
  double total = 0.0;
  for (const Node& node : nodes()) {
    const double t = node.t / square;
    double product = 1.0;
    double exponent = 0.0;
    double slope = 0.0;
    for (Index k = 0; k < mu2.size(); ++k) {
      const double shrink = 1.0 / (1.0 + 2.0 * t * s2[k]);
      product *= shrink;
      exponent -= t * mu2[k] * shrink;
      slope += shrink * (s2[k] + mu2[k] * shrink);
    }
    total += node.weight * std::sqrt(product) * std::exp(exponent) * slope;
  }
  return total / (kSqrtPi * std::sqrt(square));
}

// E|Z|, Z ~ N(mu, S), along the principal axes of S.
double mean_norm_correlated(const Vector& mu, const Matrix& s) {
  const Eigen::SelfAdjointEigenSolver<Matrix> axes(s);
  const Vector along = axes.eigenvectors().transpose() * mu;
  return mean_norm(along.cwiseAbs2(), axes.eigenvalues().cwiseMax(0.0));
}

template <class Entry>
Matrix symmetric_table(Index m, Entry&& entry) {
  Matrix out(m, m);
  for (Index l = 0; l < m; ++l) {
    for (Index r = 0; r <= l; ++r) out(l, r) = out(r, l) = entry(l, r);
  }
  return out;
}

// Gauss-Kronrod, halving while the estimate (far above the true error) exceeds 1e-12: an
// absolute bound, for the tails need no relative one. Boost's estimate is that of the
// integral over (-1, 1), so the integrand is brought there with its Jacobian.
template <class F>
double adaptive_integral(const F& f, double a, double b, int depth) {
  const double c = 0.5 * a + 0.5 * b;
  const double half = 0.5 * b - 0.5 * a;
  const auto moved = [&](double t) { return half * f(c + half * t); };
  double error = 0.0;
  const double value = boost::math::quadrature::gauss_kronrod<double, 21>::integrate(moved, -1.0, 1.0, 0, 0.0, &error);
  if (error <= 1e-12 * std::max(1.0, std::abs(value)) || depth == 0) return value;
  return adaptive_integral(f, a, c, depth - 1) + adaptive_integral(f, c, b, depth - 1);
}

// Points between which the entropy's integrand is smooth: multiples of every scale around
// every centre, thinned to half a scale.
std::vector<double> break_points(const MixtureView& p) {
  std::vector<std::pair<double, double>> marks;
  for (Index l = 0; l < p.m; ++l) {
    if (p.weights[l] == 0.0) continue;
    for (const double z : {-12.0, -6.0, -3.0, 0.0, 3.0, 6.0, 12.0}) {
      marks.emplace_back(p.mean(l) + z * p.scale(l), p.scale(l));
    }
  }
  std::sort(marks.begin(), marks.end());
  std::vector<double> out{marks.front().first};
  for (const auto& [y, s] : marks) {
    if (y - out.back() > 0.5 * s) out.push_back(y);
  }
  return out;
}

std::vector<Matrix> covariances(const MixtureView& p) {
  std::vector<Matrix> out;
  for (Index l = 0; l < p.m; ++l) {
    const Matrix factor = p.factor(l);
    out.emplace_back(factor * factor.transpose());
  }
  return out;
}

// S_l + S_r = (F_l F_r) (F_l F_r)' = R' R by QR of (F_l F_r)', which needs no positive pivots. Rows are
// scaled by their norms first.
Matrix correlated_overlaps(const MixtureView& p) {
  Matrix stacked(2 * p.d, p.d);
  return symmetric_table(p.m, [&](Index l, Index r) {
    stacked.topRows(p.d) = p.factor(l).transpose();
    stacked.bottomRows(p.d) = p.factor(r).transpose();
    Vector z = p.mean_vector(l) - p.mean_vector(r);
    double scale = 1.0;
    for (Index k = 0; k < p.d; ++k) {
      const double s = std::hypot(p.scale(l, k), p.scale(r, k));
      stacked.col(k) /= s;
      z[k] /= s;
      scale *= s;
    }
    const Eigen::HouseholderQR<Matrix> qr(stacked);
    const auto upper = qr.matrixQR().topRows(p.d).triangularView<Eigen::Upper>();
    z = upper.transpose().solve(z);
    for (Index k = 0; k < p.d; ++k) scale *= std::abs(qr.matrixQR()(k, k));
    return std::exp(-0.5 * z.squaredNorm() - static_cast<double>(p.d) * kLogSqrt2Pi) / scale;
  });
}

}  // namespace

Matrix distance_table(const MixtureView& p) {
  if (p.d == 1) {
    return symmetric_table(p.m, [&](Index l, Index r) {
      return mean_absolute(p.mean(l) - p.mean(r), std::hypot(p.scale(l), p.scale(r)));
    });
  }
  if (p.correlations != nullptr) {
    const std::vector<Matrix> s = covariances(p);
    return symmetric_table(p.m, [&](Index l, Index r) {
      return mean_norm_correlated(p.mean_vector(l) - p.mean_vector(r),
                                  s[static_cast<std::size_t>(l)] + s[static_cast<std::size_t>(r)]);
    });
  }
  Vector mu2(p.d);
  Vector s2(p.d);
  return symmetric_table(p.m, [&](Index l, Index r) {
    for (Index k = 0; k < p.d; ++k) {
      mu2[k] = (p.mean(l, k) - p.mean(r, k)) * (p.mean(l, k) - p.mean(r, k));
      s2[k] = p.scale(l, k) * p.scale(l, k) + p.scale(r, k) * p.scale(r, k);
    }
    return mean_norm(mu2, s2);
  });
}

Matrix overlap_table(const MixtureView& p) {
  if (p.correlations != nullptr) return correlated_overlaps(p);
  return symmetric_table(p.m, [&](Index l, Index r) {
    double exponent = 0.0;
    double scale = 1.0;
    for (Index k = 0; k < p.d; ++k) {
      const double s = std::hypot(p.scale(l, k), p.scale(r, k));
      const double z = (p.mean(l, k) - p.mean(r, k)) / s;
      exponent -= 0.5 * z * z + kLogSqrt2Pi;
      scale *= s;
    }
    return std::exp(exponent) / scale;
  });
}

double quadratic_form(const MixtureView& p, const Matrix& table) {
  double total = 0.0;
  for (Index l = 0; l < p.m; ++l) total += p.weights[l] * dot(p.weights, table.data() + l * p.m, p.m);
  return total;
}

double mean_distance(const MixtureView& p, const double* y) {
  double total = 0.0;
  Vector mu2(p.d);
  Vector s2(p.d);
  for (Index l = 0; l < p.m; ++l) {
    if (p.correlations != nullptr) {
      const Matrix factor = p.factor(l);
      const Vector mu = Eigen::Map<const Vector>(y, p.d) - p.mean_vector(l);
      total += p.weights[l] * mean_norm_correlated(mu, factor * factor.transpose());
      continue;
    }
    if (p.d == 1) {
      total += p.weights[l] * mean_absolute(y[0] - p.mean(l), p.scale(l));
      continue;
    }
    for (Index k = 0; k < p.d; ++k) {
      mu2[k] = (y[k] - p.mean(l, k)) * (y[k] - p.mean(l, k));
      s2[k] = p.scale(l, k) * p.scale(l, k);
    }
    total += p.weights[l] * mean_norm(mu2, s2);
  }
  return total;
}

double entropy(const MixtureView& p) {
  const DensityTable table(p);
  Vector work(p.m);
  const auto integrand = [&](double y) {
    const double log_density = table.log_pdf(p.log_weights, &y, work.data());
    return log_density < -745.0 ? 0.0 : -std::exp(log_density) * log_density;
  };
  const std::vector<double> points = break_points(p);
  double total = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i) total += adaptive_integral(integrand, points[i - 1], points[i], 40);
  return total;
}

}  // namespace condens::detail
