// sum_lr w_l w_r f((v_l - v_r) / s) over components of scales s_g and s_h, s^2 = s_g^2 + s_h^2, as in a fast Gauss
// transform (Greengard and Strain 1991, SIAM J. Sci. Stat. Comput. 12): means lie in boxes of width s / 2, and
//
//   f(c + b - a) = sum_{j + k <= K} f^(j + k)(c) (-a)^j / j! b^k / k!,   c between the middles of two boxes,
//
// with |a|, |b| <= 1/4 from the middles, so that a pair of boxes needs their K + 1 moments only.
//
//   E|X - X'|:  s f(z), f(z) = z erf(z / sqrt 2) + 2 phi(z), f'' = 2 phi;  beyond |z| = 9.5 it is |z|, to 1e-21,
//               and the boxes there need their weights and sums of means
//   int p^2:    f(z) / s, f = phi;  beyond |z| = 9.5 it is 0, to 1e-20
//
// |phi^(n)| <= 0.44 sqrt(n!) (Cramer): what K = 20 leaves out is below 0.44 * 0.5^21 / sqrt(21!) = 3e-17.

#include "pair_boxes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace condens::detail {
namespace {

constexpr int K = 20;
constexpr double kNear = 10.0;  // between the middles of boxes, in s
constexpr std::size_t kMostScales = 8;
constexpr Index kFewestOfAScale = 512;  // with fewer components for every scale the pairs take less time

using Moments = std::array<double, K + 1>;

struct Component {
  double mean;
  double weight;
};

/// The components of one scale by ascending mean.
struct Group {
  double scale;
  std::vector<Component> components;
};

/// No group where there are too few components, or too many scales.
std::vector<Group> groups_of(const MixtureView& p) {
  std::vector<Group> out;
  for (Index l = 0; l < p.m; ++l) {
    auto group = std::find_if(out.begin(), out.end(), [&](const Group& g) { return g.scale == p.scale(l); });
    if (group == out.end()) {
      if (out.size() == kMostScales || p.m < kFewestOfAScale * std::ssize(out)) return {};
      group = out.insert(out.end(), Group{p.scale(l), {}});
    }
    group->components.push_back({p.mean(l), p.weights[l]});
  }
  if (p.m < kFewestOfAScale * std::ssize(out)) return {};
  for (Group& group : out) {
    std::sort(group.components.begin(), group.components.end(),
              [](const Component& a, const Component& b) { return a.mean < b.mean; });
  }
  return out;
}

struct Box {
  double middle;
  double weight = 0.0;  ///< sum of w
  double sum = 0.0;     ///< of w (v - origin)
  Moments moments{};    ///< of w ((v - middle) / s)^k / k!
};

std::vector<Box> boxes_of(const Group& group, double s, double origin) {
  std::vector<Box> out;
  double end = -std::numeric_limits<double>::infinity();
  for (const auto& [mean, weight] : group.components) {
    if (mean > end) {
      out.push_back({.middle = mean + 0.25 * s});
      end = mean + 0.5 * s;
    }
    Box& box = out.back();
    box.weight += weight;
    box.sum += weight * (mean - origin);
    const double b = (mean - box.middle) / s;
    double term = weight;
    for (int k = 0; k <= K; ++k) {
      box.moments[static_cast<std::size_t>(k)] += term;
      term *= b / (k + 1);
    }
  }
  return out;
}

/// phi, phi', ..., phi^(K) at c: (-1)^n He_n(c) phi(c).
Moments normal_derivatives(double c) {
  Moments out{};
  out[0] = std::exp(-0.5 * c * c - kLogSqrt2Pi);
  out[1] = -c * out[0];
  for (std::size_t n = 1; n < K; ++n) out[n + 1] = -c * out[n] - static_cast<double>(n) * out[n - 1];
  return out;
}

struct DistanceTerms {
  static constexpr bool grows = true;
  static double unit(double s) { return s; }
  static Moments derivatives(double c) {
    const Moments phi = normal_derivatives(c);
    const double distribution = std::erf(c * kSqrtHalf);
    Moments out{};
    out[0] = c * distribution + 2.0 * phi[0];
    out[1] = distribution;
    for (std::size_t n = 2; n <= K; ++n) out[n] = 2.0 * phi[n - 2];
    return out;
  }
};

struct OverlapTerms {
  static constexpr bool grows = false;
  static double unit(double s) { return 1.0 / s; }
  static Moments derivatives(double c) { return normal_derivatives(c); }
};

/// sum_n f^(n)(c) sum_{j <= n} (-1)^j a_j b_{n - j}
double near_pair(const Moments& derivatives, const Moments& a, const Moments& b) {
  double total = 0.0;
  for (std::size_t n = 0; n <= K; ++n) {
    double even = 0.0;
    double odd = 0.0;
    for (std::size_t j = 0; j <= n; j += 2) even += a[j] * b[n - j];
    for (std::size_t j = 1; j <= n; j += 2) odd += a[j] * b[n - j];
    total += derivatives[n] * (even - odd);
  }
  return total;
}

/// The sum over l in `left` and r in `right`.
template <class Terms>
double sum_over(const Group& left, const Group& right, double origin) {
  const double s = std::hypot(left.scale, right.scale);
  const std::vector<Box> a = boxes_of(left, s, origin);
  const std::vector<Box> b = boxes_of(right, s, origin);
  Box all{.middle = 0.0};
  for (const Box& box : b) {
    all.weight += box.weight;
    all.sum += box.sum;
  }
  double near = 0.0;
  double far = 0.0;
  Box below{.middle = 0.0};   // the boxes of b too far to the left
  Box within{.middle = 0.0};  // those and the near ones
  std::size_t begin = 0;
  std::size_t end = 0;
  for (const Box& box : a) {
    for (; begin < b.size() && b[begin].middle < box.middle - kNear * s; ++begin) {
      below.weight += b[begin].weight;
      below.sum += b[begin].sum;
    }
    for (; end < b.size() && b[end].middle <= box.middle + kNear * s; ++end) {
      within.weight += b[end].weight;
      within.sum += b[end].sum;
    }
    for (std::size_t i = begin; i < end; ++i) {
      near += near_pair(Terms::derivatives((b[i].middle - box.middle) / s), box.moments, b[i].moments);
    }
    far += box.sum * below.weight - box.weight * below.sum;
    far += box.weight * (all.sum - within.sum) - box.sum * (all.weight - within.weight);
  }
  return Terms::unit(s) * near + (Terms::grows ? far : 0.0);
}

template <class Terms>
std::optional<double> sum_over_pairs(const MixtureView& p) {
  const std::vector<Group> groups = groups_of(p);
  if (groups.empty()) return std::nullopt;
  double origin = 0.0;
  for (Index l = 0; l < p.m; ++l) origin += p.weights[l] * p.mean(l);
  double total = 0.0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    total += sum_over<Terms>(groups[g], groups[g], origin);
    for (std::size_t h = 0; h < g; ++h) total += 2.0 * sum_over<Terms>(groups[g], groups[h], origin);
  }
  return total;
}

}  // namespace

std::optional<double> pair_distance_by_boxes(const MixtureView& p) { return sum_over_pairs<DistanceTerms>(p); }

std::optional<double> overlap_by_boxes(const MixtureView& p) { return sum_over_pairs<OverlapTerms>(p); }

}  // namespace condens::detail
