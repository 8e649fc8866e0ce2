#pragma once
// The next kernel of a regression on tunable kernels (eq. 37 of Chen, Hong and Harris 2010): the
// centre and the widths of least J_n in a box, by the paper's boosting search over (c, gamma^2)
// (errata D13), or by quasi-Newton steps over (c, log gamma) from the best of random candidates.

#include <cstdint>
#include <functional>

#include "optim/boosting_search.hpp"
#include "stage.hpp"

namespace condens {

struct KernelBox {
  Vector center_lower;
  Vector center_upper;
  Vector scale_lower;  ///< standard deviations, > 0
  Vector scale_upper;
};

struct FoundKernel {
  Vector center = {};
  Vector scale = {};
  double share = 0;       ///< J_n / J_{n-1}
  Index evaluations = 0;  ///< of J_n, those with a gradient among them
  Index gradients = 0;    ///< evaluations with a gradient
  Index clipped = 0;      ///< mirror images of the boosting search that left the box
};

FoundKernel search_by_boosting(const KernelProblem& problem, const KernelBox& box, const BoostingSettings& settings,
                               int threads, const std::function<void()>& poll);

struct GradientSearchSettings {
  Index candidates = 80;  ///< evaluated together
  Index starts = 5;       ///< the best of them, from which steps are taken
  std::uint64_t seed = 0;
};

/// Candidates stand at rows drawn by their squared leave-one-out residuals, and their widths are
/// one quantile of the box for all coordinates. Same bits for any number of threads.
FoundKernel search_by_gradient(const KernelProblem& problem, const KernelBox& box,
                               const GradientSearchSettings& settings, int threads, const std::function<void()>& poll);

}  // namespace condens
