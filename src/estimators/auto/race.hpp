#pragma once
// Which models are worth fitting to many rows, by evidence: successive halving (K. Jamieson, A. Talwalkar,
// Non-stochastic best arm identification and hyperparameter optimization, AISTATS 2016) for a pool instead of one
// winner.
//
// All candidates are fitted to a few rows and scored on rows left out; those that promise something go on with four
// times as many, and so on, until all that are left can be afforded on all rows. A candidate promises something
// - where the pool of all is better with it than without, or
// - where its score, falling on as from the lap before to this one, would reach the best one's score of today.
// Costs are counted work (core/work.hpp), continued as powers of the number of rows. Subsamples are nested.
//
// Targets with few values are scored by cells around these (model/target_cells.hpp). Where a candidate knows the cells
// nearly surely, they tell no more which one is better, and densities do from then on.

#include <limits>
#include <string>
#include <vector>

#include "estimators/pool/combination.hpp"

namespace condens::race {

using Lap = Contender::Lap;

constexpr Index no_most_rows = std::numeric_limits<Index>::max();

struct Runner {
  pooling::Candidate candidate;  ///< as of the last lap
  std::vector<Lap> laps = {};
  Index most_rows = no_most_rows;              ///< that the model reads of more, its option max_rows
  std::string fate = {};                       ///< why it went no further
  Vector by_density = {};                      ///< of the last lap as `held_out`, while cells score
  std::vector<FoldScore> density_scores = {};  ///< of all laps, while cells score

  bool running() const { return candidate.failure.empty() && fate.empty(); }
};

/// Seconds of a fit to `rows` rows, from the laps so far (at least one): a power of the rows as from the last lap but
/// one to the last, at least 1/2 and at most 1.2, or 1.7 short of most_rows, where models tend to read pairs of rows; 2
/// where there is one lap. Beyond most_rows the power 3/4.
double expected_seconds(const Runner& runner, Index rows);

/// Whether a score that fell to the last lap and goes on to fall as much for every four times the rows reaches `best`
/// at `rows` rows. True where there is one lap.
bool may_reach(const std::vector<Lap>& laps, double best, Index rows);

/// The next laps: rows for each runner, 0 for none. `value` orders the runners, most valuable first. All that run go on
/// to all `rows` where half of the `left` seconds pays for that, the other half being for the members of the pool, or
/// all of them unless these are fitted `again`; else those to the next of `steps` that a third of them pays for (all of
/// them, where a third pays for none), the cheap and then the most valuable first, while the others wait; where there
/// is no further step, or nothing pays for it, each as far as it can, and `last` says that there is no further lap.
struct Plan {
  std::vector<Index> rows;
  bool last = false;
};
Plan plan_laps(const std::vector<Runner>& runners, const std::vector<std::size_t>& value,
               const std::vector<Index>& steps, Index rows, double left, bool again = true);

/// The order in which runners that have a lap enter the best pool, one after the other, each the one that lowers its
/// score most; and what the pool of all loses in nats a row without each.
struct Standing {
  std::vector<std::size_t> order;
  Vector gain;
};
Standing standing(const std::vector<Runner>& runners, const Vector& weights);

/// The sizes of laps short of all: 250, 1,000, 4,000, ...
std::vector<Index> steps_below(Index rows);

/// What the runners know of `track`, the rows of which they are given the first so many; `scoring` are the rows left
/// out, which lose their cells where these tell no more.
struct Track {
  const Dataset& rows;
  std::vector<Index> order;
  pooling::ScoringRows& scoring;
  bool again = true;  ///< whether members are fitted once more, to more rows
};

/// Fits side by side, each runner to its number of rows (0: none), and adds the lap.
void run_laps(std::vector<Runner>& runners, const std::vector<Index>& rows, const Track& track, const Run& run);

/// The whole race with at most `budget` seconds, of which it returns what was spent. Those that failed or were dropped
/// stay where they are, with their last lap.
double run_race(std::vector<Runner>& runners, const Track& track, double budget, const Run& run);

}  // namespace condens::race
