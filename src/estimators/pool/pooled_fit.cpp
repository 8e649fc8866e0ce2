#include "pooled_fit.hpp"

#include <algorithm>

#include "condens/core/errors.hpp"
#include "model/preparation.hpp"

namespace condens::pooling {

namespace {

const Dataset& checked(const Settings& settings, const Dataset& data) {
  data.check(settings.owner);
  require(settings.cv.size() > 1 || settings.cv.front() >= 2, settings.owner, ": cv = ", settings.cv.front(),
          ", expected at least 2 folds");
  return data;
}

/// Fits every member to all rows, unless it has a model, which takes longest; and to those without each fold.
void fit_all(std::vector<Candidate>& candidates, const ScoringRows& scoring, const Run& run) {
  const Dataset& rows = scoring.rows;
  const Index folds = *std::max_element(scoring.fold.begin(), scoring.fold.end()) + 1;
  const Index m = std::ssize(candidates);
  std::vector<std::vector<Index>> rows_of(static_cast<std::size_t>(folds));
  for (std::size_t i = 0; i < scoring.fold.size(); ++i) {
    rows_of[static_cast<std::size_t>(scoring.fold[i])].push_back(static_cast<Index>(i));
  }
  for (Candidate& candidate : candidates) {
    candidate.held_out.resize(rows.size());
    candidate.held_out_average.resize(rows.size());
  }
  const bool whole = candidates.front().model == nullptr;
  const Index first = whole ? -1 : 0;  // -1: no fold
  const auto candidate_of = [&](Index i) -> Candidate& { return candidates[static_cast<std::size_t>(i % m)]; };
  fit_members(m * (folds - first), run, candidate_of, [&](Index i, const Run& own) {
    Candidate& candidate = candidate_of(i);
    const Index fold = i / m + first;
    if (fold < 0) {
      candidate.model = candidate.inner.fit(rows, candidate.options, own);
      return;
    }
    const preparation::HeldOut split = preparation::without_fold(rows, scoring.fold, fold);
    const std::vector<Index>& left_out = rows_of[static_cast<std::size_t>(fold)];
    std::vector<bool> told;
    for (const Index row : left_out) told.push_back(scoring.told[static_cast<std::size_t>(row)]);
    const auto model = candidate.inner.fit(split.train, candidate.options, own);
    const Vector found = held_out_density(*model, split.test, scoring.cells, own);
    candidate.held_out(left_out) = found;
    candidate.held_out_average(left_out) =
        held_out_average(*model, split.train, split.test, told, found, scoring.cells, own);
  });
}

}  // namespace

PoolData::PoolData(const Settings& settings, const Dataset& data)
    : rows(rows_that_count(checked(settings, data), storage)),
      fold(folds_of(settings.cv, data, rows, settings.seed)),
      out{.parts = {.dimension = data.x.rows()}, .report = {}} {
  preparation::standardize(settings.owner, rows, true);  // throws for columns that no member could hold
  preparation::warn_of_lost_weights(data, out.report);
  out.report.details.set("n_rows", rows.size());
}

Pooled pool_by_folds(std::vector<Candidate> candidates, const Settings& settings, PoolData& data, const Run& run) {
  const ScoringRows scoring = scoring_rows(settings.owner, data.rows, data.rows, data.fold, settings.seed);
  Pooled& out = data.out;
  fit_all(candidates, scoring, run);
  candidates = fitted(std::move(candidates), settings.owner, out.report);
  out.parts.defensive = Defensive::fit(settings.defensive_weight, data.rows);
  assemble(candidates, combine(candidates, scoring, out.parts.defensive, settings.shrinkage), scoring, out);
  return std::move(out);
}

Pooled fit(const Dataset& data, const Settings& settings, const MemberFinder& find, const Run& run) {
  std::vector<Candidate> candidates = candidates_of(settings, find);
  PoolData own(settings, data);
  return pool_by_folds(std::move(candidates), settings, own, run);
}

}  // namespace condens::pooling
