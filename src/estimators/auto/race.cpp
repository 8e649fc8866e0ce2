#include "race.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "core/work.hpp"
#include "optim/mixture_proportions.hpp"

namespace condens::race {

namespace {

constexpr Index first_rows = 250;
constexpr Index growth = 4;
constexpr double no_gain = 1e-3;  // nats a row
constexpr double sure = -0.05;    // mean log probability of a cell

/// Log densities of the rows left out under each of these runners.
Matrix log_densities(const std::vector<Runner>& runners, const std::vector<std::size_t>& chosen) {
  Matrix out(std::ssize(chosen), runners[chosen.front()].candidate.held_out.size());
  for (Index k = 0; k < out.rows(); ++k) {
    out.row(k) = runners[chosen[static_cast<std::size_t>(k)]].candidate.held_out.transpose();
  }
  return out.cwiseMax(-1e6);  // a row without a density is bad, and nothing is worse
}

double pool_likelihood(const std::vector<Runner>& runners, const std::vector<std::size_t>& chosen,
                       const Vector& weights) {
  if (chosen.empty()) return -infinity;
  return mixture_proportions(log_densities(runners, chosen), weights, 1e-5).log_likelihood;
}

std::vector<std::size_t> without(std::vector<std::size_t> all, std::size_t one) {
  all.erase(std::find(all.begin(), all.end(), one));
  return all;
}

double sum_of(const std::vector<Runner>& runners, const std::vector<std::size_t>& chosen, Index rows) {
  double out = 0;
  for (const std::size_t k : chosen) {
    out += expected_seconds(runners[k], rows);
  }
  return out;
}

/// Those first that take less than an equal share of these seconds, so that none goes without for the sake of one that
/// costs many times as much; else in the order in which they are given.
std::vector<std::size_t> cheap_first(const std::vector<Runner>& runners, std::vector<std::size_t> on, Index rows,
                                     double seconds) {
  const double share = seconds / static_cast<double>(on.size());
  std::stable_partition(on.begin(), on.end(),
                        [&](std::size_t k) { return expected_seconds(runners[k], rows) <= share; });
  return on;
}

/// Drops those that promise nothing, and says so.
void drop_hopeless(std::vector<Runner>& runners, const Standing& now, Index rows) {
  double best = infinity;
  for (const std::size_t k : now.order) best = std::min(best, runners[k].laps.back().score);
  for (const std::size_t k : now.order) {
    Runner& own = runners[k];
    if (!own.running() || own.laps.back().n_rows >= rows) continue;
    if (now.gain[static_cast<Index>(k)] > no_gain || may_reach(own.laps, best, rows)) continue;
    own.fate = message("would not reach the best at ", rows, " rows");
  }
}

/// Whether one of them knows nearly surely which cell a row falls into.
bool cells_are_known(const std::vector<Runner>& runners, const pooling::ScoringRows& scoring) {
  if (scoring.cells.empty()) return false;
  return std::any_of(runners.begin(), runners.end(), [&](const Runner& own) {
    if (own.laps.empty() || !own.candidate.failure.empty()) return false;
    const Vector log_probability = scoring.cells.log_probability(own.candidate.held_out, scoring.rows.y);
    return scoring.weights.dot(log_probability) > sure * scoring.weights.sum();
  });
}

/// All laps once more, by densities.
void score_by_density(std::vector<Runner>& runners, pooling::ScoringRows& scoring) {
  scoring.cells = {};
  for (Runner& own : runners) {
    if (own.laps.empty()) continue;
    own.candidate.held_out = own.by_density;
    for (std::size_t i = 0; i < own.laps.size(); ++i) {
      own.laps[i].score = own.density_scores[i].mean;
      own.laps[i].standard_error = own.density_scores[i].standard_error;
    }
  }
}

}  // namespace

double expected_seconds(const Runner& runner, Index rows) {
  const std::vector<Lap>& laps = runner.laps;
  const Lap& last = laps.back();
  const auto log_growth = [](Index from, Index to) {
    return std::log(static_cast<double>(to) / static_cast<double>(from));
  };
  double power = 2;
  if (laps.size() > 1) {
    const Lap& before = laps[laps.size() - 2];
    const double steepest = last.n_rows < runner.most_rows && runner.most_rows < no_most_rows ? 1.7 : 1.2;
    const double found = std::log(last.seconds / before.seconds) / log_growth(before.n_rows, last.n_rows);
    power = std::clamp(found, 0.5, steepest);
  }
  const Index full = std::clamp(runner.most_rows, last.n_rows, rows);
  return last.seconds * std::exp(power * log_growth(last.n_rows, full) + 0.75 * log_growth(full, rows));
}

bool may_reach(const std::vector<Lap>& laps, double best, Index rows) {
  if (laps.size() < 2) return true;
  const Lap& last = laps.back();
  const Lap& before = laps[laps.size() - 2];
  const auto steps = [](Index from, Index to) {
    return std::log(static_cast<double>(to) / static_cast<double>(from)) / std::log(static_cast<double>(growth));
  };
  const double fall = std::max(0.0, before.score - last.score) / steps(before.n_rows, last.n_rows);
  return last.score - fall * steps(last.n_rows, rows) <= best;
}

Standing standing(const std::vector<Runner>& runners, const Vector& weights) {
  Standing out{{}, Vector::Zero(std::ssize(runners))};
  std::vector<std::size_t> left;
  for (std::size_t k = 0; k < runners.size(); ++k) {
    if (!runners[k].laps.empty() && runners[k].candidate.failure.empty()) left.push_back(k);
  }
  const double whole = pool_likelihood(runners, left, weights);
  for (const std::size_t k : left) {
    out.gain[static_cast<Index>(k)] = whole - pool_likelihood(runners, without(left, k), weights);
  }
  while (!left.empty()) {
    std::size_t best = left.front();
    double value = -infinity;
    for (const std::size_t k : left) {
      std::vector<std::size_t> with = out.order;
      with.push_back(k);
      const double own = pool_likelihood(runners, with, weights);
      if (own > value) {
        best = k;
        value = own;
      }
    }
    out.order.push_back(best);
    left = without(left, best);
  }
  return out;
}

std::vector<Index> steps_below(Index rows) {
  std::vector<Index> out;
  for (Index size = first_rows; size <= 2 * rows / 3; size *= growth) out.push_back(size);
  return out;
}

Plan plan_laps(const std::vector<Runner>& runners, const std::vector<std::size_t>& value,
               const std::vector<Index>& steps, Index rows, double left, bool again) {
  Plan out{std::vector<Index>(runners.size(), 0)};
  std::vector<std::size_t> on;
  Index reached = 0;
  for (const std::size_t k : value) {
    if (!runners[k].running() || runners[k].laps.back().n_rows >= rows) continue;
    on.push_back(k);
    reached = std::max(reached, runners[k].laps.back().n_rows);
  }
  if (on.empty() || sum_of(runners, on, rows) <= (again ? left / 2 : left)) {
    for (const std::size_t k : on) out.rows[k] = rows;
    out.last = true;
    return out;
  }
  const auto next = std::upper_bound(steps.begin(), steps.end(), reached);
  for (const double for_next : {left / 3, left}) {
    if (next == steps.end()) break;
    double rest = for_next;
    for (const std::size_t k : cheap_first(runners, on, *next, for_next)) {
      const double cost = expected_seconds(runners[k], *next);
      if (cost > rest) continue;
      out.rows[k] = *next;
      rest -= cost;
    }
    if (rest < for_next) return out;
  }
  out.last = true;
  std::vector<Index> sizes = steps;
  sizes.push_back(rows);
  for (const std::size_t k : cheap_first(runners, on, rows, left)) {
    for (auto size = sizes.rbegin(); size != sizes.rend() && *size > runners[k].laps.back().n_rows; ++size) {
      const double cost = expected_seconds(runners[k], *size);
      if (cost > left) continue;
      out.rows[k] = *size;
      left -= cost;
      break;
    }
  }
  return out;
}

void run_laps(std::vector<Runner>& runners, const std::vector<Index>& rows, const Track& track, const Run& run) {
  std::vector<std::size_t> on;
  for (std::size_t k = 0; k < runners.size(); ++k) {
    if (rows[k] > 0) on.push_back(k);
  }
  // The longest first, so that no core waits for it in the end.
  std::stable_sort(on.begin(), on.end(), [&](std::size_t a, std::size_t b) {
    const auto last = [&](std::size_t k) { return runners[k].laps.empty() ? 0.0 : runners[k].laps.back().seconds; };
    return last(a) > last(b);
  });
  const auto runner = [&](Index i) -> Runner& { return runners[on[static_cast<std::size_t>(i)]]; };
  std::vector<pooling::Candidate> before;
  for (const std::size_t k : on) before.push_back(runners[k].candidate);
  pooling::fit_members(
      std::ssize(on), run, [&](Index i) -> pooling::Candidate& { return runner(i).candidate; },
      [&](Index i, const Run& own) {
        const Index count = rows[on[static_cast<std::size_t>(i)]];
        std::vector<Index> some(track.order.begin(), track.order.begin() + count);
        std::sort(some.begin(), some.end());
        const Dataset train = track.rows.subset(some);
        const WorkMeter meter;
        pooling::Candidate& candidate = runner(i).candidate;
        candidate.model = candidate.inner.fit(train, candidate.options, own);
        const auto held_out = [&](const TargetCells& cells) {
          return pooling::held_out_density(*candidate.model, track.scoring.rows, cells, own);
        };
        candidate.held_out = held_out(track.scoring.cells);
        if (!track.scoring.cells.empty()) {
          runner(i).by_density = held_out({});
          runner(i).density_scores.push_back(track.scoring.score(runner(i).by_density));
        }
        const FoldScore score = track.scoring.score(candidate.held_out);
        const Document options = candidate.model->options();
        if (const Document* most = options.find("max_rows")) runner(i).most_rows = most->as_integer();
        runner(i).laps.push_back({count, std::max(1e-6, meter.seconds()), score.mean, score.standard_error});
      });
  for (std::size_t i = 0; i < on.size(); ++i) {
    Runner& own = runners[on[i]];
    if (own.candidate.failure.empty() || own.laps.empty()) continue;
    // A fit to more rows failed: there is still the one to fewer.
    own.fate = message("failed at ", rows[on[i]], " rows: ", own.candidate.failure);
    own.candidate = before[i];
  }
}

double run_race(std::vector<Runner>& runners, const Track& track, double budget, const Run& run) {
  const Index rows = std::ssize(track.order);
  const std::vector<Index> steps = steps_below(rows);
  std::vector<Index> laps(runners.size(), steps.empty() ? rows : steps.front());
  double spent = 0;
  for (bool last = steps.empty();;) {
    run_laps(runners, laps, track, run);
    for (std::size_t k = 0; k < runners.size(); ++k) {
      if (laps[k] > 0 && !runners[k].laps.empty()) spent += runners[k].laps.back().seconds;
    }
    if (cells_are_known(runners, track.scoring)) score_by_density(runners, track.scoring);
    if (last) return spent;
    const Standing now = standing(runners, track.scoring.weights);
    drop_hopeless(runners, now, rows);
    const Plan plan = plan_laps(runners, now.order, steps, rows, budget - spent, track.again);
    for (std::size_t k = 0; k < runners.size(); ++k) {
      Runner& own = runners[k];
      if (plan.last && own.running() && plan.rows[k] < rows && own.laps.back().n_rows < rows) {
        own.fate =
            message("the budget is spent; ", rows, " rows would take ", std::ceil(expected_seconds(own, rows)), " s");
      }
    }
    laps = plan.rows;
    last = plan.last;
    if (std::all_of(laps.begin(), laps.end(), [](Index own) { return own == 0; })) return spent;
  }
}

}  // namespace condens::race
