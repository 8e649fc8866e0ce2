#pragma once
// The kernels of one sample as their number grows, with weights on the simplex (eq. 39).

#include <functional>
#include <memory>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/model/fit_report.hpp"
#include "growth.hpp"
#include "sample.hpp"

namespace condens {

struct WeightedKernels {
  KernelList kernels;
  Vector weights;
  Document certificate = {};  ///< of the weights; none where there is a single kernel because nothing was found
};

class KernelPath {
 public:
  /// `sample` and `options` live longer than this.
  KernelPath(const Sample& sample, Vector bandwidth, GskdTarget target, const GskdOptions& options, const Run& run);

  /// Adds kernels until there are `most`, or the next one does not lower J enough. `most` never falls.
  void grow(Index most, int threads, const std::function<void()>& poll);

  Index size() const { return growth_ ? growth_->kernels().size() : 0; }
  bool falling() const { return falling_; }  ///< J, as far as was grown
  const KernelBox& box() const { return box_; }

  /// Those that are there; where there are none (errata D9): the Gaussian with the window's moments.
  WeightedKernels weighted(const std::function<void()>& poll) const;

  /// J of every stage and the counts of evaluations.
  void report(FitReport& report) const;

 private:
  const Sample& sample_;
  const GskdOptions& options_;
  Vector bandwidth_;
  KernelRows rows_;
  KernelBox box_;
  std::unique_ptr<KernelGrowth> growth_;  // none where the target is 0 at all rows
  std::vector<double> criterion_;
  FoundKernel counts_;
  Index evaluations_of_kernels_ = 0;
  bool falling_ = true;
};

}  // namespace condens
