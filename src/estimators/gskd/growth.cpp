#include "growth.hpp"

#include <utility>

#include "condens/core/random.hpp"
#include "optim/nonnegative_qp.hpp"

namespace condens {

namespace {

/// The kernels whose weights b >= 0 are positive.
std::vector<Index> support(const OrthogonalRegression& regression) {
  Matrix gram = regression.gram();
  constexpr double rounding = 1e-12;  // keeps kernels that nearly coincide apart
  gram.diagonal() *= 1 + rounding;
  const Vector weights = solve_nonnegative_qp(gram, regression.correlations(), Vector::Zero(gram.rows())).solution;
  std::vector<Index> out;
  for (Index l = 0; l < weights.size(); ++l) {
    if (weights[l] > 0) out.push_back(l);
  }
  return out;
}

}  // namespace

void KernelList::add(const FoundKernel& kernel) {
  const Index n = size();
  centers.conservativeResize(kernel.center.size(), n + 1);
  scales.conservativeResize(kernel.center.size(), n + 1);
  centers.col(n) = kernel.center;
  scales.col(n) = kernel.scale;
}

KernelList KernelList::subset(const std::vector<Index>& kept) const {
  return {centers(Eigen::all, kept), scales(Eigen::all, kept)};
}

KernelGrowth::KernelGrowth(const KernelRows& rows, KernelBox box, const GskdOptions& options)
    : rows_(rows),
      box_(std::move(box)),
      options_(options),
      penalty_{
          options.relative_regularization ? options.regularization : options.regularization / (rows.unit * rows.unit),
          options.relative_regularization},
      regression_(rows.target, penalty_, rows.total_weight) {}

FoundKernel KernelGrowth::find(int threads, const std::function<void()>& poll) {
  const std::uint64_t seed = RandomStream(static_cast<std::uint64_t>(options_.seed), stage_++)();
  const auto search = [&](const KernelProblem& problem) {
    if (options_.search == GskdSearch::gradient) {
      return search_by_gradient(problem, box_, {options_.candidates, options_.starts, seed}, threads, poll);
    }
    return search_by_boosting(problem, box_,
                              {.population = options_.population,
                               .generations = options_.generations,
                               .iterations = options_.search_iterations,
                               .literal_best = options_.literal_best,
                               .seed = seed},
                              threads, poll);
  };
  if (!options_.nonnegative) return search({rows_, regression_, penalty_});
  const OrthogonalRegression rest(regression_.residuals(), penalty_, rows_.total_weight);
  return search({rows_, rest, penalty_, true});
}

bool KernelGrowth::add(const FoundKernel& found) {
  if (!(found.share < 1)) return false;
  KernelList kernels = kernels_;
  kernels.add(found);
  OrthogonalRegression regression = regression_;
  if (!regression.add(rows_.column(found.center, found.scale))) return false;
  if (options_.nonnegative) {
    const std::vector<Index> kept = support(regression);
    if (std::ssize(kept) < kernels.size()) {
      kernels = kernels.subset(kept);
      regression = OrthogonalRegression(rows_.target, penalty_, rows_.total_weight);
      for (Index l = 0; l < kernels.size(); ++l) {
        regression.add(rows_.column(kernels.centers.col(l), kernels.scales.col(l)));
      }
    }
  }
  if (!(regression.criterion() < (1 - options_.stop_tolerance) * regression_.criterion())) return false;
  kernels_ = std::move(kernels);
  regression_ = std::move(regression);
  return true;
}

}  // namespace condens
