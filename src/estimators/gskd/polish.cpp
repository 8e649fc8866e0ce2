#include "polish.hpp"

#include <utility>

#include "estimators/gmm/expectation_maximization.hpp"

namespace condens {

namespace {

constexpr double least_variance = 1e-150;  // of GaussianComponents

}  // namespace

FinishedKernels finish(const Sample& sample, const WeightedKernels& found, const Vector& least_scale, Finish how,
                       Index iterations, Task& task) {
  if (how == Finish::none) return {found.weights, {found.kernels.centers, found.kernels.scales}};
  EmSettings settings{
      .full = how == Finish::full, .floors = least_scale.cwiseAbs2().cwiseMax(least_variance), .max_iterations = 0};
  EmState start{found.weights / found.weights.sum(), found.kernels.centers, found.kernels.scales.cwiseAbs2()};
  if (how == Finish::full) start.covariances = GaussianComponents{start.means, found.kernels.scales}.covariances();
  const EmRowsInMemory rows(sample.z, sample.weights);
  start = em_continue(rows, std::move(start), settings, task);
  settings.max_iterations = iterations;
  EmState end = em_continue(rows, start, settings, task);
  // A component that begins again elsewhere may cost likelihood.
  const EmState& best = end.score > start.score ? end : start;
  return {best.weights, best.components(), how, start.score, best.score, end.iterations};
}

}  // namespace condens
