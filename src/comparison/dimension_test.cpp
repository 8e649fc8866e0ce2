#include "condens/comparison/dimension_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "linalg/normal_quantile.hpp"
#include "model/inner_fits.hpp"

namespace condens {

namespace {

constexpr std::string_view test_name = "dimension test";

/// log p of every row by the fit without its fold, no less than what a number can be the logarithm of.
Vector scores_of_dimension(const Dataset& data, const std::vector<Index>& fold, const Contestant& model, Index d,
                           const DimensionTestOptions& options, const Run& run, Task& task) {
  const double lowest = std::log(std::numeric_limits<double>::min());
  Vector out(data.size());
  fit_side_by_side(options.folds, run, task, [&](Index k, const Run& own) {
    const auto [train, test] = rows_of_fold(fold, k);
    const auto rows_of = [&](const std::vector<Index>& rows) {
      Dataset part = data.subset(rows);
      if (d == 0) part.x = Matrix(0, part.size());
      if (d == 0) part.x_unlabeled = Matrix(0, 0);
      if (d == 0) part.groups = {};
      return part;
    };
    const Dataset held_out = rows_of(test);
    const FittedContestant fitted = model.fit(rows_of(train), options.seed, own);
    if (fitted.density->report().status == "interrupted") throw Cancelled();  // some models keep the best so far
    out(test) = fitted.target ? fitted.target->log_density(*fitted.density, held_out.x, held_out.y, own)
                              : fitted.density->log_density(held_out.x, held_out.y, own);
  });
  return out.array().max(lowest);  // of NaN, too
}

}  // namespace

DimensionTest test_dimension(const Dataset& data, const ContestantOfDimension& model,
                             const DimensionTestOptions& options, const Run& run) {
  validate_options(options, test_name);
  data.check(test_name);
  const Index d_x = data.x.rows();
  const Index n = data.size();
  require(d_x > 0, test_name, ": there are no inputs, expected at least one");
  require(options.folds <= n, test_name, ": folds = ", options.folds, " of ", n, " rows, expected no more than rows");
  const std::vector<Index> fold = assign_folds(n, options.folds, static_cast<std::uint64_t>(options.seed));
  const Vector weights = data.weights.size() > 0 ? data.weights : Vector::Ones(n);
  const double total = weights.sum();
  const Index most = std::min(options.most, d_x);
  const double bound = normal_quantile(1.0 - options.level);
  Task task(run, "testing numbers of directions", static_cast<double>((1 + most) * options.folds));
  const auto scores = [&](Index d) { return scores_of_dimension(data, fold, model(d), d, options, run, task); };
  DimensionTest out{.level = options.level, .n_components = most, .all_rejected = true, .steps = {}};
  Vector before = scores(0);
  for (Index d = 0; d < most; ++d) {
    Vector after = scores(d + 1);
    const Vector differences = after - before;
    DimensionTest::Step step{.n_components = d, .score = weights.dot(before) / total};
    step.gain = weights.dot(differences) / total;
    const Vector residuals = weights.array() * (differences.array() - step.gain);
    step.standard_error = residuals.norm() / total;
    const double z = step.gain / std::max(step.standard_error, std::numeric_limits<double>::min());
    step.p_value = 0.5 * std::erfc(z / std::numbers::sqrt2);
    step.rejected = z > bound;
    out.steps.push_back(step);
    before = std::move(after);
    if (step.rejected) continue;
    out.n_components = d;
    out.all_rejected = false;
    break;
  }
  return out;
}

}  // namespace condens
