#include "path.hpp"

#include <utility>

#include "condens/optim/mixing_weights.hpp"

namespace condens {

KernelPath::KernelPath(const Sample& sample, Vector bandwidth, GskdTarget target, const GskdOptions& options,
                       const Run& run)
    : sample_(sample),
      options_(options),
      bandwidth_(std::move(bandwidth)),
      rows_(rows_of(sample, bandwidth_, target, options, run)),
      box_(box_of(sample, bandwidth_, options)) {
  if (!(rows_.unit > 0)) {
    falling_ = false;
    return;
  }
  growth_ = std::make_unique<KernelGrowth>(rows_, box_, options_);
  criterion_.push_back(growth_->regression().criterion());
}

void KernelPath::grow(Index most, int threads, const std::function<void()>& poll) {
  while (falling_ && size() < most) {
    const FoundKernel found = growth_->find(threads, poll);
    counts_.evaluations += found.evaluations;
    counts_.gradients += found.gradients;
    counts_.clipped += found.clipped;
    falling_ = growth_->add(found);
    if (!falling_) break;
    criterion_.push_back(growth_->regression().criterion());
    evaluations_of_kernels_ = counts_.evaluations;
    poll();
  }
}

WeightedKernels KernelPath::weighted(const std::function<void()>& poll) const {
  const Index n = size();
  if (n == 0) {
    const Vector scale = (sample_.spread.cwiseAbs2() + bandwidth_.cwiseAbs2()).cwiseSqrt();
    return {{sample_.mean, scale}, Vector::Ones(1)};
  }
  MixingWeights mixed = mixing_weights(growth_->regression().gram().cwiseMax(0.0), growth_->regression().correlations(),
                                       options_.weights, options_.iterations, options_.pruning, poll);
  std::vector<Index> kept;
  for (Index l = 0; l < n; ++l) {
    if (mixed.weights[l] > 0) kept.push_back(l);
  }
  WeightedKernels out{growth_->kernels().subset(kept), mixed.weights(kept), std::move(mixed.certificate)};
  out.certificate.set(rows_.cumulative ? "distance_to_cdf" : "distance_to_window",
                      rows_.distance(out.kernels.centers, out.kernels.scales, out.weights));
  return out;
}

void KernelPath::report(FitReport& report) const {
  if (!growth_) return;
  const Vector criterion =
      Eigen::Map<const Vector>(criterion_.data(), std::ssize(criterion_)) * (rows_.unit * rows_.unit);
  report.details.set("criterion", criterion);
  report.details.set("evaluations", counts_.evaluations);
  report.details.set("evaluations_of_kernels", evaluations_of_kernels_);
  if (options_.search == GskdSearch::gradient) {
    report.details.set("gradient_evaluations", counts_.gradients);
  } else {
    report.details.set("clipped", counts_.clipped);
  }
  report.details.set("n_kernels_before_weights", size());
}

}  // namespace condens
