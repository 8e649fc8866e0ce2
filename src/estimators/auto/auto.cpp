#include "condens/estimators/auto.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "core/work.hpp"
#include "estimators/pool/pooled_fit.hpp"
#include "model/table_passes.hpp"
#include "race.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = AutoDensity::class_name;
constexpr Index most_rows_of_folds = 2000;  // more rows race
constexpr Index folds_of_scoring = 5;       // of rows left out, to score the pool
constexpr double nearly_all = 0.98;         // of the rows: members that know so many are not fitted again

using pooling::Candidate;
using pooling::Pooled;
using race::Runner;

// --- up to 2,000 rows: folds -------------------------------------------------------------------

/// Fits the candidates to all rows, one after the other, as long as their fits without each fold may be afforded, too;
/// with time for many, all of them side by side. The first is always among those that are returned.
std::vector<Candidate> affordable(std::vector<Candidate> candidates, const pooling::PoolData& data, double budget,
                                  const Run& run, std::string& left_out) {
  constexpr double time_for_many = 5;
  const Index folds = *std::max_element(data.fold.begin(), data.fold.end()) + 1;
  const Index together = budget >= time_for_many ? std::ssize(candidates) : 1;
  std::vector<double> seconds(candidates.size(), 0.0);
  std::vector<Candidate> out;
  double spent = 0;
  for (Index begin = 0; begin < std::ssize(candidates); begin += together) {
    const auto place = [&](Index i) { return static_cast<std::size_t>(begin + i); };
    if (spent < budget) {
      pooling::fit_members(
          together, run, [&](Index i) -> Candidate& { return candidates[place(i)]; },
          [&](Index i, const Run& own) {
            const WorkMeter meter;
            Candidate& candidate = candidates[place(i)];
            candidate.model = candidate.inner.fit(data.rows, candidate.options, own);
            seconds[place(i)] = meter.seconds() * static_cast<double>(folds + 1);
          });
    }
    for (Index i = 0; i < together; ++i) {
      Candidate& candidate = candidates[place(i)];
      const bool tried = candidate.model != nullptr || !candidate.failure.empty();
      const bool first = std::none_of(out.begin(), out.end(), [](const Candidate& c) { return c.failure.empty(); });
      if (tried && (first || !candidate.failure.empty() || spent + seconds[place(i)] <= budget)) {
        spent += seconds[place(i)];
        out.push_back(std::move(candidate));
        continue;
      }
      left_out += (left_out.empty() ? "" : ", ") + candidate.name;
      if (tried) left_out += message(" (", std::ceil(seconds[place(i)]), " s)");
    }
  }
  return out;
}

Pooled pool_few_rows(std::vector<Candidate> candidates, const pooling::Settings& settings, pooling::PoolData& data,
                     double budget, const Run& run) {
  std::string left_out;
  candidates = affordable(std::move(candidates), data, budget, run, left_out);
  if (!left_out.empty()) {
    data.out.report.warnings.push_back(
        message("the budget of ", budget, " s is spent without ", left_out, "; a larger budget takes them in"));
  }
  candidates = pooling::fitted(std::move(candidates), owner, data.out.report);
  return pooling::pool_by_folds(std::move(candidates), settings, data, run);
}

// --- more rows: a race -------------------------------------------------------------------------

/// Rows left out for scores, about a fifth, and the others in a random order. Folds that are given stay whole.
struct Cut {
  std::vector<Index> scoring;  // rising
  std::vector<Index> racing;
};

Cut cut_rows(const pooling::Settings& settings, const pooling::PoolData& data) {
  const Index n = data.rows.size();
  const auto seed = static_cast<std::uint64_t>(settings.seed);
  const Index wanted = std::clamp<Index>(n / 5, 500, 5000);
  std::vector<Index> fold = data.fold;
  if (settings.cv.size() == 1) {  // groups of copies, of which some make the rows left out
    fold = pooling::folds_of_copies(data.rows, std::min<Index>(n / 2, 1000), settings.seed);
  }
  const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
  std::vector<Index> size(static_cast<std::size_t>(folds), 0);
  for (const Index k : fold) ++size[static_cast<std::size_t>(k)];
  std::vector<bool> out(static_cast<std::size_t>(folds), false);
  Index count = 0;
  const std::vector<Index> order = RandomStream(seed, 18).permutation(folds);
  for (Index k = 0; k + 1 < folds && count < wanted; ++k) {
    out[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = true;
    count += size[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])];
  }
  Cut cut;
  for (const Index i : RandomStream(seed, 19).permutation(n)) {
    const auto own = static_cast<std::size_t>(fold[static_cast<std::size_t>(i)]);
    (out[own] ? cut.scoring : cut.racing).push_back(i);
  }
  std::sort(cut.scoring.begin(), cut.scoring.end());
  return cut;
}

