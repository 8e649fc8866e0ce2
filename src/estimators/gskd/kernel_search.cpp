#include "kernel_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "condens/optim/lbfgs.hpp"

namespace condens {

namespace {

/// Differences of J_n below this share do not decide between two ends of a search.
constexpr double least_gain = 1e-6;

Vector joined(const Vector& first, const Vector& second) {
  Vector out(first.size() + second.size());
  out << first, second;
  return out;
}

struct Candidates {
  Matrix centers;
  Matrix scales;
};

Candidates draw_candidates(const KernelProblem& problem, const KernelBox& box, Index count, std::uint64_t seed) {
  const KernelRows& rows = problem.rows;
  RandomStream random(seed);
  Vector sums =
      problem.regression.residuals().cwiseQuotient(problem.regression.loo_weights().cwiseMax(1e-60)).cwiseAbs2();
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  const Vector log_lower = box.scale_lower.array().log();
  const Vector log_upper = box.scale_upper.array().log();
  Candidates out{Matrix(rows.dimension(), count), Matrix(rows.dimension(), count)};
  for (Index m = 0; m < count; ++m) {
    const double at = random.uniform() * sums[sums.size() - 1];
    const Index row = std::min<Index>(std::upper_bound(sums.begin(), sums.end(), at) - sums.begin(), sums.size() - 1);
    out.centers.col(m) = rows.x.row(row).transpose().cwiseMax(box.center_lower).cwiseMin(box.center_upper);
    out.scales.col(m) = (log_lower + random.uniform() * (log_upper - log_lower)).array().exp();
  }
  return out;
}

std::vector<Index> best_first(const Vector& values, Index count) {
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return values[a] < values[b]; });
  order.resize(static_cast<std::size_t>(std::min<Index>(count, values.size())));
  return order;
}

}  // namespace

FoundKernel search_by_boosting(const KernelProblem& problem, const KernelBox& box, const BoostingSettings& settings,
                               int threads, const std::function<void()>& poll) {
  const Index d = problem.rows.dimension();
  KernelStage stage(problem);
  Matrix scales;
  const auto objective = [&](const MatrixView& points, const Eigen::Ref<Vector>& values) {
    scales = points.bottomRows(d).cwiseSqrt();
    stage.values(points.topRows(d), scales, threads, values);
  };
  const BoostingResult found = boosting_search(objective, joined(box.center_lower, box.scale_lower.cwiseAbs2()),
                                               joined(box.center_upper, box.scale_upper.cwiseAbs2()), settings, poll);
  return {.center = found.x.head(d),
          .scale = found.x.tail(d).cwiseSqrt(),
          .share = found.value,
          .evaluations = found.evaluations,
          .clipped = found.clipped};
}

FoundKernel search_by_gradient(const KernelProblem& problem, const KernelBox& box,
                               const GradientSearchSettings& settings, int threads, const std::function<void()>& poll) {
  const Index d = problem.rows.dimension();
  KernelStage stage(problem);
  const Candidates drawn = draw_candidates(problem, box, settings.candidates, settings.seed);
  Vector values(settings.candidates);
  stage.values(drawn.centers, drawn.scales, threads, values);

  const std::vector<Index> starts = best_first(values, settings.starts);
  const Vector lower = joined(box.center_lower, box.scale_lower.array().log());
  const Vector upper = joined(box.center_upper, box.scale_upper.array().log());
  const auto objective = [&](const Vector& u, Vector& gradient) { return stage.value(u.head(d), u.tail(d), gradient); };
  const auto polish = [&](const Vector& start, const LbfgsSettings& settings_of_descent) -> FoundKernel {
    Vector gradient(start.size());
    const double before = objective(start, gradient);
    // Infinite where a row is explained by the candidate only.
    if (!std::isfinite(before)) return {.share = before, .evaluations = 1, .gradients = 1};
    const LbfgsResult end = minimize(objective, start, lower, upper, settings_of_descent);
    return {.center = end.x.head(d),
            .scale = end.x.tail(d).array().exp(),
            .share = end.value,
            .evaluations = end.evaluations + 1,
            .gradients = end.evaluations + 1};
  };
  std::vector<FoundKernel> ends(starts.size());
  const auto body = [&](Index k) {
    const auto at = static_cast<std::size_t>(k);
    const Vector start = joined(drawn.centers.col(starts[at]), drawn.scales.col(starts[at]).array().log());
    ends[at] = polish(start, {.max_iterations = 40, .unit = 1, .gradient_tolerance = 1e-5, .value_tolerance = 1e-5});
  };
  parallel_for(std::ssize(starts), threads, body, poll);

  FoundKernel best = ends.front();
  Index evaluations = settings.candidates;
  Index gradients = 0;
  for (const FoundKernel& end : ends) {
    evaluations += end.evaluations;
    gradients += end.gradients;
    if (end.share < best.share * (1 - least_gain)) best = end;
  }
  if (std::isfinite(best.share)) {
    // To rounding, so that the kernel is that of the minimum and not of the way to it.
    best = polish(joined(best.center, best.scale.array().log()),
                  {.max_iterations = 200, .unit = 1, .gradient_tolerance = 1e-10, .value_tolerance = 1e-15});
    evaluations += best.evaluations;
    gradients += best.gradients;
  }
  best.evaluations = evaluations;
  best.gradients = gradients;
  return best;
}

}  // namespace condens
