#include "per_row_scores.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"

namespace condens {

namespace {

constexpr Index rows_per_block = 256;  // the laws of a block are in memory together, and what they share is made once

PerRowScores allocate(const Dataset& test, const ScoreOptions& options, bool squared_loss) {
  const Index n = test.size();
  const Index levels = static_cast<Index>(options.levels.size());
  PerRowScores rows{
      Vector(n), Vector(squared_loss ? n : 0), Vector(options.energy_score && test.y.rows() > 1 ? n : 0), {}};
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

Vector pit_of(const GaussianMixtures& laws, const VectorView& y, Index, const Run& run) { return laws.cdf(y, run); }

/// Where a value has a probability, an even draw between P(Y < y) and P(Y <= y) (Czado, Gneiting and Held 2009).
Vector pit_of(const TargetDistributions& laws, const VectorView& y, Index first_row, const Run& run) {
  Vector out = laws.cdf_below(y, run);
  const Vector above = laws.cdf(y, run);
  for (Index i = 0; i < out.size(); ++i) {
    RandomStream random(0, static_cast<std::uint64_t>(first_row + i));
    if (above[i] > out[i]) out[i] += (above[i] - out[i]) * random.uniform();
  }
  return out;
}

template <class Laws>
void fill_target(const Laws& laws, const VectorView& y, Range range, Index first_row, const ScoreOptions& options,
                 const Run& run, PerRowScores::OfTarget& out) {
  out.crps.segment(range.begin, range.size()) = laws.crps(y, run);
  out.pit.segment(range.begin, range.size()) = pit_of(laws, y, first_row + range.begin, run);
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

void fill_block(const GaussianMixtures& laws, const Dataset& test, Range range, Index, const ScoreOptions& options,
                const Run& here, PerRowScores& rows) {
  const Matrix y = test.y.middleCols(range.begin, range.size());
  rows.nll.segment(range.begin, range.size()) = -laws.log_pdf(y, here);
  rows.squared_loss.segment(range.begin, range.size()) = laws.squared_loss(y, here);
  if (rows.energy_score.size() > 0) rows.energy_score.segment(range.begin, range.size()) = laws.energy_score(y, here);
  for (Index j = 0; j < y.rows(); ++j) {
    const Vector target = y.row(j);
    PerRowScores::OfTarget& out = rows.targets[static_cast<std::size_t>(j)];
    if (y.rows() == 1)
      fill_target(laws, target, range, 0, options, here, out);
    else
      fill_target(laws.marginal(j), target, range, 0, options, here, out);
  }
}

void fill_block(const TargetDistributions& laws, const Dataset& test, Range range, Index first_row,
                const ScoreOptions& options, const Run& here, PerRowScores& rows) {
  const Matrix y = test.y.middleCols(range.begin, range.size());
  rows.nll.segment(range.begin, range.size()) = -laws.log_pdf(y, here);
  fill_target(laws, y.row(0).transpose(), range, first_row, options, here, rows.targets.front());
}

}  // namespace

void check_scored(const ConditionalDensity& model, const Dataset& data, const ScoreOptions& options) {
  validate_options(options, "score");
  check_rows(model, data, "score");
  require(data.x.rows() == model.n_inputs() && data.y.rows() == model.n_targets(), "score: the data have ",
          data.x.rows(), " inputs and ", data.y.rows(), " targets, expected ", model.n_inputs(), " and ",
          model.n_targets(), " as in the fit");
}

PerRowScores per_row_scores(const ConditionalDensity& model, const std::optional<TargetDecoder>& target,
                            const Dataset& test, Index first_row, const ScoreOptions& options, const Run& run) {
  PerRowScores rows = allocate(test, options, !target);
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
          fill_block(target->predict(model, x, here), test, range, first_row, options, here, rows);
        else
          fill_block(model.predict(x, here), test, range, first_row, options, here, rows);
        task.advance(static_cast<double>(range.size()));
      },
      [&] { task.poll(); });
  return rows;
}

}  // namespace condens
