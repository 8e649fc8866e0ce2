#include "mixture_subset.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace condens::detail {

namespace {

/// Of `count` columns those at `places`; empty where there are none to read.
Matrix gather(const double* from, Index rows, Index count, const std::vector<Index>& places) {
  if (from == nullptr) return {};
  return Eigen::Map<const Matrix>(from, rows, count)(Eigen::all, places);
}

}  // namespace

MixtureSubset::MixtureSubset(const MixtureView& p, std::vector<Index> places)
    : places_(std::move(places)), whole_(std::ssize(places_) == p.m), view_(p) {
  if (whole_) return;
  log_weights_ = gather(p.log_weights, 1, p.m, places_);
  weights_ = gather(p.weights, 1, p.m, places_);
  means_ = gather(p.means, p.d, p.m, places_);
  scales_ = gather(p.scales, p.d, p.m, places_);
  correlations_ = gather(p.correlations, p.d * p.d, p.m, places_);
  view_ = {p.d,
           std::ssize(places_),
           log_weights_.data(),
           weights_.data(),
           means_.data(),
           scales_.data(),
           p.correlations == nullptr ? nullptr : correlations_.data()};
}

std::vector<Index> heavier_than(const MixtureView& p, double least) {
  std::vector<Index> out;
  for (Index l = 0; l < p.m; ++l) {
    if (!(p.weights[l] <= least)) out.push_back(l);
  }
  return out;
}

std::vector<Index> seen_above(const MixtureView& p, double floor) {
  const double least = floor + kLogSqrt2Pi - std::log(static_cast<double>(p.m)) - 56 * std::numbers::ln2;
  std::vector<Index> out;
  if (least > -600) {  // no logarithms where numbers hold what they are of
    const double share = std::exp(least);
    for (Index l = 0; l < p.m; ++l) {
      if (!(p.weights[l] < share * p.scale(l))) out.push_back(l);
    }
    return out;
  }
  for (Index l = 0; l < p.m; ++l) {
    if (!(p.log_weights[l] - std::log(p.scale(l)) < least)) out.push_back(l);
  }
  return out;
}

}  // namespace condens::detail
