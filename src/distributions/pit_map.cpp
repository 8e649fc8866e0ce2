#include "condens/distributions/pit_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "linalg/vector_math.hpp"

namespace condens {

namespace {

constexpr double share_of_spread = 0.1;     // narrow components against a distribution
constexpr double least_share = 0.03;        // narrow components against the one that they make up
constexpr double step_of_narrow = 1.25;     // between their means, in their standard deviations
constexpr double reach_of_narrow = 4.5;     // of their means, in standard deviations of these
constexpr double negligible_weight = 1e-9;  // a component of less stays as it is
constexpr int rounds_of_scaling = 60;

/// N(0, 1) as a mixture: offsets, log weights, and the common width.
struct Narrow {
  Vector offsets;
  Vector log_weights;
  double width;
};

Narrow narrow_parts(double width) {
  if (width >= 1.0) return {Vector::Zero(1), Vector::Zero(1), 1.0};
  const double spread = std::sqrt(1.0 - width * width);
  const double step = step_of_narrow * width;
  const auto half = static_cast<Index>(std::ceil(reach_of_narrow * spread / step));
  Narrow out{Vector(2 * half + 1), Vector(2 * half + 1), width};
  for (Index j = -half; j <= half; ++j) out.offsets[j + half] = static_cast<double>(j) * step;
  out.log_weights = -0.5 * (out.offsets.array() / spread).square();
  out.log_weights.array() -= std::log(out.log_weights.array().exp().sum());
  return out;
}

/// Components of one distribution: the first ones as they are, then what wide ones are made of.
struct Parts {
  Matrix means;               // 1 x m'
  Matrix scales;              // 1 x m'
  std::vector<Index> origin;  // of each, the component that it is a part of
  Vector log_share;           // of that component; 0 where it is not cut
  Index n_whole;              // m
};

/// `log_weights` of one distribution; null: of components that are shared, so that weights differ.
Parts cut(const double* means, const double* scales, const double* log_weights, Index m, double width, Index bins) {
  constexpr Index few = 50;
  constexpr double share_of_few = 0.06;
  // A component of weight w has some w B steps of R within four of its standard deviations.
  const auto by_weight = [&](Index l) {
    if (log_weights == nullptr) return m <= few ? share_of_few : 1.0;
    return 0.6 / (std::exp(log_weights[l]) * static_cast<double>(bins));
  };
  std::vector<double> mean(means, means + m);
  std::vector<double> scale(scales, scales + m);
  Parts out{{}, {}, {}, {}, m};
  std::vector<double> share(static_cast<std::size_t>(m), 0.0);
  for (Index l = 0; l < m; ++l) out.origin.push_back(l);
  for (Index l = 0; l < m; ++l) {
    const double own = std::clamp(std::min(width / scales[l], by_weight(l)), least_share, 1.0);
    if (own >= 1.0 || (log_weights != nullptr && log_weights[l] < std::log(negligible_weight))) continue;
    const Narrow parts = narrow_parts(own);
    for (Index j = 0; j < parts.offsets.size(); ++j) {
      mean.push_back(means[l] + scales[l] * parts.offsets[j]);
      scale.push_back(scales[l] * parts.width);
      share.push_back(parts.log_weights[j]);
      out.origin.push_back(l);
    }
  }
  out.means = Eigen::Map<const Matrix>(mean.data(), 1, std::ssize(mean));
  out.scales = Eigen::Map<const Matrix>(scale.data(), 1, std::ssize(scale));
  out.log_share = Eigen::Map<const Vector>(share.data(), std::ssize(share));
  return out;
}

/// Probabilities between the knots of the part that is above the least slope.
Vector steps_of(const Vector& values) {
  const Index bins = values.size() - 1;
  const Vector masses = values.tail(bins) - values.head(bins);
  return masses.array() - masses.minCoeff();
}

/// log weights of the parts, from those of the components and the quantiles at the inner knots.
Vector reweigh(const Parts& parts, const double* log_weights, const Vector& knots, const Vector& values) {
  const Index bins = values.size() - 1;
  const Index count = parts.means.cols();
  const Vector steps = steps_of(values);
  const double least = 1.0 - steps.sum();  // c
  Vector out = Vector::Constant(count, -infinity);
  for (Index l = 0; l < parts.n_whole; ++l) out[l] = log_weights[l] + std::log(least);
  std::vector<bool> is_cut(static_cast<std::size_t>(parts.n_whole), false);
  for (Index k = parts.n_whole; k < count; ++k)
    is_cut[static_cast<std::size_t>(parts.origin[static_cast<std::size_t>(k)])] = true;
  std::vector<Index> active;  // what the second part is made of
  for (Index k = 0; k < count; ++k) {
    const Index l = parts.origin[static_cast<std::size_t>(k)];
    const bool whole_of_cut = k < parts.n_whole && is_cut[static_cast<std::size_t>(l)];
    if (!whole_of_cut && log_weights[l] + parts.log_share[k] > std::log(negligible_weight) - 20.0) active.push_back(k);
  }
  const Index n = std::ssize(active);
  // Probabilities of each between the knots: differences of distribution functions.
  Matrix below(bins + 1, n);
  Vector weight(n);
  for (Index a = 0; a < n; ++a) {
    const Index k = active[static_cast<std::size_t>(a)];
    weight[a] = std::exp(log_weights[parts.origin[static_cast<std::size_t>(k)]] + parts.log_share[k]);
    for (Index b = 1; b < bins; ++b) below(b, a) = (knots[b - 1] - parts.means(0, k)) / parts.scales(0, k);
    normal_cdf_in_place(&below(1, a), bins - 1);
    below(0, a) = 0.0;
    below(bins, a) = 1.0;
  }
  const Matrix inside = below.bottomRows(bins) - below.topRows(bins);
  Vector heights = steps * static_cast<double>(bins);
  Vector own(n);
  for (int round = 0; round <= rounds_of_scaling; ++round) {
    own = weight.cwiseProduct(inside.transpose() * heights);
    if (round == rounds_of_scaling) break;
    const Vector masses = inside * own;
    for (Index b = 0; b < bins; ++b) heights[b] *= masses[b] > 0.0 ? steps[b] / masses[b] : 0.0;
  }
  for (Index a = 0; a < n; ++a) {
    const Index k = active[static_cast<std::size_t>(a)];
    const double before = k < parts.n_whole ? std::exp(out[k]) : 0.0;
    out[k] = own[a] > 0.0 ? std::log(before + own[a]) : out[k];
  }
  return out;
}

Vector inner_knots(Index bins) {
  Vector out(bins - 1);
  for (Index b = 1; b < bins; ++b) out[b - 1] = static_cast<double>(b) / static_cast<double>(bins);
  return out;
}

}  // namespace

PitMap::PitMap(const Vector& pit, const Vector& spreads) : n_rows_(pit.size()) {
  require(n_rows_ > 0 && (pit.array() >= 0.0).all() && (pit.array() <= 1.0).all(), "PitMap: ", n_rows_,
          " PIT values, expected at least one, all in [0, 1]");
  require(spreads.size() == n_rows_ && (spreads.array() > 0.0).all() && spreads.allFinite(), "PitMap: spreads of ",
          spreads.size(), " distributions, expected ", n_rows_, " numbers > 0");
  const double m = static_cast<double>(n_rows_);
  const auto bins = static_cast<Index>(std::ceil(2.0 * std::cbrt(m)));
  values_.resize(bins + 1);
  for (Index b = 0; b <= bins; ++b) {
    const double knot = static_cast<double>(b) / static_cast<double>(bins);
    values_[b] = (static_cast<double>((pit.array() <= knot).count()) + knot) / (m + 1.0);
  }
  values_[0] = 0.0;  // the PIT of a value that the distribution holds impossible is 0, and has no place to go
  Vector sorted = spreads;
  std::nth_element(sorted.begin(), sorted.begin() + n_rows_ / 2, sorted.end());
  width_ = share_of_spread * sorted[n_rows_ / 2];
}

double PitMap::operator()(double u) const {
  const Index bins = values_.size() - 1;
  const double at = std::clamp(u, 0.0, 1.0) * static_cast<double>(bins);
  const auto b = std::min<Index>(bins - 1, static_cast<Index>(at));
  return values_[b] + (at - static_cast<double>(b)) * (values_[b + 1] - values_[b]);
}

GaussianMixtures PitMap::apply(const GaussianMixtures& laws, const Run& run) const {
  require(laws.dimension() == 1, "PitMap: distributions of ", laws.dimension(), " targets, expected one");
  const Index n = laws.size();
  const Index m = laws.n_components();
  if (n == 0) return laws;
  const Index bins = values_.size() - 1;
  const Matrix knots = laws.quantile(inner_knots(bins), run);
  const int threads = resolve_threads(run.threads);
  const Matrix& means = laws.components().means;
  const Matrix& scales = laws.components().scales;
  if (laws.has_shared_components()) {
    const Parts parts = cut(means.data(), scales.data(), nullptr, m, width_, bins);
    auto components = std::make_shared<const GaussianComponents>(GaussianComponents{parts.means, parts.scales});
    Matrix log_weights(parts.means.cols(), n);
    parallel_for(n, threads, [&](Index i) {
      log_weights.col(i) = reweigh(parts, laws.log_weights().col(i).data(), knots.col(i), values_);
    });
    return GaussianMixtures::shared(std::move(components), std::move(log_weights));
  }
  const Matrix ends = laws.quantile(Vector{{0.16, 0.84}}, run);
  std::vector<Parts> parts(static_cast<std::size_t>(n));
  std::vector<Vector> weights(static_cast<std::size_t>(n));
  parallel_for(n, threads, [&](Index i) {
    auto& own = parts[static_cast<std::size_t>(i)];
    const double* log_weights = laws.log_weights().col(i).data();
    const double width = share_of_spread * 0.5 * (ends(1, i) - ends(0, i));
    own = cut(means.data() + i * m, scales.data() + i * m, log_weights, m, width, bins);
    weights[static_cast<std::size_t>(i)] = reweigh(own, log_weights, knots.col(i), values_);
  });
  Index most = 0;
  for (const Vector& own : weights) most = std::max(most, own.size());
  Matrix all_means = Matrix::Zero(1, most * n);
  Matrix all_scales = Matrix::Ones(1, most * n);
  Matrix log_weights = Matrix::Constant(most, n, -infinity);
  for (Index i = 0; i < n; ++i) {
    const Parts& own = parts[static_cast<std::size_t>(i)];
    const Index count = own.means.cols();
    all_means.middleCols(i * most, count) = own.means;
    all_scales.middleCols(i * most, count) = own.scales;
    // Components without weight that fill up stand where the first one does: numbers far away would be of another size.
    all_means.middleCols(i * most + count, most - count).setConstant(own.means(0, 0));
    all_scales.middleCols(i * most + count, most - count).setConstant(own.scales(0, 0));
    log_weights.col(i).head(count) = weights[static_cast<std::size_t>(i)];
  }
  return GaussianMixtures::separate(std::move(all_means), std::move(all_scales), std::move(log_weights));
}

Document PitMap::to_document() const {
  return Document::Object{{"n_rows", n_rows_}, {"values", values_}, {"width", width_}};
}

PitMap PitMap::from_document(const Document& document) {
  PitMap out;
  out.n_rows_ = document.at("n_rows").as_integer();
  out.values_ = document.at("values").as_vector();
  out.width_ = document.at("width").as_number();
  const Index bins = out.values_.size() - 1;
  bool rises = bins >= 1 && out.values_[0] == 0.0 && std::abs(out.values_[bins] - 1.0) < 1e-12;
  for (Index b = 0; rises && b < bins; ++b) rises = out.values_[b + 1] > out.values_[b];
  if (!rises || out.n_rows_ < 1 || !(out.width_ > 0.0)) {
    throw FormatError("calibration: the map of the distribution function does not rise from 0 to 1");
  }
  return out;
}

}  // namespace condens
