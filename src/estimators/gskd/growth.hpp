#pragma once
// Tunable kernels one by one (eqs. 37 and 38 of Chen, Hong and Harris 2010), in the paper's way or so
// that their weights stay nonnegative.
//
// The paper's regression lets weights take any sign, and the final programme on the simplex then
// drops what a negative weight had paid for: of 50 kernels on two rings it leaves 5. So, between
// nonnegative weights, a kernel is sought for the residual that they leave, with a weight > 0 and
// the others fixed; then all weights are found again under b >= 0, and kernels of weight zero go.
// Of those that are left the plain regression has the same weights, and its J_n decides.

#include <functional>
#include <vector>

#include "condens/estimators/gskd.hpp"
#include "condens/optim/orthogonal_regression.hpp"
#include "kernel_search.hpp"

namespace condens {

struct KernelList {
  Matrix centers;  // d x kernels
  Matrix scales;   // standard deviations

  Index size() const { return centers.cols(); }
  void add(const FoundKernel& kernel);
  KernelList subset(const std::vector<Index>& kept) const;
};

class KernelGrowth {
 public:
  /// `rows` and `options` live longer than this.
  KernelGrowth(const KernelRows& rows, KernelBox box, const GskdOptions& options);

  const KernelList& kernels() const { return kernels_; }
  const OrthogonalRegression& regression() const { return regression_; }

  /// Eq. 37: what to add next.
  FoundKernel find(int threads, const std::function<void()>& poll);

  /// False, and nothing changes, unless J falls by more than stop_tolerance (eq. 38).
  bool add(const FoundKernel& found);

 private:
  const KernelRows& rows_;
  KernelBox box_;
  const GskdOptions& options_;
  RegressionPenalty penalty_;
  OrthogonalRegression regression_;
  KernelList kernels_;
  std::uint64_t stage_ = 0;
};

}  // namespace condens
