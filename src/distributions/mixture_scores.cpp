// Pair integrals and entropy.
//
//   integral N_l N_l' = N(v_l - v_l'; 0, S_l + S_l')
//   E|Z| = |mu| + 2 s (phi(z) - z Q(z)), z = |mu| / s,  Z ~ N(mu, s^2), one dimension (Gneiting and Raftery 2007,
//     section 4.2, for the CRPS); the second term is >= 0 and comes as one number (linalg/vector_math.hpp).
//   E|Z| of Z ~ N(mu, S) is that of N(V' mu, diag s^2), S = V diag(s^2) V'.
//   E|Z| = pi^(-1/2) integral_0^inf t^(-1/2) (-g'(t)) dt,  Z ~ N(mu, diag s^2), d > 1,
//     g(t) = E exp(-t |Z|^2) = prod_k (1 + 2 t s_k^2)^(-1/2) exp(-t mu_k^2 / (1 + 2 t s_k^2))
//     (Szekely and Rizzo 2013 for the kernel identity, then one integration by parts); -g' is a sum of
//     positive terms. With t = exp(u - exp(-u)) / E|Z|^2 the integrand is analytic and decays like
//     exp(-exp(-u)) and exp(-u) at least, and the trapezoidal rule converges exponentially
//     (Takahasi and Mori 1974): relative error below 1e-12.
//   Of more than a thousand components in several dimensions the pairs are too many: E|X - X'| and E|X - y| are then
//     means over 20,000 draws, always the same ones, with a relative standard error below 1 % (of E|X - X'| some 0.4
//     %).

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "condens/core/cancellation.hpp"
#include "condens/core/random.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/vector_math.hpp"
#include "mixture_subset.hpp"
#include "pair_boxes.hpp"
#include "quadrature.hpp"

namespace condens::detail {
namespace {

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
  const SymmetricEigen axes = symmetric_eigen(s);
  const Vector along = axes.vectors.transpose() * mu;
  return mean_norm(along.cwiseAbs2(), axes.values.cwiseMax(0.0));
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
double correlated_overlap(const MixtureView& p, Index l, Index r) {
  Matrix stacked(2 * p.d, p.d);
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
}

// Pairs (l, r) of components with r <= l; coordinate k of all components lies together.
class Pairs {
 public:
  explicit Pairs(const MixtureView& p)
      : p_(p),
        means_(Eigen::Map<const Matrix>(p.means, p.d, p.m).transpose()),
        scales_(Eigen::Map<const Matrix>(p.scales, p.d, p.m).transpose()),
        deviation_(p.m) {}

 protected:
  // |m_l - m_r| of coordinate k
  auto difference(Index l, Index k) const { return (means_.col(k).head(l + 1).array() - means_(l, k)).abs(); }

  // sqrt(s_l^2 + s_r^2) of coordinate k, without overflow.
  auto deviation(Index l, Index k) {
    const auto s = scales_.col(k).head(l + 1).array();
    auto out = deviation_.head(l + 1).array();
    out = s.max(scales_(l, k));
    out *= (1.0 + (s.min(scales_(l, k)) / out).square()).sqrt();
    return out;
  }

  const MixtureView& p_;

 private:
  Matrix means_;
  Matrix scales_;
  Vector deviation_;
};

// E|X_l - X_r|
class Distances : public Pairs {
 public:
  explicit Distances(const MixtureView& p) : Pairs(p) {
    if (p.correlations != nullptr) covariances_ = covariances(p);
  }

  // Where weights up to it are left out, what is missing is at most 2 m of it times the bound of E|X_l - X_r| from
  // E|Z|^2, and E|X - X'| is at least 2 / sqrt(pi) times the least scale of a coordinate: below 2^-57 of the whole.
  static double least_weight(const MixtureView& p) {
    if (p.correlations != nullptr) return 0.0;
    const Eigen::Map<const Matrix> means(p.means, p.d, p.m);
    const Eigen::Map<const Matrix> scales(p.scales, p.d, p.m);
    const Vector range = means.rowwise().maxCoeff() - means.rowwise().minCoeff();
    const double greatest = std::sqrt(range.squaredNorm() + 2.0 * scales.rowwise().maxCoeff().squaredNorm());
    const double least = scales.rowwise().minCoeff().maxCoeff();
    return 0x1p-58 * least / (greatest * static_cast<double>(p.m));
  }

