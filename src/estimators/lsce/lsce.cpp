#include "condens/estimators/lsce.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/data/folds.hpp"
#include "core/flush_subnormals.hpp"
#include "model/preparation.hpp"
#include "model/projected_rows.hpp"
#include "model/rounded_rows.hpp"
#include "optim/grassmann.hpp"
#include "search.hpp"

namespace condens {

using lsce::Cell;
using lsce::SearchData;
using lsce::Subspace;
using preparation::Standardized;

LsceOptions LsceOptions::paper() {
  const std::vector<double> grid = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
  return {.selection_rule = SelectionRule::minimum,
          .bandwidth = grid,
          .bandwidth_y = {},
          .regularization = grid,
          .n_centers = 100,
          .center_selection = CenterSelection::random,
          .mask_centers = false,
          .optimizer = LsceOptimizer::steepest,
          .informed_starts = false,
          .random_starts = 20,
          .tuning = LsceTuning::own,
          .steps_per_tuning = 5,
          .max_search_rows = 0,
          .density = LsceDensity::same,
          .defensive_weight = 0.0,
          .scoring = Scoring::squared};
}

void LsceOptions::give_way(const Document& given) {
  if (informed_starts || random_starts > 0) return;
  if (given.find("informed_starts") == nullptr) informed_starts = true;
  if (given.find("random_starts") == nullptr) random_starts = LsceOptions{}.random_starts;
}

namespace {

constexpr std::string_view owner = Lsce::class_name;

constexpr Index most_components = 10;  // that are tried where nothing is said

void check_options(const LsceOptions& options, Index d_x, Index d_y) {
  validate_options(options, owner);
  lsce::check_starts(owner, options.informed_starts, options.random_starts, options.start_directions, d_x);
  preparation::check_centers(owner, options.centers, d_x, d_y);
  require(options.max_search_rows != 1, owner, ": max_search_rows = 1, expected 0: all, or at least 2 rows");
}

/// What the search for W begins with: all rows, or a sample of many, on the scale of all.
struct Start {
  Standardized searched;
  std::vector<Index> varying;                 ///< inputs that vary among these rows, rising
  std::function<std::vector<Index>()> folds;  ///< of the rows searched
};

/// What the search found, and how the density of z is to be fitted to all rows.
struct Found {
  Matrix components;  ///< d_z x n_inputs
  Cell cell{0, 0, 0};
  double sce = 0;
  LscdeOptions density;
  double factor = 1;  ///< by which z is divided
  bool interrupted = false;
};

/// So many of n rows are searched.
Index searched_rows(const LsceOptions& options, Index n) {
  return options.max_search_rows == 0 ? n : std::min(n, options.max_search_rows);
}

/// The numbers of components to try, rising; none above d_x, which stands for itself and all larger ones.
std::vector<Index> dimensions_of(const LsceOptions& options, Index d_x) {
  std::vector<Index> out;
  for (Index d = 1; options.n_components.empty() && d <= std::min(d_x, most_components); ++d) out.push_back(d);
  for (const double count : options.n_components) out.push_back(std::min(static_cast<Index>(count), d_x));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool has_candidates(const LsceOptions& options) {
  return options.bandwidth.size() > 1 || options.bandwidth_y.size() > 1 || options.regularization.size() > 1;
}

SearchData make_search_data(const Start& start, const LsceOptions& options, std::vector<Index> fold, const Run& run,
                            FitReport& report) {
  const Standardized& standardized = start.searched;
  const std::vector<Index>& varying = start.varying;
  const Dataset& all = standardized.data;
  SearchData out{.rows = {.x = Matrix(all.x(varying, Eigen::all)), .y = all.y, .weights = all.weights},
                 .centers_x = {},
                 .centers_y = {},
                 .fold = std::move(fold),
                 .center_fold = {}};
  if (options.centers.size() > 0) {
    out.centers_x = standardized.x.transform(options.centers.topRows(all.x.rows()))(varying, Eigen::all);
    out.centers_y = standardized.y.transform(options.centers.bottomRows(all.y.rows()));
    out.center_fold.assign(static_cast<std::size_t>(out.centers_y.cols()), -1);
    return out;
  }
  const std::vector<Index> chosen = preparation::choose_center_rows(
      out.rows, options.center_selection, options.n_centers, options.seed, resolve_threads(run.threads), report);
  out.centers_x = out.rows.x(Eigen::all, chosen);
  out.centers_y = out.rows.y(Eigen::all, chosen);
  for (const Index row : chosen) {
    const bool masked = options.mask_centers && !out.fold.empty();
    out.center_fold.push_back(masked ? out.fold[static_cast<std::size_t>(row)] : -1);
  }
  return out;
}

/// The lowest score, or the smallest subspace whose score is higher by no more than the standard
/// error of the difference.
std::size_t choose(const std::vector<Subspace>& path, SelectionRule rule) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < path.size(); ++k) {
    if (path[k].score.value < path[best].score.value) best = k;
  }
  if (rule == SelectionRule::minimum) return best;
  for (std::size_t k = 0; k < best; ++k) {
    const Vector difference = path[k].score.folds - path[best].score.folds;
    if (difference.allFinite() && difference.mean() <= lsce::summarise(difference).standard_error) return k;
  }
  return best;
}

Document path_to_document(const std::vector<Subspace>& path) {
  const auto column = [&](const auto& value) { return preparation::column(path, value); };
  return Document::Object{{"n_components", column([](const Subspace& s) { return static_cast<double>(s.w.rows()); })},
                          {"score", column([](const Subspace& s) { return s.score.value; })},
                          {"standard_error", column([](const Subspace& s) { return s.score.standard_error; })}};
}

/// Where each start ended: its objective, and the largest angle between its subspace and the best.
Document starts_to_document(const Subspace& found) {
  std::vector<std::string> sources;
  for (const lsce::Reached& start : found.reached) sources.push_back(start.source);
  const auto column = [&](const auto& value) { return preparation::column(found.reached, value); };
  return Document::Object{
      {"start", Document(sources)},
      {"objective", column([](const lsce::Reached& start) { return start.objective; })},
      {"left_behind", column([](const lsce::Reached& start) { return start.left_behind ? 1.0 : 0.0; })},
      {"angle", column([&](const lsce::Reached& start) { return principal_angles(start.w, found.w).maxCoeff(); })}};
}

/// What the search found, for the report.
void describe_search(const std::vector<Subspace>& path, std::size_t chosen, const LsceOptions& options,
                     FitReport& report) {
  const Subspace& found = path[chosen];
  const auto column = [&](const auto& value) { return preparation::column(path, value); };
  if (path.size() > 1) {
    report.details.set("candidates", path_to_document(path));
    preparation::report_folds(
        path, [](const Subspace& s) { return s.score.folds; }, report);
    report.details.set("score", found.score.value);
    report.details.set("score_standard_error", found.score.standard_error);
    report.details.set(
        "dimensions",
        Document::Object{{"n_components", column([](const Subspace& s) { return static_cast<double>(s.w.rows()); })},
                         {"objective", column([](const Subspace& s) { return s.objective; })},
                         {"bandwidth", column([](const Subspace& s) { return s.cell.bandwidth; })},
                         {"bandwidth_y", column([](const Subspace& s) { return s.cell.bandwidth_y; })},
                         {"regularization", column([](const Subspace& s) { return s.cell.regularization; })}});
  }
  if (!found.reached.empty()) report.details.set("starts", starts_to_document(found));
  report.details.set("objective", found.objective);
  preparation::warn_at_edge(options.bandwidth, found.cell.bandwidth, "bandwidth", report);
  preparation::warn_at_edge(options.bandwidth_y, found.cell.bandwidth_y, "bandwidth_y", report);
  preparation::warn_at_edge(options.regularization, found.cell.regularization, "regularization", report);
  lsce::report_search(found, report);
}

/// The root of the mean variance of the components of z.
double spread_of(const Matrix& z, const Vector& weights) {
  if (z.rows() == 0) return 1.0;
  const double spread = Standardizer::fit(z, weights).scale().norm() / std::sqrt(static_cast<double>(z.rows()));
  return spread > 0 ? spread : 1.0;
}

/// LSCDE of y given z with widths of its own, on standardised y.
LscdeOptions refit_options(const LsceOptions& options) {
  LscdeOptions inner{.center_selection = options.center_selection,
                     .mask_centers = options.mask_centers,
                     .defensive_weight = options.defensive_weight,
                     .scoring = options.scoring,
                     .standardize = false,
                     .seed = options.seed};
  // Few directions that matter bear narrower kernels than many inputs do.
  inner.bandwidth.insert(inner.bandwidth.begin(), {0.025, 0.05});
  inner.regularization.insert(inner.regularization.begin(), 1e-5);
  if (options.density == LsceDensity::same) {  // there are no inputs, and nothing was searched
    inner.bandwidth = options.bandwidth;
    inner.bandwidth_y = options.bandwidth_y;
    inner.regularization = options.regularization;
    inner.n_centers = options.n_centers;
    inner.refine = false;
    inner.metric = LscdeMetric::none;
  }
  return inner;
}

Found find(const Start& start, const LsceOptions& options, const Run& run, FitReport& report) {
  const Dataset& rows = start.searched.data;
  const Index d_x = std::ssize(start.varying);
  const std::vector<Index> dimensions = dimensions_of(options, d_x);
  Found out{.components = Matrix(0, rows.x.rows()), .density = refit_options(options)};
  if (d_x == 0) return out;
  const bool compare = dimensions.size() > 1;
  std::vector<Index> fold;
  if (compare || options.sparse || has_candidates(options)) fold = start.folds();
  const SearchData search_data = make_search_data(start, options, std::move(fold), run, report);
  const Matrix given = lsce::given_start(options.start_directions, start.searched.x, start.varying);
  lsce::Search search(search_data, options, given, std::ssize(dimensions), run);
  std::vector<Subspace> path = search.run(dimensions, compare, options.n_components.empty());
  const std::size_t chosen = compare ? choose(path, options.selection_rule) : 0;
  describe_search(path, chosen, options, report);
  if (options.sparse && !search.interrupted()) {
    try {
      path[chosen].w = search.eliminated(path[chosen], options.selection_rule, run, report);
    } catch (const Cancelled&) {
      if (!options.keep_best) throw;
    }
  }
  std::optional<Uninterrupted> answering;  // with what an interrupted search has reached
  out.interrupted = search.interrupted();
  if (out.interrupted) {
    report.status = "interrupted";
    report.warnings.emplace_back("the search was interrupted; this is the best subspace that it had found");
    answering.emplace();
  }
  const Subspace& found = path[chosen];
  const Matrix w = found.w.rows() < d_x ? lsce::turned(found.w, search_data, found.cell) : found.w;
  out.components = Matrix::Zero(w.rows(), rows.x.rows());
  out.components(Eigen::all, start.varying) = w;
  out.cell = found.cell;
  out.sce = lsce::sce_at(w, search_data, found.cell);
  if (w.rows() == d_x) {
    report.warnings.push_back(message("n_components is ", d_x, ", as many as there are inputs that vary (", d_x,
                                      "): nothing is reduced, this is LSCDE"));
  }
  if (options.density == LsceDensity::same) {
    out.density = lsce::density_options(search_data, w, found.cell, options.defensive_weight);
  } else {  // by one number, so that no direction in which x varies little counts for more than the search made of it
    out.factor = spread_of(out.components * rows.x, rows.weights);
  }
  return out;
}

/// The option cv for the rows that count, in the same folds.
std::vector<double> cv_of_rows(const LsceOptions& options, const Dataset& given) {
  if (options.cv.size() == 1) return options.cv;
  const std::vector<Index> fold = preparation::folds_of(options.cv, given, options.seed);
  return {fold.begin(), fold.end()};
}

/// The folds of some of the rows, numbered anew where they are the user's own.
std::vector<Index> folds_of_sample(const std::vector<Index>& fold, const std::vector<Index>& places, bool own) {
  std::vector<double> out;
  for (const Index place : places) out.push_back(static_cast<double>(fold[static_cast<std::size_t>(place)]));
  if (own) return check_folds(out, std::ssize(out));
  return {out.begin(), out.end()};
}

const LearnsExactly& learner_of(const ConditionalDensity& inner) {
  const auto* out = capability<LearnsExactly>(inner);
  if (out == nullptr) throw FormatError(message(owner, ": the density of the components does not learn from sums"));
  return *out;
}

/// What the inner model warns of, and that some input is constant.
void add_density(const FitReport& inner, FitReport& report) {
  for (const std::string& warning : inner.warnings) {
    const bool own = warning.starts_with("input ");
    report.warnings.push_back(own ? warning : "density of the components: " + warning);
  }
  if (report.status == "ok") report.status = inner.status;
}

}  // namespace

