#include "trials.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>

#include "common/test_score.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/registry.hpp"
#include "selections.hpp"

namespace condens::reproduce {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr Index integrated_rows = 500;

const Run one_thread{.threads = 1, .observer = {}};

/// The law without its components of weight zero.
GaussianMixture without_zeros(const GaussianMixture& law) {
  std::vector<Index> keep;
  for (Index k = 0; k < law.n_components(); ++k)
    if (law.weights()[k] > 0) keep.push_back(k);
  return GaussianMixture::from_log_weights(law.log_weights()(keep), law.means()(Eigen::all, keep),
                                           law.scales()(Eigen::all, keep));
}

/// Integral of the product with a Gaussian: the mixture convolved with it, at its mean.
double overlap(const GaussianMixture& law, const GaussianMixture& gaussian) {
  const Vector variance = gaussian.scales().col(0).array().square();
  const Matrix scales = (law.scales().array().square().matrix().colwise() + variance).cwiseSqrt();
  return GaussianMixture::from_log_weights(law.log_weights(), law.means(), scales).pdf(Vector(gaussian.means().col(0)));
}

double integrated_error(const ConditionalDensity& model, const Problem& problem) {
  const Index n = std::min(integrated_rows, problem.test.size());
  const Matrix x = problem.test.x.leftCols(n);
  const GaussianMixtures estimates = model.predict(x, one_thread);
  const GaussianMixtures truths = problem.toy->truth(x);
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    const GaussianMixture estimate = without_zeros(estimates[i]);
    const GaussianMixture truth = truths[i];
    sum += estimate.squared_l2_norm() - 2 * overlap(estimate, truth) + truth.squared_l2_norm();
  }
  return 0.5 * sum / static_cast<double>(n);
}

/// 1 for every input that the model selected, where it says so.
std::optional<Vector> support(const Method& method, const ConditionalDensity& model) {
  const Document results = find_model(method.model).results_of(model);
  const Document* found = results.find("support");
  if (found == nullptr) return std::nullopt;
  return found->as_vector();
}

/// `key` names the method on this problem; its repetition is -1 for a small one.
TrialRecord run_trial(const Method& method, const TrialKey& key, const Problem& problem, Selections& selections) {
  TrialRecord out(number_names().size(), none);
  const auto number = [&](Number place) -> double& { return out[static_cast<std::size_t>(place)]; };
  const double begin = thread_seconds();
  std::shared_ptr<const ConditionalDensity> model;
  Vector log_density;
  try {
    const TimedFit fitted = selections.fit(method, key, problem.train, std::max<Index>(0, key.repetition));
    const double scored = thread_seconds();
    log_density = fitted.model->log_density(problem.test.x, problem.test.y, one_thread);
    number(Number::seconds) = fitted.seconds + thread_seconds() - scored;
    model = fitted.model;
  } catch (const NumericalError& error) {
    std::cerr << "reproduce_sacde: " << error.what() << '\n';
    number(Number::seconds) = thread_seconds() - begin;
  }
  if (!model) return out;

  const TestScore score = standardized_score(problem.train, log_density);
  number(Number::exact) = score.exact;
  number(Number::capped) = score.capped;
  if (problem.toy) {
    const Vector truth = problem.toy->truth(problem.test.x).log_pdf(problem.test.y, one_thread);
    number(Number::truth) = standardized_score(problem.train, truth).exact;
    number(Number::averaged) = 0.5 * (log_density.array().exp() - truth.array().exp()).square().mean();
    number(Number::integrated) = integrated_error(*model, problem);
  }
  if (const std::optional<Vector> chosen = support(method, *model)) {
    number(Number::selected) = chosen->sum();
    if (!problem.relevant.empty()) number(Number::found) = (*chosen)(problem.relevant).sum();
  }
  return out;
}

}  // namespace

const std::vector<std::string>& number_names() {
  static const std::vector<std::string> names = {"exact",    "capped",  "truth",    "integrated",
                                                 "averaged", "seconds", "selected", "found"};
  return names;
}

void run_study(const Study& study, RecordBook& book, double minutes) {
  Selections selections;
  const auto trials_of = [&](bool ours) {
    std::vector<Trial> out;
    for (const Case& from : study.cases)
      for (const Index level : from.levels)
        for (Index r = 0; r < study.repetitions(level); ++r)
          for (const Method& method : study.methods) {
            if (is_ours(method) != ours) continue;
            const TrialKey key{from.name, level, method.label, r};
            const TrialKey small{from.name, level, method.label, -1};
            out.push_back(
                {key, [&, key] { return run_trial(method, key, from.problem(key.level, key.repetition), selections); },
                 [&, small] {
                   return run_trial(method, small, small_part(from.problem(small.level, 0)), selections);
                 }});
          }
    return out;
  };
  const auto begin = std::chrono::steady_clock::now();
  run_trials(trials_of(false), book, minutes);
  const std::chrono::duration<double, std::ratio<60>> taken = std::chrono::steady_clock::now() - begin;
  run_trials(trials_of(true), book, minutes - taken.count());
}

}  // namespace condens::reproduce
