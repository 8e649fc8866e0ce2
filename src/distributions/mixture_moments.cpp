// Moments and draws. Central moments are sums over the components of
//   (v - mu)^2 + s^2,  (v - mu)^3 + 3 (v - mu) s^2,  (v - mu)^4 + 6 (v - mu)^2 s^2 + 3 s^4,
// (and the covariance's are (v - mu) (v - mu)' + S), with means taken from the heaviest component first, so that a
// common shift of all components costs no digits. Third and fourth moments are in units of a power of two near the
// standard deviation: in those of y they need not be numbers.

#include <algorithm>
#include <cmath>
#include <utility>

#include "mixture_view.hpp"

namespace condens::detail {
namespace {

// v_l - mu for coordinate k, and mu.
struct Centred {
  Vector deviation;
  double mean;
};

Centred centre(const MixtureView& p, Index k) {
  const Index heaviest = std::max_element(p.weights, p.weights + p.m) - p.weights;
  const double origin = p.mean(heaviest, k);
  Vector deviation(p.m);
  double shift = 0.0;
  for (Index l = 0; l < p.m; ++l) {
    deviation[l] = p.mean(l, k) - origin;
    shift += p.weights[l] * deviation[l];
  }
  for (Index l = 0; l < p.m; ++l) deviation[l] -= shift;
  return {std::move(deviation), origin + shift};
}

double central_second(const MixtureView& p, const Vector& deviation, Index k) {
  double out = 0.0;
  for (Index l = 0; l < p.m; ++l) {
    out += p.weights[l] * (deviation[l] * deviation[l] + p.scale(l, k) * p.scale(l, k));
  }
  return out;
}

struct CentralMoments {
  double second = 0.0;
  double third = 0.0;
  double fourth = 0.0;
};

CentralMoments central_moments(const MixtureView& p) {
  const Centred c = centre(p, 0);
  const double unit = std::ldexp(1.0, std::ilogb(std::sqrt(central_second(p, c.deviation, 0))));
  CentralMoments out;
  for (Index l = 0; l < p.m; ++l) {
    if (p.weights[l] == 0.0) continue;  // however wide: no part of infinity
    const double a = c.deviation[l] / unit;
    const double s2 = (p.scale(l) / unit) * (p.scale(l) / unit);
    out.second += p.weights[l] * (a * a + s2);
    out.third += p.weights[l] * a * (a * a + 3.0 * s2);
    out.fourth += p.weights[l] * (a * a * (a * a + 6.0 * s2) + 3.0 * s2 * s2);
  }
  return out;
}

}  // namespace

Vector mean(const MixtureView& p) {
  Vector out(p.d);
  for (Index k = 0; k < p.d; ++k) out[k] = centre(p, k).mean;
  return out;
}

Vector variance(const MixtureView& p) {
  Vector out(p.d);
  for (Index k = 0; k < p.d; ++k) out[k] = central_second(p, centre(p, k).deviation, k);
  return out;
}

Matrix covariance(const MixtureView& p) {
  Matrix deviations(p.d, p.m);
  for (Index k = 0; k < p.d; ++k) deviations.row(k) = centre(p, k).deviation;
  Matrix out = Matrix::Zero(p.d, p.d);
  for (Index l = 0; l < p.m; ++l) {
    for (Index j = 0; j < p.d; ++j) {
      for (Index k = 0; k < p.d; ++k) out(j, k) += p.weights[l] * deviations(j, l) * deviations(k, l);
      if (p.correlations == nullptr) out(j, j) += p.weights[l] * p.scale(l, j) * p.scale(l, j);
    }
    if (p.correlations == nullptr) continue;
    const Matrix factor = p.factor(l);
    out += p.weights[l] * (factor * factor.transpose());
  }
  return out;
}

double skewness(const MixtureView& p) {
  const CentralMoments c = central_moments(p);
  return c.third / (c.second * std::sqrt(c.second));
}

double kurtosis(const MixtureView& p) {
  const CentralMoments c = central_moments(p);
  return c.fourth / (c.second * c.second) - 3.0;
}

// E Z^k of N(v, s^2) is v E Z^(k-1) + (k - 1) s^2 E Z^(k-2) (Stein's identity).
double raw_moment(const MixtureView& p, Index order) {
  double total = 0.0;
  for (Index l = 0; l < p.m; ++l) {
    double before = 0.0;
    double moment = 1.0;
    for (Index k = 1; k <= order; ++k) {
      const double next = p.mean(l) * moment + static_cast<double>(k - 1) * p.scale(l) * p.scale(l) * before;
      before = std::exchange(moment, next);
    }
    total += p.weights[l] * moment;
  }
  return total;
}

Matrix sample(const MixtureView& p, Index n, RandomStream& random) {
  Vector cumulative(p.m);
  double total = 0.0;
  for (Index l = 0; l < p.m; ++l) cumulative[l] = total += p.weights[l];
  Matrix out(p.d, n);
  Vector normal(p.d);
  for (Index i = 0; i < n; ++i) {
    const double u = random.uniform() * total;
    Index l = std::min<Index>(std::upper_bound(cumulative.begin(), cumulative.end(), u) - cumulative.begin(), p.m - 1);
    while (p.weights[l] == 0.0) --l;  // only where u was rounded up to the total
    if (p.correlations == nullptr) {
      for (Index k = 0; k < p.d; ++k) out(k, i) = p.mean(l, k) + p.scale(l, k) * random.normal();
    } else {
      for (Index k = 0; k < p.d; ++k) normal[k] = random.normal();
      out.col(i) = p.mean_vector(l) + p.scale_vector(l).cwiseProduct(p.correlation_factor(l) * normal);
    }
  }
  return out;
}

}  // namespace condens::detail