  static std::optional<double> by_boxes(const MixtureView& p) { return pair_distance_by_boxes(p); }

  // out[r] for r <= l
  void fill(Index l, double* out) {
    if (p_.d == 1) {
      Eigen::Map<Eigen::ArrayXd> own(out, l + 1);
      const auto s = deviation(l, 0);
      own = difference(l, 0) / s;
      folded_normal_excess_in_place(out, l + 1);
      own = difference(l, 0) + s * own;
      return;
    }
    for (Index r = 0; r <= l; ++r) {
      check_cancelled();
      out[r] = covariances_.empty() ? independent(l, r) : correlated(l, r);
    }
  }

 private:
  double independent(Index l, Index r) const {
    const Vector mu = p_.mean_vector(l) - p_.mean_vector(r);
    return mean_norm(mu.cwiseAbs2(), p_.scale_vector(l).cwiseAbs2() + p_.scale_vector(r).cwiseAbs2());
  }
  double correlated(Index l, Index r) const {
    return mean_norm_correlated(p_.mean_vector(l) - p_.mean_vector(r),
                                covariances_[static_cast<std::size_t>(l)] + covariances_[static_cast<std::size_t>(r)]);
  }

  std::vector<Matrix> covariances_;
};

// The integral of N_l N_r.
class Overlaps : public Pairs {
 public:
  explicit Overlaps(const MixtureView& p) : Pairs(p), scale_(p.m) {}

  // An overlap is between the products over k of 1 / (2 sqrt(pi) s_k) with the greatest and the least scales, if at
  // all, and the mean overlap at least 1 / m times the first: what is missing is below 2^-57 of the whole.
  static double least_weight(const MixtureView& p) {
    if (p.correlations != nullptr) return 0.0;
    const Eigen::Map<const Matrix> scales(p.scales, p.d, p.m);
    const double ratio = (scales.rowwise().minCoeff().array() / scales.rowwise().maxCoeff().array()).prod();
    const auto m = static_cast<double>(p.m);
    return 0x1p-58 * ratio / (m * m);
  }

  static std::optional<double> by_boxes(const MixtureView& p) { return overlap_by_boxes(p); }

  // out[r] for r <= l
  void fill(Index l, double* out) {
    if (p_.correlations != nullptr) {
      for (Index r = 0; r <= l; ++r) {
        check_cancelled();
        out[r] = correlated_overlap(p_, l, r);
      }
      return;
    }
    Eigen::Map<Eigen::ArrayXd> own(out, l + 1);
    auto scale = scale_.head(l + 1).array();
    own.setConstant(-static_cast<double>(p_.d) * kLogSqrt2Pi);
    scale.setOnes();
    for (Index k = 0; k < p_.d; ++k) {
      const auto s = deviation(l, k);
      own -= 0.5 * (difference(l, k) / s).square();
      scale *= s;
    }
    exp_in_place(out, l + 1);
    own /= scale;
  }