/// Fits the density of z by `fit_density(options, run)`, to what the search found, and tells of both.
struct Lsce::Finisher {
  const Start& start;
  const LsceOptions& options;
  const Run& run;
  Index n_rows;         ///< of the table
  const Dataset& ends;  ///< rows in which an input varies where it does in the table

  Lsce finish(Found found, FitReport report, const std::function<Lscde(const LscdeOptions&, const Run&)>& fit_density) {
    Run last = run;
    std::optional<Uninterrupted> answering;
    if (found.interrupted) {
      last.observer = {};  // it has said what it wants
      answering.emplace();
    }
    const auto inner =
        std::make_shared<const Lscde>(fit_density(found.density, last).rescaled(found.factor, start.searched.y));
    report.details.set("n_rows", n_rows);
    if (start.searched.data.size() < n_rows) report.details.set("n_rows_searched", start.searched.data.size());
    report.details.set("n_components", found.components.rows());
    report.details.set("sce", found.sce);
    report.details.set("bandwidth", found.cell.bandwidth);
    report.details.set("bandwidth_y", found.cell.bandwidth_y);
    report.details.set("regularization", found.cell.regularization);
    report.details.set("inner", inner->report().details);
    for (const Index k : preparation::varying_inputs(ends)) {
      if (std::binary_search(start.varying.begin(), start.varying.end(), k)) continue;
      report.warnings.push_back(
          message("input ", k + 1, " is constant in the rows that were searched and plays no part"));
    }
    add_density(report_of(*inner, ends), report);
    return {options,
            {found.cell.bandwidth, found.cell.bandwidth_y, found.cell.regularization, found.sce},
            {std::move(found.components), start.searched.x, inner},
            std::move(report)};
  }
};

