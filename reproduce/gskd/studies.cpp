#include "studies.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <map>
#include <memory>

#include "common/test_score.hpp"
#include "condens/core/errors.hpp"
#include "condens/registry.hpp"

namespace condens::reproduce {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr Index n_test = 10000;
constexpr Index quick_runs = 2;
constexpr Index reading_runs = 100;
const Run one_thread{.threads = 1, .observer = {}};

/// The first of these details that the fit's report has; nullptr: none.
const Document* detail(const ConditionalDensity& model, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const Document* found = model.report().details.find(name)) return found;
  return nullptr;
}

/// How often the fit computed the leave-one-out criterion of a candidate kernel.
double evaluations_of(const ConditionalDensity& model) {
  const Document* found = detail(model, {"evaluations", "n_evaluations"});
  return found == nullptr ? none : found->as_number();
}

/// Kernels chosen by the regression, before weights made some zero.
double selected_by(const ConditionalDensity& model) {
  const Document* found = detail(model, {"n_kernels_before_weights", "n_selected"});
  return found == nullptr ? none : found->as_number();
}

/// J of the last kernel, for the methods that report it in the units of the data.
double criterion_of(const ConditionalDensity& model) {
  const Document* path = detail(model, {"criterion"});
  return path == nullptr ? none : path->as_vector().tail(1)[0];
}

/// What the scores of a density's estimates need, computed once.
struct Scorer {
  Density density;
  GridPoints grid;
  Vector grid_log_pdf;
};

Scorer scorer_of(const Density& density) {
  GridPoints grid = grid_points(density);
  Vector log_pdf = density.log_pdf(grid.points);
  return {density, std::move(grid), std::move(log_pdf)};
}

struct Divergence {
  double inner;
  double whole;
};

Divergence divergence(const Scorer& scorer, const GaussianMixtures& law) {
  if (scorer.grid.points.cols() == 0) return {none, none};
  const Vector log_estimate = law.log_pdf_grid(scorer.grid.points, one_thread).col(0);
  Divergence out{0, 0};
  for (Index i = 0; i < log_estimate.size(); ++i) {
    const double log_p = scorer.grid_log_pdf[i];
    const double term = std::exp(log_p) * (log_p - log_estimate[i]) * scorer.grid.cell;
    out.whole += term;
    if (scorer.grid.inner[static_cast<std::size_t>(i)]) out.inner += term;
  }
  return out;
}

TrialRecord run_trial(const Method& method, const PrintedTable& table, const Scorer& scorer, Index repetition) {
  TrialRecord out(number_names().size(), none);
  const auto number = [&](Number place) -> double& { return out[static_cast<std::size_t>(place)]; };
  const Problem problem = draw(table, repetition);
  const double begin = thread_seconds();
  std::unique_ptr<ConditionalDensity> model;
  try {
    model = fit(method, table, problem.train, repetition);
  } catch (const NumericalError& error) {
    std::cerr << "reproduce_gskd: " << method.label << ": " << error.what() << '\n';
    return out;
  }
  number(Number::seconds) = thread_seconds() - begin;
  const GaussianMixtures law = law_of(*model);
  const Vector log_p = scorer.density.log_pdf(problem.test);
  const Vector log_estimate = law.log_pdf_grid(problem.test, one_thread).col(0);
  number(Number::l1) = (log_p.array().exp() - log_estimate.array().exp()).abs().mean();
  number(Number::excess) = (log_p - log_estimate).mean();
  const Divergence divergences = divergence(scorer, law);
  number(Number::inner) = divergences.inner;
  number(Number::whole) = divergences.whole;
  number(Number::kernels) = find_model(method.model).results_of(*model).at("n_kernels").as_number();
  number(Number::selected) = selected_by(*model);
  number(Number::evaluations) = evaluations_of(*model);
  number(Number::criterion) = criterion_of(*model);
  return out;
}

PrintedTable table_of(std::size_t i, Scale scale) {
  PrintedTable out = printed_tables[i];
  if (scale == Scale::full) return out;
  out.runs = quick_runs;
  if (out.n > 100) out.n /= 10;
  return out;
}

PrintedTable small(PrintedTable table) {
  table.n = std::min(table.n, small_rows);
  return table;
}

}  // namespace

const std::vector<std::string>& number_names() {
  static const std::vector<std::string> names = {"l1",       "inner",       "whole",     "excess", "kernels",
                                                 "selected", "evaluations", "criterion", "seconds"};
  return names;
}

std::vector<Study> studies(const PrintedGroup& group, Scale scale) {
  std::vector<Study> out;
  for (std::size_t i = group.first; i < group.first + group.count; ++i)
    out.push_back({table_of(i, scale), available_methods()});
  return out;
}

std::vector<Study> reading_studies(Scale scale) {
  std::vector<Study> out;
  for (std::size_t i = 0; i < std::size(printed_tables); ++i) {
    out.push_back({table_of(i, scale), available(reading_methods())});
    out.back().table.runs = std::min(out.back().table.runs, reading_runs);
  }
  return out;
}

Problem draw(const PrintedTable& table, Index repetition) {
  const Density& density = densities()[table.density];
  const std::uint64_t seed = 2 * static_cast<std::uint64_t>(repetition);
  return {density.sample(table.n, seed), density.sample(n_test, seed + 1)};
}

GaussianMixtures law_of(const ConditionalDensity& model) { return model.predict(Matrix(0, 1), one_thread); }

void run_studies(const std::vector<Study>& studies, RecordBook& book, double minutes) {
  std::vector<Trial> trials;
  std::map<std::size_t, std::shared_ptr<const Scorer>> scorers;
  for (const Study& study : studies) {
    std::shared_ptr<const Scorer>& scorer = scorers[study.table.density];
    if (!scorer) scorer = std::make_shared<const Scorer>(scorer_of(densities()[study.table.density]));
    for (Index r = 0; r < study.table.runs; ++r)
      for (const Method& method : study.methods)
        trials.push_back({{scorer->density.name, study.table.n, method.label, r},
                          [&study, &method, own = scorer, r] { return run_trial(method, study.table, *own, r); },
                          [&study, &method, own = scorer] { return run_trial(method, small(study.table), *own, 0); }});
  }
  run_trials(std::move(trials), book, minutes);
}

Repetitions numbers_of(const RecordBook& book, const Study& study, const std::string& label, Number number) {
  return repetitions_of(book, densities()[study.table.density].name, study.table.n, label, study.table.runs,
                        static_cast<std::size_t>(number));
}

}  // namespace condens::reproduce
