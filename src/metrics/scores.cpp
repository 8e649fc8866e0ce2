#include "condens/metrics/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"

namespace condens {

namespace {

constexpr Index rows_per_block = 256;  // the laws of a block are in memory together, and what they share is made once

/// One number per row: what the scores are means of.
struct TargetRows {
  Vector crps;
  Vector pit;
  Matrix width;   // levels x rows
  Matrix inside;  // the same: 1 where y lies in the central interval
  Vector region;  // mass of the highest-density region that reaches y; empty when not asked for
};

struct Rows {
  Vector nll;
  Vector squared_loss;  // empty where there is none
  Vector energy_score;  // empty when not asked for, or for one target
  std::vector<TargetRows> targets;
};

Rows allocate(const Dataset& test, const ScoreOptions& options, bool squared_loss) {
  const Index n = test.size();
  const Index levels = static_cast<Index>(options.levels.size());
  Rows rows{Vector(n), Vector(squared_loss ? n : 0), Vector(options.energy_score && test.y.rows() > 1 ? n : 0), {}};
  for (Index j = 0; j < test.y.rows(); ++j) {
    rows.targets.push_back(
        {Vector(n), Vector(n), Matrix(levels, n), Matrix(levels, n), Vector(options.highest_density ? n : 0)});
  }
  return rows;
}

/// The ends of the central intervals: 2 levels x laws, the lower ones first.
template <class Laws>
Matrix interval_ends(const Laws& laws, const std::vector<double>& levels, const Run& run) {
  const Index count = std::ssize(levels);
  Vector ends(2 * count);
  for (Index k = 0; k < count; ++k) {
    ends[k] = 0.5 - 0.5 * levels[static_cast<std::size_t>(k)];
    ends[count + k] = 1.0 - ends[k];
  }
  return laws.quantile(ends, run);
}

Vector pit_of(const GaussianMixtures& laws, const VectorView& y, Range, const Run& run) { return laws.cdf(y, run); }

/// Where a value has a probability, an even draw between P(Y < y) and P(Y <= y) (Czado, Gneiting and Held 2009).
Vector pit_of(const TargetDistributions& laws, const VectorView& y, Range range, const Run& run) {
  Vector out = laws.cdf_below(y, run);
  const Vector above = laws.cdf(y, run);
  for (Index i = 0; i < out.size(); ++i) {
    RandomStream random(0, static_cast<std::uint64_t>(range.begin + i));
    if (above[i] > out[i]) out[i] += (above[i] - out[i]) * random.uniform();
  }
  return out;
}

template <class Laws>
void fill_target(const Laws& laws, const VectorView& y, Range range, const ScoreOptions& options, const Run& run,
                 TargetRows& out) {
  out.crps.segment(range.begin, range.size()) = laws.crps(y, run);
  out.pit.segment(range.begin, range.size()) = pit_of(laws, y, range, run);
  if (options.highest_density) out.region.segment(range.begin, range.size()) = laws.highest_density_mass(y, run);
  const Matrix ends = interval_ends(laws, options.levels, run);
  const Index count = std::ssize(options.levels);
  const Matrix widths = ends.bottomRows(count) - ends.topRows(count);
  out.width.middleCols(range.begin, range.size()) = widths.replicate(1, range.size() / widths.cols());
  for (Index i = 0; i < range.size(); ++i) {
    const Index law = ends.cols() == 1 ? 0 : i;
    for (Index k = 0; k < count; ++k) {
      const Index row = range.begin + i;
      // Of a density, y lies in the central interval exactly when its PIT lies within level / 2 of 1/2.
      const bool inside = std::is_same_v<Laws, GaussianMixtures>
                              ? std::abs(out.pit[row] - 0.5) <= options.levels[static_cast<std::size_t>(k)] / 2.0
                              : y[i] >= ends(k, law) && y[i] <= ends(count + k, law);
      out.inside(k, row) = inside ? 1.0 : 0.0;
    }
  }
}

void fill_block(const GaussianMixtures& laws, const Dataset& test, Range range, const ScoreOptions& options,
                const Run& here, Rows& rows) {
  const Matrix y = test.y.middleCols(range.begin, range.size());
  rows.nll.segment(range.begin, range.size()) = -laws.log_pdf(y, here);
  rows.squared_loss.segment(range.begin, range.size()) = laws.squared_loss(y, here);
  if (rows.energy_score.size() > 0) rows.energy_score.segment(range.begin, range.size()) = laws.energy_score(y, here);
  for (Index j = 0; j < y.rows(); ++j) {
    const Vector target = y.row(j);
    TargetRows& out = rows.targets[static_cast<std::size_t>(j)];
    if (y.rows() == 1)
      fill_target(laws, target, range, options, here, out);
    else
      fill_target(laws.marginal(j), target, range, options, here, out);
  }
}

void fill_block(const TargetDistributions& laws, const Dataset& test, Range range, const ScoreOptions& options,
                const Run& here, Rows& rows) {
  const Matrix y = test.y.middleCols(range.begin, range.size());
  rows.nll.segment(range.begin, range.size()) = -laws.log_pdf(y, here);
  fill_target(laws, y.row(0).transpose(), range, options, here, rows.targets.front());
}

TargetScores summarise(TargetRows&& rows, const ScoreOptions& options, const Vector& weights) {
  TargetScores out{mean_score(rows.crps, weights), std::move(rows.pit), {}, {}, {}};
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
  validate_options(options, "score");
  check_rows(model, data, "score");
  require(data.x.rows() == model.n_inputs() && data.y.rows() == model.n_targets(), "score: the data have ",
          data.x.rows(), " inputs and ", data.y.rows(), " targets, expected ", model.n_inputs(), " and ",
          model.n_targets(), " as in the fit");
  Dataset storage;
  const Dataset& test = rows_that_count(data, storage);

  Rows rows = allocate(test, options, !target);
  Task task(run, "score", static_cast<double>(test.size()));
  // What all rows of one law share is found once.
  const Index rows_together = model.n_inputs() == 0 ? test.size() : rows_per_block;
  parallel_for(
      block_count(test.size(), rows_together), task.threads(),
      [&](Index block) {
        const Run here{.threads = 1, .observer = {}};
        const Range range = block_range(test.size(), rows_together, block);
        // Without inputs there is one law, of which y are so many points.
        const auto x = test.x.middleCols(range.begin, model.n_inputs() == 0 ? 1 : range.size());
        if (target)
          fill_block(target->predict(model, x, here), test, range, options, here, rows);
        else
          fill_block(model.predict(x, here), test, range, options, here, rows);
        task.advance(static_cast<double>(range.size()));
      },
      [&] { task.poll(); });

  const Vector& weights = test.weights;
  Scores out{test.size(), effective_size(test.size(), weights), weights, mean_score(rows.nll, weights), {}, {}, {}};
  if (!target) out.squared_loss = mean_score(rows.squared_loss, weights);
  for (TargetRows& own : rows.targets) out.targets.push_back(summarise(std::move(own), options, weights));
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
