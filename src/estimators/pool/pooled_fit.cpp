#include "pooled_fit.hpp"

#include <algorithm>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "model/preparation.hpp"
#include "model/rows_without_fold.hpp"
#include "model/table_passes.hpp"

namespace condens::pooling {

namespace {

/// Rows that score: of more a sample, whose chance is next to nothing beside that of the table, and which one machine
/// holds.
constexpr Index most_scoring_rows = 100'000;

constexpr Index no_fold = -1;

void check_count_of_folds(const Settings& settings) {
  require(settings.cv.size() > 1 || settings.cv.front() >= 2, settings.owner, ": cv = ", settings.cv.front(),
          ", expected at least 2 folds");
}

const Dataset& checked(const Settings& settings, const Dataset& data) {
  data.check(settings.owner);
  check_count_of_folds(settings);
  return data;
}

/// Fits a member to all rows but those of a fold, or to all where this is `no_fold`.
using FitWithout = std::function<std::unique_ptr<ConditionalDensity>(const Candidate&, Index fold, const Run&)>;

/// Fits every member to all rows, unless it has a model, which takes longest; and to those without each fold. So many
/// `at_once`.
void fit_all(std::vector<Candidate>& candidates, const ScoringRows& scoring, Index folds, const FitWithout& fit,
             Index at_once, const Run& run) {
  const Dataset& rows = scoring.rows;
  const Index m = std::ssize(candidates);
  for (Candidate& candidate : candidates) {
    candidate.held_out.resize(rows.size());
    candidate.held_out_average.resize(rows.size());
  }
  const bool whole = candidates.front().model == nullptr;
  const Index first = whole ? no_fold : 0;
  const auto candidate_of = [&](Index i) -> Candidate& { return candidates[static_cast<std::size_t>(i % m)]; };
  const auto body = [&](Index i, const Run& own) {
    Candidate& candidate = candidate_of(i);
    const Index fold = i / m + first;
    if (fold == no_fold) {
      candidate.model = fit(candidate, fold, own);
      return;
    }
    const auto [others, left_out] = rows_of_fold(scoring.fold, fold);
    if (left_out.empty()) return;  // of a small fold none may be in a sample
    std::vector<bool> told;
    for (const Index row : left_out) told.push_back(scoring.told[static_cast<std::size_t>(row)]);
    const auto model = fit(candidate, fold, own);
    const Dataset test = rows.subset(left_out);
    const Vector found = held_out_density(*model, test, scoring.cells, own);
    candidate.held_out(left_out) = found;
    candidate.held_out_average(left_out) =
        held_out_average(*model, rows.subset(others), test, told, found, scoring.cells, own);
  };
  fit_members(m * (folds - first), run, candidate_of, body, at_once);
}

/// Where every candidate has been fitted.
Pooled pooled(std::vector<Candidate> candidates, const ScoringRows& scoring, const Settings& settings, Pooled out) {
  candidates = fitted(std::move(candidates), settings.owner, out.report);
  assemble(candidates, combine(candidates, scoring, out.parts.defensive, settings.shrinkage), scoring, out);
  return out;
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
  const Dataset& rows = data.rows;
  const std::vector<Index> sample =
      sample_of_places(rows.size(), most_scoring_rows, static_cast<std::uint64_t>(settings.seed));
  Dataset sampled;
  if (std::ssize(sample) < rows.size()) sampled = rows.subset(sample);
  std::vector<Index> fold;
  for (const Index row : sample) fold.push_back(data.fold[static_cast<std::size_t>(row)]);
  const Dataset& left_out = sampled.size() > 0 ? sampled : rows;
  const ScoringRows scoring = scoring_rows(settings.owner, left_out, left_out, std::move(fold), settings.seed);
  const Index folds = *std::max_element(data.fold.begin(), data.fold.end()) + 1;
  const auto fit_without = [&](const Candidate& candidate, Index k, const Run& own) {
    const auto all_but = [&] { return rows.subset(rows_of_fold(data.fold, k).train); };
    return candidate.inner.fit(k == no_fold ? rows : all_but(), candidate.options, own);
  };
  fit_all(candidates, scoring, folds, fit_without, all_at_once, run);
  data.out.parts.defensive = Defensive::fit(settings.defensive_weight, rows);
  return pooled(std::move(candidates), scoring, settings, std::move(data.out));
}

Pooled fit(const Dataset& data, const Settings& settings, const MemberFinder& find, const Run& run) {
  std::vector<Candidate> candidates = candidates_of(settings, find);
  PoolData own(settings, data);
  return pool_by_folds(std::move(candidates), settings, own, run);
}

Pooled fit(RowSums& table, const Settings& settings, const MemberFinder& find, const Run& run) {
  const FlushSubnormals guard;
  std::vector<Candidate> candidates = candidates_of(settings, find);
  for (const Candidate& own : candidates) {
    require(static_cast<bool>(own.inner.fit_by_sums), settings.owner, ": models has '", own.name,
            "', which is no sum over rows");
  }
  table_passes::check_cv(settings.owner, settings.cv);
  const table_passes::Extent extent = table_passes::extent_of(table);
  const Index folds = table_passes::number_of_folds(settings.owner, settings.cv, extent.rows);
  Pooled out{.parts = {.dimension = table.n_inputs()}, .report = {}};
  out.report.details.set("n_rows", extent.rows);
  const auto scale = table_passes::Scale::of(table, extent, settings.owner, false, out.report);
  out.parts.defensive = scale.defensive(settings.defensive_weight);

  auto [rows, places] = table_passes::sample_of(table, most_scoring_rows, settings.seed);
  rows.weights *= extent.weight_factor();
  const ScoringRows scoring =
      scoring_rows(settings.owner, rows, rows,
                   folds_at_places(places, folds, static_cast<std::uint64_t>(settings.seed)), settings.seed);
  const auto fit_without = [&](const Candidate& candidate, Index k, const Run& own) {
    if (k == no_fold) return candidate.inner.fit_by_sums(table, candidate.options, own);
    RowsWithoutFold others(table, {.folds = folds, .seed = settings.seed, .fold = k});
    return candidate.inner.fit_by_sums(others, candidate.options, own);
  };
  fit_all(candidates, scoring, folds, fit_without, 1, run);
  return pooled(std::move(candidates), scoring, settings, std::move(out));
}

}  // namespace condens::pooling
