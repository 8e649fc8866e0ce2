#include "residuals.hpp"

#include <algorithm>

#include "condens/core/parallel.hpp"
#include "condens/data/folds.hpp"
#include "estimators/screening/rank_tests.hpp"

namespace condens::salscde {

namespace {

/// The fit of `model` to other rows, with nothing to choose.
LscdeOptions at_chosen(LscdeOptions out, const Lscde& model) {
  const LscdeState& state = model.state();
  out.bandwidth = {state.bandwidth};
  out.bandwidth_y = {state.bandwidth_y};
  out.regularization = {state.regularization};
  if (out.centers.size() == 0) out.n_centers = state.coefficients.size();
  const bool learned = (state.input_widths.array() != 1).any();
  out.metric = learned ? LscdeMetric::nw : LscdeMetric::none;
  return out;
}

}  // namespace

Matrix held_out_scores(const Dataset& data, const LscdeOptions& options, const Lscde& model,
                       const std::vector<Index>& fold, const Run& run) {
  const LscdeOptions fixed = at_chosen(options, model);
  const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
  Matrix out(data.size(), 2 * data.y.rows());
  Task task(run, "testing the residuals", static_cast<double>(folds));
  parallel_for(
      folds, task.threads(),
      [&](Index k) {
        const Run one{.threads = 1, .observer = {}};
        const auto [train, test] = rows_of_fold(fold, k);
        const Dataset held_out = data.subset(test);
        const GaussianMixtures laws = Lscde::fit(data.subset(train), fixed, one).predict(held_out.x, one);
        for (Index target = 0; target < held_out.y.rows(); ++target) {
          const Vector y = held_out.y.row(target).transpose();
          const GaussianMixtures law = laws.marginal(target);
          out(test, 2 * target) = law.cdf(y, one);
          out(test, 2 * target + 1) = law.highest_density_mass(y, one).cwiseAbs2();
        }
        task.advance(1.0);
      },
      [&] { task.poll(); });
  return out;
}

Found test_inputs(const Dataset& data, const Matrix& scores, const std::vector<Index>& known, double level,
                  const Run& run) {
  const auto tests = screening::rank_tests(data, scores, known, resolve_threads(run.threads));
  const auto tested = std::count_if(tests.begin(), tests.end(), [](const auto& test) { return test.pairs > 0; });
  Found out;
  for (std::size_t d = 0; d < tests.size(); ++d) {
    const double p = std::min(1.0, tests[d].p_value() * static_cast<double>(tested));
    if (p > level) continue;
    out.inputs.push_back(static_cast<double>(d));
    out.p_values.push_back(p);
  }
  return out;
}

}  // namespace condens::salscde