Lsce Lsce::fit(const Dataset& data, const LsceOptions& options, const Run& run) {
  data.check(owner);
  check_options(options, data.x.rows(), data.y.rows());
  const FlushSubnormals guard;
  Dataset storage;
  const Dataset& rows = rows_that_count(data, storage);
  Standardized standardized = preparation::standardize(owner, rows, options.standardize);
  const Index n = rows.size();
  const std::vector<Index> places =
      sample_of_places(n, searched_rows(options, n), static_cast<std::uint64_t>(options.seed));
  const bool whole = std::ssize(places) == n;
  if (whole && options.standardize) preparation::round_rows(standardized.data);
  Dataset searched = whole ? standardized.data : standardized.data.subset(places);
  if (!whole) preparation::round_sample(searched, options.standardize);
  std::vector<Index> varying = preparation::varying_inputs(whole ? rows : searched);
  const Start start{{standardized.x, standardized.y, std::move(searched)}, std::move(varying), [&] {
                      const std::vector<Index> fold = preparation::folds_of(options.cv, data, options.seed);
                      return whole ? fold : folds_of_sample(fold, places, options.cv.size() > 1);
                    }};
  FitReport report;
  preparation::warn_of_lost_weights(data, report);
  Found found = find(start, options, run, report);
  const Dataset density_rows = projected_rows(standardized.data, found.components, found.factor);
  const auto fit_density = [&](LscdeOptions inner, const Run& own) {
    inner.cv = cv_of_rows(options, data);
    return Lscde::fit(density_rows, inner, own);
  };
  return Finisher{start, options, run, n, data}.finish(std::move(found), std::move(report), fit_density);
}