/// What the pool needs to know of the candidates beside their scores.
void add_averages(std::vector<Candidate>& candidates, const Dataset& rows, const pooling::ScoringRows& scoring,
                  const Run& run) {
  pooling::fit_members(
      std::ssize(candidates), run, [&](Index i) -> Candidate& { return candidates[static_cast<std::size_t>(i)]; },
      [&](Index i, const Run& own) {
        Candidate& candidate = candidates[static_cast<std::size_t>(i)];
        candidate.held_out_average = pooling::held_out_average(*candidate.model, rows, scoring.rows, scoring.told,
                                                               candidate.held_out, scoring.cells, own);
      });
}

/// All rows, of which some race.
struct AllRows {
  Index count;
  std::function<std::unique_ptr<ConditionalDensity>(const Candidate&, const Run&)> fit;
  RowSums* table = nullptr;  ///< where they are elsewhere

  /// Whether a candidate can be fitted to them.
  bool suit(const Candidate& candidate) const {
    return table == nullptr || static_cast<bool>(candidate.inner.fit_by_sums);
  }
};

AllRows rows_in_memory(const Dataset& rows) {
  return {rows.size(), [&](const Candidate& own, const Run& run) { return own.inner.fit(rows, own.options, run); }};
}

AllRows rows_of_table(RowSums& table, Index count) {
  const auto fit = [&](const Candidate& own, const Run& run) { return own.inner.fit_by_sums(table, own.options, run); };
  return {count, fit, &table};
}

/// The members once more, now to all rows, where they have raced to the end: those of the largest weights, as many as
/// can be afforded. Those of a table that are left as they are, with the number of their rows.
std::string fit_to_all(std::vector<Candidate>& candidates, const std::vector<const Runner*>& runners,
                       const Vector& weights, const AllRows& all, Index racing, double left, const Run& run) {
  std::vector<std::size_t> members;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (weights[static_cast<Index>(k)] > 0) members.push_back(k);
  }
  std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
    return weights[static_cast<Index>(a)] > weights[static_cast<Index>(b)];
  });
  std::vector<Candidate> again;
  std::vector<std::size_t> place;
  std::string fewer;
  const auto still = [&](std::size_t k, const std::string& why) {
    fewer += message(fewer.empty() ? "" : ", ", candidates[k].name, " (", runners[k]->laps.back().n_rows, why, ")");
  };
  for (const std::size_t k : members) {
    const double seconds = race::expected_seconds(*runners[k], all.count);
    const bool can = all.suit(candidates[k]);
    if (!can || runners[k]->laps.back().n_rows < racing || seconds > left) {
      still(k, can ? message("; all would take ", std::ceil(seconds), " s") : "");
      continue;
    }
    left -= seconds;
    again.push_back(candidates[k]);
    place.push_back(k);
  }
  const auto candidate = [&](Index i) -> Candidate& { return again[static_cast<std::size_t>(i)]; };
  pooling::fit_members(
      std::ssize(again), run, candidate,
      [&](Index i, const Run& own) { candidate(i).model = all.fit(candidate(i), own); },
      all.table != nullptr ? 1 : all_at_once);
  for (std::size_t i = 0; i < again.size(); ++i) {
    if (again[i].failure.empty())
      candidates[place[i]] = std::move(again[i]);
    else
      still(place[i], "; " + again[i].failure);
  }
  return fewer;
}

/// Without the weights that are next to nothing: each of them costs a model in every prediction.
void drop_least(pooling::Combination& found) {
  constexpr double next_to_nothing = 0.005;
  Vector kept = (found.weights.array() < next_to_nothing).select(0.0, found.weights);
  found.weights = kept / kept.sum();
}

/// What the budget did not allow.
void warn_of_budget(const std::vector<Runner>& runners, double budget, FitReport& report) {
  std::string text;
  for (const Runner& own : runners) {
    if (!own.fate.starts_with("the budget")) continue;
    text += message(text.empty() ? "" : ", ", own.candidate.name, " (", own.laps.back().n_rows, ")");
  }
  if (text.empty()) return;
  report.warnings.push_back(message("the budget of ", budget,
                                    " s is spent: fitted to fewer rows (their number in "
                                    "brackets): ",
                                    text, "; a larger budget allows more"));
}

