#include "condens/comparison/leaderboard.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace condens {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

Score mean_of(const std::vector<double>& values) {
  if (values.empty()) return {nothing, nothing};
  return mean_score(Eigen::Map<const Vector>(values.data(), std::ssize(values)));
}

Standing standing_of(const std::string& label, const std::vector<Trial>& trials) {
  Standing out{.label = label,
               .trials = trials,
               .means = {},
               .failed = 0,
               .failure = {},
               .behind = {nothing, nothing},
               .p_value = nothing,
               .best = false};
  for (const Trial& trial : trials) {
    if (trial.failure.empty()) continue;
    ++out.failed;
    if (out.failure.empty()) out.failure = trial.failure;
  }
  for (std::size_t m = 0; m < trial_measures.size(); ++m) {
    std::vector<double> values;
    for (const Trial& trial : trials) {
      if (trial.failure.empty()) values.push_back(trial.*trial_measures[m].value);
    }
    out.means[m] = mean_of(values);
  }
  return out;
}

bool comes_before(const Standing& a, const Standing& b) {
  if (a.failed != b.failed) return a.failed < b.failed;
  const double left = a.means.front().value;
  const double right = b.means.front().value;
  return std::isnan(right) ? !std::isnan(left) : left < right;
}

void compare_with(const Standing& best, Standing& other) {
  std::vector<double> differences;
  for (std::size_t r = 0; r < best.trials.size(); ++r) {
    if (!best.trials[r].failure.empty() || !other.trials[r].failure.empty()) continue;
    differences.push_back(other.trials[r].nll - best.trials[r].nll);
  }
  other.behind = mean_of(differences);
  other.p_value = paired_t_test(Eigen::Map<const Vector>(differences.data(), std::ssize(differences)));
  other.best = other.failed <= best.failed && other.p_value >= significance_level;
}

}  // namespace

double paired_t_test(const VectorView& differences) {
  const Index n = differences.size();
  if (n < 2 || !differences.allFinite()) return nothing;
  const Score mean = mean_score(differences);
  if (mean.standard_error == 0.0) return mean.value == 0.0 ? 1.0 : 0.0;
  const boost::math::students_t law(static_cast<double>(n - 1));
  return 2.0 * boost::math::cdf(boost::math::complement(law, std::abs(mean.value) / mean.standard_error));
}

std::vector<Standing> leaderboard(const Comparison& comparison) {
  std::vector<Standing> out;
  for (std::size_t k = 0; k < comparison.labels.size(); ++k) {
    out.push_back(standing_of(comparison.labels[k], comparison.trials[k]));
  }
  std::stable_sort(out.begin(), out.end(), comes_before);
  for (std::size_t k = 1; k < out.size(); ++k) compare_with(out.front(), out[k]);
  if (!out.empty()) {
    out.front().behind = {0.0, 0.0};
    out.front().best = true;
  }
  return out;
}

Document to_document(const Standing& standing) {
  Document out;
  out.set("model", standing.label);
  for (std::size_t m = 0; m < trial_measures.size(); ++m) {
    std::vector<double> values;
    for (const Trial& trial : standing.trials) values.push_back(trial.*trial_measures[m].value);
    const Score& mean = standing.means[m];
    out.set(
        trial_measures[m].name,
        Document::Object{{"mean", mean.value}, {"standard_error", mean.standard_error}, {"values", Document(values)}});
  }
  out.set("failed", std::int64_t{standing.failed}).set("failure", standing.failure);
  out.set("nll_behind",
          Document::Object{{"mean", standing.behind.value}, {"standard_error", standing.behind.standard_error}});
  return out.set("nll_p", standing.p_value).set("best", standing.best);
}

}  // namespace condens
