#include "condens/metrics/scores.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "condens/core/errors.hpp"
#include "per_row_scores.hpp"

namespace condens {

namespace {

TargetScores summarise(PerRowScores::OfTarget&& rows, const ScoreOptions& options, const Vector& weights) {
  TargetScores out{.crps = mean_score(rows.crps, weights),
                   .pit = std::move(rows.pit),
                   .kolmogorov_smirnov = {},
                   .cramer_von_mises = {},
                   .coverage = {}};
  out.pit_mean = mean_score(out.pit, weights);
  out.pit_std = std::sqrt(mean_score((out.pit.array() - out.pit_mean.value).square().matrix(), weights).value);
  out.kolmogorov_smirnov = kolmogorov_smirnov_test(out.pit, weights);
  out.cramer_von_mises = cramer_von_mises_test(out.pit, weights);
  for (std::size_t k = 0; k < options.levels.size(); ++k) {
    const Index row = static_cast<Index>(k);
    const double level = options.levels[k];
    Coverage coverage{level,
                      mean_score(rows.inside.row(row).transpose(), weights),
                      mean_score(rows.width.row(row).transpose(), weights),
                      {}};
    if (options.highest_density) {
      coverage.highest_density = mean_score((rows.region.array() <= level).cast<double>().matrix(), weights);
    }
    out.coverage.push_back(coverage);
  }
  return out;
}

Document to_document(const Score& score) {
  Document out;
  out.set("value", score.value);
  out.set("standard_error", score.standard_error);
  return out;
}

Document to_document(const TestResult& test) {
  Document out;
  out.set("statistic", test.statistic);
  out.set("p_value", test.p_value);
  return out;
}

Document to_document(const TargetScores& target) {
  Document out;
  out.set("crps", to_document(target.crps));
  out.set("kolmogorov_smirnov", to_document(target.kolmogorov_smirnov));
  out.set("cramer_von_mises", to_document(target.cramer_von_mises));
  Document::Array coverage;
  for (const Coverage& c : target.coverage) {
    Document entry;
    entry.set("level", c.level);
    entry.set("central", to_document(c.central));
    entry.set("width", to_document(c.width));
    if (c.highest_density) entry.set("highest_density", to_document(*c.highest_density));
    coverage.push_back(std::move(entry));
  }
  out.set("coverage", std::move(coverage));
  return out;
}

}  // namespace

Score mean_score(const VectorView& values, const VectorView& weights) {
  const Index n = values.size();
  require(n > 0 && (weights.size() == 0 || weights.size() == n), "mean_score: ", n, " values and ", weights.size(),
          " weights, expected at least one value, and no weights or one for each");
  const double size = effective_size(n, weights);
  const Vector counted = counted_weights(weights);  // of any size: their sum is a number
  const auto weighted_mean = [&](const auto& value) {
    double sum = 0.0;
    double total = 0.0;
    for (Index i = 0; i < n; ++i) {
      const double weight = counted.size() == 0 ? 1.0 : counted[i];
      sum += weight * value(values[i]);
      total += weight;
    }
    return sum / total;
  };
  const double mean = weighted_mean([](double value) { return value; });
  const double variance = weighted_mean([mean](double value) { return (value - mean) * (value - mean); });
  const double error = size > 1.0 ? std::sqrt(variance / (size - 1.0)) : std::numeric_limits<double>::quiet_NaN();
  return {mean, error};
}

Scores score(const ConditionalDensity& model, const std::optional<TargetDecoder>& target, const Dataset& data,
             const ScoreOptions& options, const Run& run) {
  check_scored(model, data, options);
  Dataset storage;
  const Dataset& test = rows_that_count(data, storage);
  PerRowScores rows = per_row_scores(model, target, test, 0, options, run);
  const Vector& weights = test.weights;
  Scores out{test.size(), effective_size(test.size(), weights), weights, mean_score(rows.nll, weights), {}, {}, {}};
  if (!target) out.squared_loss = mean_score(rows.squared_loss, weights);
  for (PerRowScores::OfTarget& own : rows.targets) out.targets.push_back(summarise(std::move(own), options, weights));
  if (rows.energy_score.size() > 0)
    out.energy_score = mean_score(rows.energy_score, weights);
  else if (options.energy_score && out.targets.size() == 1)
    out.energy_score = out.targets.front().crps;
  return out;
}

Scores score(const ConditionalDensity& model, const Dataset& data, const ScoreOptions& options, const Run& run) {
  return score(model, std::nullopt, data, options, run);
}

Document to_document(const Scores& scores) {
  Document out;
  out.set("rows", std::int64_t{scores.rows});
  out.set("effective_size", scores.effective_size);
  out.set("nll", to_document(scores.nll));
  if (scores.squared_loss) out.set("squared_loss", to_document(*scores.squared_loss));
  if (scores.energy_score) out.set("energy_score", to_document(*scores.energy_score));
  Document::Array targets;
  for (const TargetScores& target : scores.targets) targets.push_back(to_document(target));
  out.set("targets", std::move(targets));
  return out;
}

}  // namespace condens
