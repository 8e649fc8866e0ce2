#include "condens/estimators/kernel_quantile_regression.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "data/splits.hpp"
#include "model/preparation.hpp"
#include "selection.hpp"

namespace condens {

using kqr::Candidate;
using kqr::Certificates;
using kqr::Problem;

namespace {

constexpr std::string_view owner = Kqr::class_name;
constexpr double certified = 1e-9;

void check_options(const KqrOptions& options, const Dataset& data) {
  validate_options(options, owner);
  require(data.y.rows() == 1, owner, ": y has ", data.y.rows(),
          " columns, expected one: quantiles are those of a single target");
  const std::vector<double>& levels = options.quantile_levels;
  for (std::size_t j = 1; j < levels.size(); ++j) {
    require(levels[j - 1] < levels[j], owner, ": quantile_levels has ", levels[j], " after ", levels[j - 1],
            ", expected ascending levels");
  }
}

std::vector<double> ascending(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// What is to be compared, grids filled in. Without inputs that differ, f is a constant and neither
/// width nor penalty matters.
KqrOptions settle_candidates(const KqrOptions& options, const MatrixView& x) {
  KqrOptions out = options;
  if (out.bandwidth.empty()) {
    out.bandwidth = {0.25, 0.5, 1, 2, 4};
    for (double& width : out.bandwidth) width *= std::sqrt(std::max(1.0, static_cast<double>(x.rows())));
  }
  if (out.regularization.empty()) {
    out.regularization = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
    if (out.loss == KqrLoss::sum) {
      for (double& lambda : out.regularization) lambda *= static_cast<double>(x.cols());
    }
  }
  out.bandwidth = ascending(out.bandwidth);
  out.regularization = ascending(out.regularization);
  const bool inputs_differ = x.rows() > 0 && (x.colwise() - x.col(0)).cwiseAbs().maxCoeff() > 0;
  if (!inputs_differ) {
    out.bandwidth.resize(1);
    out.regularization.resize(1);
  }
  return out;
}

/// Rows, at most `most` of them, and the fold of each where folds were given.
struct Drawn {
  Dataset data;
  std::vector<Index> rows;
};
Drawn draw_rows(const Dataset& data, Index most, Index seed) {
  std::vector<Index> rows = random_rows(data.size(), most, RandomStream(static_cast<std::uint64_t>(seed), 1));
  Dataset drawn = data.subset(rows);
  return {std::move(drawn), std::move(rows)};
}

Candidate best_of(const std::vector<Candidate>& candidates) {
  return *std::min_element(candidates.begin(), candidates.end(),
                           [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
}

std::vector<Candidate> search(const Problem& problem, const KqrOptions& options, const Run& run,
                              Certificates& certificates) {
  const auto pairs = static_cast<double>(options.bandwidth.size() * options.regularization.size());
  const auto n = static_cast<double>(problem.data.size());
  const bool refine = options.refine && pairs > 1;
  Task task(run, "choosing bandwidth and regularization", n * (pairs + (refine ? std::min(pairs, 9.0) : 0)));
  auto candidates = kqr::score_candidates(problem, options.bandwidth, options.regularization, task, certificates);
  if (!refine) return candidates;
  const Candidate best = best_of(candidates);
  const auto finer = kqr::score_candidates(problem, preparation::between_neighbours(options.bandwidth, best.bandwidth),
                                           preparation::between_neighbours(options.regularization, best.regularization),
                                           task, certificates);
  for (const Candidate& candidate : finer) {
    // The best itself again, from other starts: the same to rounding.
    if (candidate.bandwidth == best.bandwidth && candidate.regularization == best.regularization) continue;
    candidates.push_back(candidate);
  }
  return candidates;
}

void report_search(const std::vector<Candidate>& candidates, const Candidate& best, const KqrOptions& options,
                   FitReport& report) {
  const auto column = [&](const auto& get) { return preparation::column(candidates, get); };
  report.details.set("candidates",
                     Document::Object{{"bandwidth", column([](const Candidate& c) { return c.bandwidth; })},
                                      {"regularization", column([](const Candidate& c) { return c.regularization; })},
                                      {"spread", column([](const Candidate& c) { return c.shape.spread; })},
                                      {"bandwidth_y_floor", column([](const Candidate& c) { return c.shape.floor; })},
                                      {"score", column([](const Candidate& c) { return c.score; })},
                                      {"standard_error", column([](const Candidate& c) { return c.standard_error; })}});
  preparation::report_folds(
      candidates, [](const Candidate& c) { return c.folds; }, report);
  report.details.set("score", best.score);
  report.details.set("score_standard_error", best.standard_error);
  preparation::warn_at_edge(options.bandwidth, best.bandwidth, "bandwidth", report);
  preparation::warn_at_edge(options.regularization, best.regularization, "regularization", report);
}

Document account_of(const Certificates& certificates) {
  return Document::Object{{"largest_relative_gap", certificates.largest_gap},
                          {"solutions", certificates.solutions},
                          {"newton_steps", certificates.newton_steps},
                          {"pivots", certificates.pivots}};
}

void report_rows(Index used, Index all, FitReport& report) {
  report.details.set("n_rows", all);
  if (used == all) return;
  report.details.set("n_rows_used", used);
  report.warnings.push_back(message("quantiles are learned from ", used, " of the ", all,
                                    " rows, drawn at random; more by max_rows, at quadratic cost"));
}

Problem problem_of(const Dataset& rows, const KqrOptions& options, Defensive defensive) {
  return {.data = rows,
          .levels = options.quantile_levels,
          .loss = options.loss,
          .scoring = options.scoring,
          .defensive = std::move(defensive),
          .spreads = ascending(options.spread),
          .floors = ascending(options.bandwidth_y_floor)};
}

/// The best of the candidates by cross-validation of the rows `drawn` of those that count in `given`; one needs none.
Candidate choose(Problem& problem, const KqrOptions& options, const Dataset& given, const std::vector<Index>& drawn,
                 const Run& run, FitReport& report) {
  Candidate best{
      options.bandwidth.front(), options.regularization.front(), {problem.spreads.front(), problem.floors.front()}};
  const auto several = [](const std::vector<double>& values) { return values.size() > 1; };
  if (several(options.bandwidth) || several(options.regularization) || several(problem.spreads) ||
      several(problem.floors)) {
    const std::vector<Index> fold = preparation::folds_of(options.cv, given, options.seed);
    for (const Index i : drawn) problem.fold.push_back(fold[static_cast<std::size_t>(i)]);
    Certificates certificates;
    const std::vector<Candidate> compared = search(problem, options, run, certificates);
    best = best_of(compared);
    report_search(compared, best, options, report);
    report.details.set("certificates_of_folds", account_of(certificates));
  }
  report.details.set("bandwidth", best.bandwidth);
  report.details.set("regularization", best.regularization);
  return best;
}

/// f_tau at the rows of the fit, levels x rows.
Matrix quantiles_at_rows(const std::vector<QuantileFit>& fits) {
  Matrix out(std::ssize(fits), fits.front().coefficients.size());
  for (Index j = 0; j < out.rows(); ++j) {
    const QuantileFit& fit = fits[static_cast<std::size_t>(j)];
    out.row(j) = (fit.kernel_part.array() + fit.intercept).transpose();
  }
  return out;
}

/// Objectives, certificates, and how often neighbouring quantiles cross at the rows.
void report_fits(const std::vector<QuantileFit>& fits, Matrix quantiles, FitReport& report) {
  const Index m = std::ssize(fits);
  const Index pairs = (m - 1) * quantiles.cols();
  Certificates certificates;
  Vector objectives(m);
  for (Index j = 0; j < m; ++j) {
    const QuantileFit& fit = fits[static_cast<std::size_t>(j)];
    objectives[j] = fit.objective;
    certificates.add(fit);
  }
  report.details.set("objectives", objectives);
  report.details.set("certificate", account_of(certificates));
  const auto crossings = static_cast<double>(kqr::rearrange(quantiles));
  report.details.set("crossing_rate", pairs > 0 ? crossings / static_cast<double>(pairs) : 0.0);
  if (certificates.largest_gap > certified) {
    report.status = "gap above 1e-9";
    report.warnings.push_back(message("the objective of a level may exceed the least by ", certificates.largest_gap,
                                      " of it; rounding allows no less at so small a regularization"));
  }
}

/// The levels' solutions side by side.
struct Solutions {
  Matrix coefficients;  // rows x levels
  Vector intercepts;
  Vector relative_gaps;
};

Solutions gather(const std::vector<QuantileFit>& fits) {
  const Index m = std::ssize(fits);
  Solutions out{Matrix(fits.front().coefficients.size(), m), Vector(m), Vector(m)};
  for (Index j = 0; j < m; ++j) {
    const QuantileFit& fit = fits[static_cast<std::size_t>(j)];
    out.coefficients.col(j) = fit.coefficients;
    out.intercepts[j] = fit.intercept;
    out.relative_gaps[j] = fit.relative_gap;
  }
  return out;
}

}  // namespace

KqrOptions KqrOptions::paper() {
  const std::vector<double> grid = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
  KqrOptions out;
  out.bandwidth = grid;
  out.regularization = grid;
  out.loss = KqrLoss::sum;
  out.refine = false;
  out.scoring = KqrScoring::pinball;
  out.max_rows = 5000;
  out.defensive_weight = 0.0;
  return out;
}

void Kqr::check(const KqrOptions& options, const KqrState& state) {
  const std::vector<double>& levels = options.quantile_levels;
  const bool one_each = !levels.empty() && std::ssize(levels) == state.intercepts.size();
  if (!one_each || !std::is_sorted(levels.begin(), levels.end())) {
    throw FormatError(message(class_name, ": the levels of the quantiles do not fit their functions"));
  }
}

/// f_tau at standardised x, before they are put in order.
Matrix Kqr::raw_quantiles(const MatrixView& x) const {
  Matrix out = state_.coefficients.transpose() * kqr::gaussian_kernel(state_.x, x, state_.bandwidth);
  out.colwise() += state_.intercepts;
  return out;
}

GaussianMixtures Kqr::laws(const MatrixView& x) const {
  Matrix q = raw_quantiles(x);
  kqr::rearrange(q);
  return kqr::QuantileLaws(options_.quantile_levels)
      .laws(q, {state_.spread, state_.bandwidth_y_floor}, state_.defensive);
}

Matrix Kqr::quantiles(const MatrixView& x, const Run& run) const {
  require(x.rows() == n_inputs(), model_name(), ": x has ", x.rows(), " rows (one per dimension), expected ",
          n_inputs());
  require(x.allFinite(), model_name(), ": x has a number that is not finite");
  Task task(run, "quantiles", static_cast<double>(x.cols()));
  Matrix out(state_.intercepts.size(), x.cols());
  const Index size = 256;
  parallel_for(
      block_count(x.cols(), size), task.threads(),
      [&](Index block) {
        const Range range = block_range(x.cols(), size, block);
        Matrix q = raw_quantiles(x_scale().transform(x.middleCols(range.begin, range.size())));
        kqr::rearrange(q);
        out.middleCols(range.begin, range.size()) = (q.array() * y_scale().scale()[0] + y_scale().mean()[0]).matrix();
        task.advance(static_cast<double>(range.size()));
      },
      [&] { task.poll(); });
  return out;
}

Kqr Kqr::fit(const Dataset& data, const KqrOptions& given, const Run& run) {
  check_options(given, data);
  const preparation::Start start(owner, data, given.standardize);
  const Dataset& rows = start.rows();
  const preparation::Standardized& standardized = start.standardized();
  FitReport report = start.report();
  const Drawn drawn = draw_rows(standardized.data, given.max_rows, given.seed);
  report_rows(drawn.data.size(), rows.size(), report);
  const KqrOptions options = settle_candidates(given, drawn.data.x);
  Problem problem = problem_of(drawn.data, options, Defensive::fit(options.defensive_weight, standardized.data));
  Candidate best = choose(problem, options, data, drawn.rows, run, report);

  Task task(run, "solving for every level", static_cast<double>(problem.levels.size()));
  const std::vector<QuantileFit> fits = kqr::solve_levels(problem, best.bandwidth, best.regularization, task);
  const Matrix quantiles = quantiles_at_rows(fits);
  if (problem.fold.empty()) {
    best.shape = kqr::shape_of(problem, problem.spreads.front(), problem.floors.front(), quantiles);
  }
  report_fits(fits, quantiles, report);
  Solutions found = gather(fits);
  return {given,
          {.bandwidth = best.bandwidth,
           .regularization = best.regularization,
           .spread = best.shape.spread,
           .bandwidth_y_floor = best.shape.floor,
           .x = drawn.data.x,
           .coefficients = std::move(found.coefficients),
           .intercepts = std::move(found.intercepts),
           .relative_gaps = std::move(found.relative_gaps),
           .defensive = problem.defensive},
          standardized.x,
          standardized.y,
          std::move(report)};
}

}  // namespace condens
