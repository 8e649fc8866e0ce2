#include "condens/estimators/lscde.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/data/folds.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linearization.hpp"
#include "metric.hpp"
#include "model/gridded_kernels.hpp"
#include "model/inner_fits.hpp"
#include "model/preparation.hpp"
#include "model/rounded_rows.hpp"
#include "model/table_passes.hpp"
#include "passes.hpp"
#include "rows.hpp"
#include "selection.hpp"

namespace condens {

using lscde::Candidate;
using lscde::Folds;
using lscde::Problem;
using lscde::WidthGroup;

LscdeOptions LscdeOptions::paper() {
  const std::vector<double> grid = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
  return {.bandwidth = grid,
          .bandwidth_y = {},
          .regularization = grid,
          .refine = false,
          .n_centers = 100,
          .max_centers = 1,
          .center_selection = CenterSelection::random,
          .mask_centers = false,
          .metric = LscdeMetric::none,
          .defensive_weight = 0.0};
}

namespace {

constexpr std::string_view owner = Lscde::class_name;

void check_options(const LscdeOptions& options, Index d_x, Index d_y) {
  validate_options(options, owner);
  preparation::check_centers(owner, options.centers, d_x, d_y);
}

/// What a fit begins with: its rows, and what is known of all of them.
struct Start {
  const lscde::Rows& rows;
  Standardizer x_scale;
  Standardizer y_scale;
  Defensive defensive;
};

/// One group per bandwidth; without bandwidth_y the same width serves x and y.
std::vector<WidthGroup> make_groups(const std::vector<double>& bandwidth, const std::vector<double>& bandwidth_y) {
  std::vector<WidthGroup> groups;
  for (const double width : bandwidth) {
    groups.push_back({width, bandwidth_y.empty() ? std::vector<double>{width} : bandwidth_y});
  }
  return groups;
}

/// The lowest score, the first of equals; throws when there is none.
Candidate best_of(const std::vector<Candidate>& candidates) {
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
  if (!std::isfinite(best->score)) {
    throw NumericalError(message(owner,
                                 ": every candidate leaves some fold without a positive coefficient; "
                                 "give larger bandwidths or more centers"));
  }
  return *best;
}

/// Widths of x beyond the end of their list where the best one stands, one by one, as long as each is better: the
/// right width of x follows the smoothness of the law, which no list foresees. Appends to `candidates`.
void search_beyond_end(const Problem& problem, LscdeOptions& options, Task& task, std::vector<Candidate>& candidates) {
  constexpr int most = 6;
  std::vector<double>& widths = options.bandwidth;
  if (widths.size() < 2 || options.bandwidth_y.empty()) return;
  for (int k = 0; k < most; ++k) {
    std::sort(widths.begin(), widths.end());
    const double best = best_of(candidates).bandwidth;
    const auto n = widths.size();
    if (best != widths.front() && best != widths.back()) return;
    const double next = best == widths.back() ? best * best / widths[n - 2] : best * best / widths[1];
    const auto further =
        lscde::score_candidates(problem, make_groups({next}, options.bandwidth_y), options.regularization, task);
    candidates.insert(candidates.end(), further.begin(), further.end());
    widths.push_back(next);
  }
}

/// The candidates between the best one and its neighbours.
void search_between(const Problem& problem, const LscdeOptions& options, Task& task,
                    std::vector<Candidate>& candidates) {
  const Candidate best = best_of(candidates);
  const auto finer = lscde::score_candidates(
      problem,
      make_groups(preparation::between_neighbours(options.bandwidth, best.bandwidth),
                  options.bandwidth_y.empty() ? std::vector<double>{}
                                              : preparation::between_neighbours(options.bandwidth_y, best.bandwidth_y)),
      preparation::between_neighbours(options.regularization, best.regularization), task);
  for (const Candidate& candidate : finer) {
    const auto same = [&](const Candidate& c) {
      return c.bandwidth == candidate.bandwidth && c.bandwidth_y == candidate.bandwidth_y &&
             c.regularization == candidate.regularization;
    };
    if (std::none_of(candidates.begin(), candidates.end(), same)) candidates.push_back(candidate);
  }
}

std::vector<Candidate> score_lists(const Problem& problem, const LscdeOptions& options, Task& task) {
  return lscde::score_candidates(problem, make_groups(options.bandwidth, options.bandwidth_y), options.regularization,
                                 task);
}

/// Follows the best of the lists. Adds to the options the widths that were tried beyond their list.
Candidate search(const Start& start, const Problem& problem, LscdeOptions& options, Task& task,
                 std::vector<Candidate>& candidates, FitReport& report) {
  if (options.refine) {
    search_beyond_end(problem, options, task, candidates);
    search_between(problem, options, task, candidates);
  }
  const Candidate best = best_of(candidates);
  preparation::warn_at_edge(options.bandwidth, best.bandwidth, "bandwidth", report);
  preparation::warn_at_edge_of_y(options.bandwidth_y, best.bandwidth_y,
                                 start.rows.sample(most_rows_at_once).rows.data.y, report);
  preparation::warn_at_edge(options.regularization, best.regularization, "regularization", report);
  return best;
}

/// Enough rows to cover by so many centers (kernels/centers.hpp).
Index rows_to_cover(const LscdeOptions& options) { return std::max(most_rows_at_once, 50 * options.n_centers); }

/// The problem on inputs scaled by `widths`, and the way back.
struct Prepared {
  Vector input_widths;
  std::vector<Index> center_places;
  Problem problem;
};

Prepared set_up(const Start& start, const Vector& widths, const LscdeOptions& options, const Run& run,
                FitReport& report) {
  Prepared out{widths, {}, start.rows.problem(widths)};
  Problem& problem = out.problem;
  if (options.centers.size() > 0) {
    const Index d_x = start.x_scale.dimension();
    problem.centers_x = start.x_scale.rescaled(widths).transform(options.centers.topRows(d_x));
    problem.centers_y = start.y_scale.transform(options.centers.bottomRows(options.centers.rows() - d_x));
  } else {
    lscde::SampledRows sample = start.rows.sample(rows_to_cover(options));
    if ((widths.array() != 1.0).any()) sample.rows = lscde::in_metric(std::move(sample.rows), widths);
    const std::vector<Index> chosen =
        preparation::choose_center_rows(sample.rows.data, options.center_selection, options.n_centers, options.seed,
                                        resolve_threads(run.threads), report);
    problem.centers_x = sample.rows.data.x(Eigen::all, chosen);
    problem.centers_y = sample.rows.data.y(Eigen::all, chosen);
    for (const Index row : chosen) out.center_places.push_back(sample.places[static_cast<std::size_t>(row)]);
  }
  problem.center_fold.assign(static_cast<std::size_t>(problem.centers_y.cols()), -1);
  problem.coefficients = options.coefficients;
  problem.penalty = options.penalty;
  problem.scoring = options.scoring;
  problem.defensive = start.defensive;
  return out;
}

void sort_by_fold(const Start& start, const Folds& folds, bool mask_centers, Prepared& prepared) {
  start.rows.sort(prepared.problem, folds);
  if (!mask_centers) return;
  for (std::size_t l = 0; l < prepared.center_places.size(); ++l) {
    prepared.problem.center_fold[l] = folds.of(prepared.center_places[l]);
  }
}

/// Scores the lists in the metric, too, and takes it where its best candidate is better by more than the standard
/// error over folds of the difference.
void settle_metric(const Start& start, Prepared in_metric, const Folds& folds, const LscdeOptions& lists, Task& task,
                   Prepared& prepared, std::vector<Candidate>& candidates, FitReport& report) {
  sort_by_fold(start, folds, lists.mask_centers, in_metric);
  std::vector<Candidate> found = score_lists(in_metric.problem, lists, task);
  const FoldScore gain = fold_score(best_of(candidates).folds - best_of(found).folds);
  const bool worth_it = gain.mean > gain.standard_error;
  report.details.set("metric_gain", gain.mean);
  report.details.set("metric_gain_standard_error", gain.standard_error);
  report.details.set("metric_applied", worth_it);
  if (!worth_it) return;
  prepared = std::move(in_metric);
  candidates = std::move(found);
}

/// The best candidate by cross-validation of `prepared`, or of the inputs scaled by the widths that are open to
/// question, which then are `prepared`.
Candidate choose(const Start& start, const Vector* open_widths, const Folds& folds, LscdeOptions& lists, const Run& run,
                 Prepared& prepared, FitReport& report) {
  sort_by_fold(start, folds, lists.mask_centers, prepared);
  const double widths = (open_widths == nullptr ? 1.0 : 2.0) * static_cast<double>(lists.bandwidth.size());
  Task task(run, "choosing bandwidth and regularization",
            lscde::scoring_work(prepared.problem, 1) * (widths + (lists.refine ? 3.0 : 0.0)));
  std::vector<Candidate> candidates = score_lists(prepared.problem, lists, task);
  if (open_widths != nullptr) {
    FitReport told;  // what there is to say of centres is said
    settle_metric(start, set_up(start, *open_widths, lists, run, told), folds, lists, task, prepared, candidates,
                  report);
  }
  const Candidate best = search(start, prepared.problem, lists, task, candidates, report);
  preparation::report_candidates(candidates,
                                 {{"bandwidth", &Candidate::bandwidth},
                                  {"bandwidth_y", &Candidate::bandwidth_y},
                                  {"regularization", &Candidate::regularization}},
                                 report);
  report.details.set("score", best.score);
  report.details.set("score_standard_error", best.standard_error);
  return best;
}

/// So many centres cost at most a few hundred billion multiplications for the Gram matrix of one width.
Index most_centers(const LscdeOptions& options, Index rows) {
  constexpr double most_work = 2e11;
  const auto affordable = static_cast<Index>(std::sqrt(most_work / static_cast<double>(rows)));
  return std::min({options.max_centers, rows / 4, affordable});
}

/// Twice as many centres, again and again, as long as that makes the score of the first fold better; each time smaller
/// widths and less regularization, too, are tried, which more centres bear. Leaves `prepared` with the best.
void grow(const Start& start, const Folds& folds, const LscdeOptions& lists, const Run& run, Candidate& best,
          Prepared& prepared, FitReport& report) {
  const Index most = most_centers(lists, start.rows.size());
  if (lists.centers.size() > 0 || 2 * lists.n_centers > most) return;
  Folds left_out = folds;
  left_out.first_against = true;
  const auto with_centers = [&](Index count) {
    LscdeOptions more = lists;
    more.n_centers = count;
    FitReport told;
    Prepared out = set_up(start, prepared.input_widths, more, run, told);
    sort_by_fold(start, left_out, lists.mask_centers, out);
    out.problem.unscored_folds = 1;
    return out;
  };
  const bool own_width_y = !lists.bandwidth_y.empty();
  const auto groups = [&](double factor) {
    std::vector<WidthGroup> out = make_groups({best.bandwidth}, {});
    if (factor < 1) out.push_back({factor * best.bandwidth, {factor * best.bandwidth}});
    for (WidthGroup& group : out) {
      if (own_width_y) group.y = {best.bandwidth_y};
      if (own_width_y && factor < 1) group.y.push_back(factor * best.bandwidth_y);
    }
    return out;
  };
  constexpr double narrower = 0.7;
  constexpr double weaker = 0.3;
  Index doublings = 0;
  while (lists.n_centers << (doublings + 1) <= most) ++doublings;
  Task task(run, "trying more centers", lscde::scoring_work(prepared.problem, 2 * doublings + 1));
  const Problem as_many = with_centers(lists.n_centers).problem;
  double score = lscde::score_candidates(as_many, groups(1), {best.regularization}, task).front().score;
  std::vector<double> scores;
  for (Index k = 1; k <= doublings; ++k) {
    Prepared more = with_centers(lists.n_centers << k);
    const std::vector<Candidate> found = lscde::score_candidates(
        more.problem, groups(narrower), {best.regularization, weaker * best.regularization}, task);
    const Candidate& least = *std::min_element(
        found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
    scores.push_back(least.score);
    if (!(least.score < score)) break;
    score = least.score;
    best = least;
    prepared = std::move(more);
  }
  report.details.set("scores_of_more_centers", Vector(Eigen::Map<const Vector>(scores.data(), std::ssize(scores))));
}

/// A problem in one fold with the centers of a fit, without rows.
Problem problem_without_rows(const LscdeOptions& options, const LscdeState& state) {
  Problem problem;
  problem.x_unlabeled = Matrix(state.centers_x.rows(), 0);
  problem.centers_x = state.centers_x;
  problem.centers_y = state.centers_y;
  problem.fold_begin = {0, 0};
  problem.center_fold.assign(static_cast<std::size_t>(problem.centers_y.cols()), -1);
  problem.coefficients = options.coefficients;
  problem.penalty = options.penalty;
  problem.scoring = options.scoring;
  problem.defensive = state.defensive;
  return problem;
}

/// Rows as the passes of a fit see them, in one fold, with the centers of the fit.
Problem problem_of(const Dataset& rows, const LscdeOptions& options, const LscdeState& state,
                   const Standardizer& x_scale, const Standardizer& y_scale) {
  Problem problem = problem_without_rows(options, state);
  problem.x = x_scale.transform(rows.x);
  problem.y = y_scale.transform(rows.y);
  problem.weights = rows.weights.size() > 0 ? rows.weights : Vector::Ones(rows.size());
  if (rows.x_unlabeled.size() > 0) problem.x_unlabeled = x_scale.transform(rows.x_unlabeled);
  problem.fold_begin = {0, rows.size()};
  return problem;
}

/// A table whose one pass has been made.
class KnownState final : public RowSums {
 public:
  KnownState(Index n_inputs, Index n_targets, const Document& state) : RowSums(n_inputs, n_targets), state_(state) {}
  Document total(const Document&) override { return state_; }

 private:
  const Document& state_;
};

}  // namespace

Lscde::Lscde(LscdeOptions options, LscdeState state, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : FittedModel(std::move(options), std::move(state), std::move(x_scale), std::move(y_scale), std::move(report)) {
  std::vector<Index> active;
  for (Index l = 0; l < state_.coefficients.size(); ++l) {
    if (state_.coefficients[l] > 0) active.push_back(l);
  }
  active_centers_ = state_.centers_x(Eigen::all, active).transpose();
  log_coefficients_ = state_.coefficients(active).array().log();
  const Matrix active_centers_y = state_.centers_y(Eigen::all, active);
  components_ = kernel_components(active_centers_y, state_.bandwidth_y, state_.defensive);
  gridded_ = GriddedKernels::make(active_centers_.transpose() / state_.bandwidth, log_coefficients_, active_centers_y,
                                  state_.bandwidth_y, state_.defensive);
}

void Lscde::check(const LscdeOptions&, const LscdeState& state) {
  if (!(state.coefficients.maxCoeff() > 0)) throw FormatError("LSCDE: no coefficient is positive");
}

Lscde Lscde::rescaled(double factor_x, const Standardizer& y_scale) const {
  return {options_, state_, x_scale().rescaled(Vector::Constant(n_inputs(), factor_x)), y_scale, report()};
}

Standardizer Lscde::input_scale() const { return x_scale().rescaled(state_.input_widths.cwiseInverse()); }

Vector Lscde::reweighted(const Dataset& rows, const Run& run) const {
  Dataset storage;
  const Problem problem = problem_of(rows_that_count(rows, storage), options_, state_, x_scale(), y_scale());
  Task task(run, "fitting", lscde::scoring_work(problem, 1) / 2);
  return lscde::fit_coefficients(problem, state_.bandwidth, state_.bandwidth_y, state_.regularization, task);
}

Matrix Lscde::linearized(const Dataset& rows, const MatrixView& copies, const Run& run) const {
  Dataset storage;
  const Dataset& counted = rows_that_count(rows, storage);
  Matrix own;
  if (counted.size() < rows.size()) {
    std::vector<Index> there;
    for (Index i = 0; i < rows.size(); ++i) {
      if (rows.weights[i] > 0) there.push_back(i);
    }
    own = copies(there, Eigen::all);
  }
  const Problem problem = problem_of(counted, options_, state_, x_scale(), y_scale());
  Task task(run, "derivatives by the rows' weights", lscde::scoring_work(problem, 1));
  return lscde::linearized_coefficients(problem, state_.bandwidth, state_.bandwidth_y, state_.regularization,
                                        own.size() > 0 ? MatrixView(own) : copies, task);
}

Document Lscde::closing_pass() const {
  Problem problem = problem_without_rows(options_, state_);
  problem.elsewhere = lscde::Elsewhere{.table = nullptr,
                                       .scale = table_passes::Scale::of(x_scale(), y_scale()).to_document(),
                                       .input_widths = Vector::Ones(n_inputs())};
  return lscde::statistics_pass(problem, {state_.bandwidth, {state_.bandwidth_y}});
}

std::unique_ptr<ConditionalDensity> Lscde::finished(const Document& state) const {
  KnownState table(n_inputs(), n_targets(), state);
  Problem problem = problem_without_rows(options_, state_);
  problem.elsewhere = lscde::Elsewhere{.table = &table, .scale = {}, .input_widths = {}};
  const Run run{.threads = 1, .observer = {}};
  Task task(run, "fitting", 1);
  LscdeState found = state_;
  found.coefficients =
      lscde::fit_coefficients(problem, state_.bandwidth, state_.bandwidth_y, state_.regularization, task);
  FitReport told = report();
  told.details.set("n_rows", static_cast<Index>(std::llround(table_passes::number_of(state, "weight"))));
  told.details.set("n_active_centers", static_cast<Index>((found.coefficients.array() > 0).count()));
  return std::unique_ptr<ConditionalDensity>(
      new Lscde(options_, std::move(found), x_scale(), y_scale(), std::move(told)));
}

std::unique_ptr<ConditionalDensity> Lscde::with_numbers(const VectorView& numbers) const {
  if (numbers.size() != state_.coefficients.size() || !numbers.allFinite() || numbers.minCoeff() < 0) {
    throw FormatError("LSCDE: the coefficients of a replicate do not fit the centers");
  }
  LscdeState state = state_;
  state.coefficients = numbers;
  check(options_, state);
  return std::unique_ptr<ConditionalDensity>(new Lscde(options_, std::move(state), x_scale(), y_scale(), report()));
}

GaussianMixtures Lscde::laws(const MatrixView& x) const {
  if (gridded_ != nullptr) return gridded_->laws(x / state_.bandwidth);
  Matrix log_weights(active_centers_.rows(), x.cols());
  squared_distances(active_centers_, x, log_weights);
  log_weights *= -0.5 / (state_.bandwidth * state_.bandwidth);
  log_weights.colwise() += log_coefficients_;
  return kernel_laws(components_, std::move(log_weights), state_.defensive);
}

/// The steps of a fit, wherever its rows are. `folds_of_rows` is asked where there is something to choose.
struct Lscde::Fitter {
  const Start& start;
  const LscdeOptions& options;
  const Run& run;

  Lscde fit(const std::function<Folds()>& folds_of_rows, FitReport report) const {
    preparation::Standardized sample = start.rows.sample(most_rows_at_once).rows;
    if (start.rows.size() > most_rows_at_once) preparation::round_rows(sample.data, preparation::bits_of_sums);
    const lscde::MetricProposal metric = lscde::propose_metric(sample, options, run, report);
    const bool open = metric.verdict == lscde::MetricVerdict::open;
    const Index d_x = start.x_scale.dimension();
    Prepared prepared = set_up(start, open ? Vector::Ones(d_x) : metric.widths, options, run, report);

    LscdeOptions lists = options;
    // Without inputs a width of x of its own has nothing to act on.
    if (d_x == 0 && !options.bandwidth_y.empty()) lists.bandwidth.resize(1);
    const double width_y = lists.bandwidth_y.empty() ? lists.bandwidth.front() : lists.bandwidth_y.front();
    Candidate best{lists.bandwidth.front(), width_y, lists.regularization.front(), 0.0, 0.0, {}};
    if (lists.bandwidth.size() > 1 || lists.bandwidth_y.size() > 1 || lists.regularization.size() > 1) {
      const Folds folds = folds_of_rows();
      best = choose(start, open ? &metric.widths : nullptr, folds, lists, run, prepared, report);
      grow(start, folds, lists, run, best, prepared, report);
    }
    if (const Document* applied = report.details.find("metric_applied")) {
      report.details.set("metric", choice_names<LscdeMetric>[applied->as_bool() ? 1 : 0]);
    }

    Problem& problem = prepared.problem;
    Task task(run, "fitting", lscde::scoring_work(problem, 1) / 2);
    Vector alpha = lscde::fit_coefficients(problem, best.bandwidth, best.bandwidth_y, best.regularization, task);
    report.details.set("n_rows", start.rows.size());
    report.details.set("n_centers", alpha.size());
    report.details.set("n_active_centers", static_cast<Index>((alpha.array() > 0).count()));
    report.details.set("bandwidth", best.bandwidth);
    report.details.set("bandwidth_y", best.bandwidth_y);
    report.details.set("regularization", best.regularization);
    const Standardizer x_scale = start.x_scale.rescaled(prepared.input_widths);
    return {options,
            {.input_widths = std::move(prepared.input_widths),
             .bandwidth = best.bandwidth,
             .bandwidth_y = best.bandwidth_y,
             .regularization = best.regularization,
             .coefficients = std::move(alpha),
             .centers_x = std::move(problem.centers_x),
             .centers_y = std::move(problem.centers_y),
             .defensive = std::move(problem.defensive)},
            x_scale,
            start.y_scale,
            std::move(report)};
  }
};

Lscde Lscde::fit(const Dataset& data, const LscdeOptions& options, const Run& run) {
  check_options(options, data.x.rows(), data.y.rows());
  const preparation::Start prepared(owner, data, options.standardize);
  const preparation::Standardized& standardized = prepared.standardized();
  const lscde::RowsInMemory rows(standardized, options.seed);
  const Start start{rows, standardized.x, standardized.y, Defensive::fit(options.defensive_weight, standardized.data)};
  const auto folds = [&] {
    return Folds{.given = preparation::folds_of(options.cv, data, options.seed), .seed = options.seed};
  };
  return Fitter{start, options, run}.fit(folds, prepared.report());
}

Lscde Lscde::fit(RowSums& table, const LscdeOptions& options, const Run& run) {
  check_options(options, table.n_inputs(), table.n_targets());
  table_passes::check_cv(owner, options.cv);
  const table_passes::Extent extent = table_passes::extent_of(table);
  FitReport report;
  const table_passes::Scale scale = table_passes::Scale::of(table, extent, owner, options.standardize, report);
  const lscde::RowsInTable rows(table, scale, extent.rows, options.seed);
  const Start start{rows, scale.x(), scale.y(), scale.defensive(options.defensive_weight)};
  const auto folds = [&] {
    const Index count = table_passes::number_of_folds(owner, options.cv, extent.rows);
    return Folds{.given = {}, .count = count, .seed = options.seed};
  };
  return Fitter{start, options, run}.fit(folds, std::move(report));
}

Document Lscde::accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run) {
  return lscde::accumulate(pass, block, first_row, run);
}

}  // namespace condens