 private:
  Vector scale_;
};

template <class Of>
Matrix pair_table(const MixtureView& p) {
  Of pairs(p);
  Matrix out = Matrix::Zero(p.m, p.m);
  for (Index l = 0; l < p.m; ++l) {
    check_cancelled();
    pairs.fill(l, out.col(l).data());
  }
  return out;
}

// w' T w, with the terms of pairs (l, r) and (r, l), r <= l, at terms(l, work)[r].
template <class Terms>
double pair_mean(const MixtureView& p, const Terms& terms) {
  constexpr Index between_checks = 64;  // a look at the clock costs as much as some hundred pairs
  Vector work(p.m);
  double total = 0.0;
  for (Index l = 0; l < p.m; ++l) {
    if (l % between_checks == between_checks - 1) check_cancelled();
    const double* column = terms(l, work.data());
    total += p.weights[l] * (2.0 * dot(p.weights, column, l) + p.weights[l] * column[l]);
  }
  return total;
}

template <class Of>
std::optional<double> mean_by_boxes(const MixtureView& p) {
  return p.d == 1 ? Of::by_boxes(p) : std::nullopt;
}

template <class Of>
double mean_over_pairs(const MixtureView& p) {
  const MixtureSubset some(p, heavier_than(p, Of::least_weight(p)));
  if (const auto mean = mean_by_boxes<Of>(some.view())) return *mean;
  Of pairs(some.view());
  return pair_mean(some.view(), [&](Index l, double* out) {
    pairs.fill(l, out);
    return out;
  });
}

template <class Of>
double mean_over_pairs(const MixtureView& p, const Matrix& table) {
  const MixtureSubset some(p, heavier_than(p, Of::least_weight(p)));
  if (const auto mean = mean_by_boxes<Of>(some.view())) return *mean;
  return pair_mean(some.view(), [&](Index l, double* out) {
    const double* column = table.data() + some.place(l) * p.m;
    if (some.is_whole()) return column;
    for (Index r = 0; r <= l; ++r) out[r] = column[some.place(r)];
    return static_cast<const double*>(out);
  });
}

// E|X - y|
double mean_distance_to(const MixtureView& p, const double* y) {
  if (p.d == 1) {
    const Eigen::Map<const Eigen::ArrayXd> means(p.means, p.m);
    const Eigen::Map<const Eigen::ArrayXd> scales(p.scales, p.m);
    Eigen::ArrayXd own = (means - y[0]).abs() / scales;
    folded_normal_excess_in_place(own.data(), p.m);
    own = (means - y[0]).abs() + scales * own;
    return dot(p.weights, own.data(), p.m);
  }
  double total = 0.0;
  for (Index l = 0; l < p.m; ++l) {
    const Vector mu = Eigen::Map<const Vector>(y, p.d) - p.mean_vector(l);
    if (p.correlations != nullptr) {
      const Matrix factor = p.factor(l);
      total += p.weights[l] * mean_norm_correlated(mu, factor * factor.transpose());
    } else {
      total += p.weights[l] * mean_norm(mu.cwiseAbs2(), p.scale_vector(l).cwiseAbs2());
    }
  }
  return total;
}

constexpr Index most_components_in_pairs = 1000;  // in several dimensions
constexpr Index draws = 20'000;

bool is_drawn(const MixtureView& p) { return p.d > 1 && p.m > most_components_in_pairs; }

double drawn_pair_distance(const MixtureView& p) {
  RandomStream random(0, 1);
  const Matrix first = sample(p, draws, random);
  return (first - sample(p, draws, random)).colwise().norm().mean();
}

void drawn_distances(const MixtureView& p, const MatrixView& y, Eigen::Ref<Vector> out) {
  RandomStream random(0, 1);
  const Matrix drawn = sample(p, draws, random);
  for (Index j = 0; j < y.cols(); ++j) {
    check_cancelled();
    out[j] = (drawn.colwise() - y.col(j)).colwise().norm().mean();
  }
}

}  // namespace

Matrix distance_table(const MixtureView& p) { return pair_table<Distances>(p); }

Matrix overlap_table(const MixtureView& p) { return pair_table<Overlaps>(p); }

double mean_pair_distance(const MixtureView& p) {
  return is_drawn(p) ? drawn_pair_distance(p) : mean_over_pairs<Distances>(p);
}

double mean_overlap(const MixtureView& p) { return mean_over_pairs<Overlaps>(p); }

double mean_pair_distance(const MixtureView& p, const Matrix& table) { return mean_over_pairs<Distances>(p, table); }

double mean_overlap(const MixtureView& p, const Matrix& table) { return mean_over_pairs<Overlaps>(p, table); }

void mean_distances(const MixtureView& p, const MatrixView& y, Eigen::Ref<Vector> out) {
  if (is_drawn(p)) return drawn_distances(p, y, out);
  for (Index j = 0; j < y.cols(); ++j) out[j] = mean_distance_to(p, y.col(j).data());
}

double mean_distance(const MixtureView& p, const double* y) {
  Vector out(1);
  mean_distances(p, Eigen::Map<const Matrix>(y, p.d, 1), out);
  return out[0];
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