Document Lsce::closing_pass() const {
  // The density of z is of y in the units of the user.
  const auto scale = table_passes::Scale::of(x_scale(), Standardizer::identity(n_targets()));
  return projected_pass(scale.to_document(), components(), 1.0, learner_of(inner()).closing_pass());
}

std::unique_ptr<ConditionalDensity> Lsce::finished(const Document& state) const {
  std::shared_ptr<const ConditionalDensity> learned = learner_of(inner()).finished(state);
  FitReport told = report();
  told.details.set("n_rows", learned->report().details.at("n_rows")).set("inner", learned->report().details);
  return std::unique_ptr<ConditionalDensity>(
      new Lsce(options_, state_, {components(), x_scale(), std::move(learned)}, std::move(told)));
}

Lsce Lsce::fit(RowSums& table, const LsceOptions& options, const Run& run) {
  check_options(options, table.n_inputs(), table.n_targets());
  table_passes::check_cv(owner, options.cv);
  const FlushSubnormals guard;
  const table_passes::Extent extent = table_passes::extent_of(table);
  FitReport told;  // of constant inputs, which the end of the fit tells of
  const table_passes::Scale scale = table_passes::Scale::of(table, extent, owner, options.standardize, told);
  table_passes::Sample sample = table_passes::sample_of(table, searched_rows(options, extent.rows), options.seed);
  Dataset searched = scale.standardized(sample.rows);
  preparation::round_sample(searched, options.standardize);
  const Dataset ends = extent.ends(table);
  std::vector<Index> varying = preparation::varying_inputs(searched);
  const Start start{{scale.x(), scale.y(), std::move(searched)}, std::move(varying), [&] {
                      const Index count = table_passes::number_of_folds(owner, options.cv, extent.rows);
                      return folds_at_places(sample.places, count, static_cast<std::uint64_t>(options.seed));
                    }};
  FitReport report;
  Found found = find(start, options, run, report);
  ProjectedRows density_rows(table, scale, found.components, found.factor);
  const auto fit_density = [&](LscdeOptions inner, const Run& own) {
    inner.cv = options.cv;
    return Lscde::fit(density_rows, inner, own);
  };
  return Finisher{start, options, run, extent.rows, ends}.finish(std::move(found), std::move(report), fit_density);
}

}  // namespace condens
