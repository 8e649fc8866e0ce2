#include "stability.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"

namespace condens {

namespace sacde {

double expected_false(double q, double tau, double p) { return q * q / ((2 * tau - 1) * p); }

double expected_false_unimodal(double q, double tau, double p, Index pairs) {
  const double share = q / p;
  const double step = 0.5 / static_cast<double>(pairs);
  const double least = 0.5 + std::min(share * share, step + 0.75 * share * share);
  if (share > 1 / std::sqrt(3.0) || !(tau > least) || !(2 * tau - 1 > step)) return infinity;
  const double c = tau <= 0.75 ? 0.5 / (2 * tau - 1 - step) : 4 * (1 - tau + step) / (1 + 2 * step);
  return c * q * q / p;
}

Index most_per_half(double bound, double tau, double p) {
  auto q = static_cast<Index>(std::sqrt(bound * (2 * tau - 1) * p));
  while (expected_false(static_cast<double>(q + 1), tau, p) <= bound) ++q;  // the root may be rounded down
  return q;
}

Matrix select_on_halves(const Dataset& data, Index halves, Index seed,
                        const std::function<Vector(const Dataset&)>& select, const Run& run) {
  Task task(run, "resampling", static_cast<double>(halves));
  Matrix selected = Matrix::Zero(data.x.rows(), halves);
  parallel_for(
      halves, task.threads(),
      [&](Index i) {
        RandomStream random(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(i / 2) + 1);
        std::vector<Index> order = random.permutation(data.size());
        // Of an odd number of rows one is in neither half; one row alone is in both.
        const auto half = static_cast<std::ptrdiff_t>(std::max<Index>(data.size() / 2, 1));
        const auto begin = order.begin() + (i % 2 == 0 || data.size() < 2 ? 0 : half);
        std::vector<Index> rows(begin, begin + half);
        std::sort(rows.begin(), rows.end());
        const Dataset sample = data.subset(rows);
        if ((sample.y.rowwise().maxCoeff() - sample.y.rowwise().minCoeff()).minCoeff() > 0) {
          selected.col(i) = select(sample);
        }
        task.advance(1.0);
      },
      [&] { task.poll(); });
  return selected;
}

}  // namespace sacde

Vector selection_stability(const Dataset& data, const SacdeOptions& options, Index resamples, const Run& run) {
  data.check(Sacde::class_name);
  sacde::check_options(options, data.x.rows(), data.y.rows());
  require(options.bandwidth.size() == 1 && options.regularization.size() == 1 && options.bandwidth_y.size() <= 1 &&
              options.first_regularization.size() <= 1,
          Sacde::class_name,
          ": stability needs one bandwidth, one regularization, at most one bandwidth_y and at most ",
          "one first_regularization; got ", options.bandwidth.size(), ", ", options.regularization.size(), ", ",
          options.bandwidth_y.size(), " and ", options.first_regularization.size());
  require(resamples >= 1, Sacde::class_name, ": resamples = ", resamples, ", expected at least 1");
  SacdeOptions fixed = options;
  fixed.stability_resamples = 0;
  fixed.stability_bound = 0;
  const auto select = [&](const Dataset& sample) {
    return Sacde::fit(sample, fixed, {.threads = 1, .observer = {}}).support();
  };
  return sacde::select_on_halves(data, resamples, options.seed, select, run).rowwise().mean();
}

}  // namespace condens
