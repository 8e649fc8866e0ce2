#pragma once
// Kernels as the start of expectation maximisation: what the regression places by squared errors of a density then
// fits the sample by likelihood, its tails, too. The EM is that of `gmm`; no variance falls below that of the least
// kernel of the search.

#include "condens/core/parallel.hpp"
#include "condens/distributions/gaussian_components.hpp"
#include "path.hpp"

namespace condens {

/// What is done to kernels before they are the density.
enum class Finish { none, diagonal, full };

struct FinishedKernels {
  Vector weights;
  GaussianComponents kernels;
  Finish finish = Finish::none;
  double likelihood_before = 0;  ///< mean log density of the sample, of EM only
  double likelihood = 0;         ///< >= likelihood_before
  Index iterations = 0;
};

FinishedKernels finish(const Sample& sample, const WeightedKernels& found, const Vector& least_scale, Finish how,
                       Index iterations, Task& task);

}  // namespace condens