/// `data` hold the rows that race and score.
Pooled pool_by_race(std::vector<Candidate> candidates, const pooling::Settings& settings, pooling::PoolData& data,
                    const AllRows& every, double budget, const Run& run) {
  const Cut cut = cut_rows(settings, data);
  const Dataset left_out = data.rows.subset(cut.scoring);
  std::vector<Index> fold = assign_folds(left_out.size(), folds_of_scoring, static_cast<std::uint64_t>(settings.seed));
  pooling::ScoringRows scoring = pooling::scoring_rows(owner, left_out, data.rows, std::move(fold), settings.seed);
  std::vector<Runner> runners;
  for (Candidate& own : candidates) runners.push_back({.candidate = std::move(own)});
  const bool again = every.table != nullptr ||
                     static_cast<double>(std::ssize(cut.racing)) < nearly_all * static_cast<double>(every.count);
  const double spent = race::run_race(runners, {data.rows, cut.racing, scoring, again}, budget, run);

  Pooled& out = data.out;
  std::vector<Candidate> all;
  std::vector<Contender> contenders;
  std::vector<const Runner*> fitted_runners;
  for (const Runner& own : runners) {
    all.push_back(own.candidate);
    contenders.push_back({own.candidate.name, own.laps, own.fate.empty() ? own.candidate.failure : own.fate});
    if (own.candidate.failure.empty()) fitted_runners.push_back(&own);
  }
  all = pooling::fitted(std::move(all), owner, out.report);
  add_averages(all, data.rows, scoring, run);
  out.parts.defensive = Defensive::fit(settings.defensive_weight, data.rows);
  pooling::Combination found = pooling::combine(all, scoring, out.parts.defensive, settings.shrinkage);
  drop_least(found);
  std::string fewer;
  if (again) fewer = fit_to_all(all, fitted_runners, found.weights, every, std::ssize(cut.racing), budget - spent, run);
  warn_of_budget(runners, budget, out.report);
  if (every.table != nullptr && !fewer.empty()) {
    out.report.warnings.push_back(
        message("of the table's ", every.count, " rows these members know fewer (their number in brackets): ", fewer));
  }
  pooling::assemble(all, found, scoring, out);
  out.report.set_race(contenders);
  return std::move(out);
}

}  // namespace

double default_budget(Index rows) {
  const double thousands = static_cast<double>(rows) / 1000;
  constexpr double many = 40;
  return 60 + 5 * std::min(thousands, many) + 0.6 * std::max(0.0, thousands - many);
}

const std::vector<std::string>& auto_models(bool with_inputs) {
  static const std::vector<std::string> given_inputs = {"forest", "boost", "mdn", "location_scale",
                                                        "gp",     "lscde", "nw"};
  static const std::vector<std::string> alone = {"parzen", "gmm", "lscde"};
  return with_inputs ? given_inputs : alone;
}

namespace {

/// Of options that are in their bounds, which outlive them.
pooling::Settings settings_of(const AutoOptions& options, bool with_inputs) {
  static const Document none(Document::Object{});
  return {.owner = owner,
          .models = auto_models(with_inputs),
          .options = none,
          .shrinkage = options.shrinkage,
          .defensive_weight = options.defensive_weight,
          .cv = options.cv,
          .seed = options.seed};
}

}  // namespace

AutoDensity AutoDensity::fit(const Dataset& data, const AutoOptions& options, const MemberFinder& find,
                             const Run& run) {
  validate_options(options, owner);
  const pooling::Settings settings = settings_of(options, data.x.rows() > 0);
  std::vector<Candidate> candidates = pooling::candidates_of(settings, find);
  pooling::PoolData own(settings, data);
  const double budget = options.budget > 0 ? options.budget : default_budget(own.rows.size());
  Pooled found = own.rows.size() <= most_rows_of_folds
                     ? pool_few_rows(std::move(candidates), settings, own, budget, run)
                     : pool_by_race(std::move(candidates), settings, own, rows_in_memory(own.rows), budget, run);
  return {options, {}, std::move(found.parts), std::move(found.report)};
}

AutoDensity AutoDensity::fit(RowSums& table, const AutoOptions& options, const MemberFinder& find, const Run& run) {
  validate_options(options, owner);
  table_passes::check_cv(owner, options.cv);
  const Index n = table_passes::extent_of(table).rows;
  if (n <= options.sample_rows) return fit(table_passes::all_rows(table), options, find, run);
  const pooling::Settings settings = settings_of(options, table.n_inputs() > 0);
  std::vector<Candidate> candidates = pooling::candidates_of(settings, find);
  Dataset sample = table_passes::sample_of(table, options.sample_rows, options.seed).rows;
  if ((sample.weights.array() == 1).all()) sample.weights = {};
  pooling::PoolData own(settings, sample);
  own.out.report.details.set("n_rows", n).set("n_rows_sampled", sample.size());
  const double budget = options.budget > 0 ? options.budget : default_budget(n);
  Pooled found = pool_by_race(std::move(candidates), settings, own, rows_of_table(table, n), budget, run);
  return {options, {}, std::move(found.parts), std::move(found.report)};
}

}  // namespace condens
