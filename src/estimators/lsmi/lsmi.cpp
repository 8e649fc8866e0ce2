#include "condens/estimators/lsmi.hpp"

#include <algorithm>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "core/flush_subnormals.hpp"
#include "estimators/lsce/search.hpp"
#include "model/preparation.hpp"
#include "model/reduced_fit.hpp"
#include "model/rounded_rows.hpp"
#include "optim/grassmann.hpp"

namespace condens {

using lsce::Cell;
using lsce::SearchData;
using lsce::Subspace;

LsmiOptions LsmiOptions::paper() {
  const LsceOptions lsce = LsceOptions::paper();
  return {.selection_rule = lsce.selection_rule,
          .bandwidth = lsce.bandwidth,
          .bandwidth_y = lsce.bandwidth_y,
          .regularization = lsce.regularization,
          .n_centers = lsce.n_centers,
          .center_selection = lsce.center_selection,
          .mask_centers = lsce.mask_centers,
          .optimizer = lsce.optimizer,
          .informed_starts = lsce.informed_starts,
          .random_starts = lsce.random_starts,
          .tuning = lsce.tuning,
          .steps_per_tuning = lsce.steps_per_tuning,
          .max_steps = lsce.max_steps,
          .model_preset = "paper"};
}

void LsmiOptions::give_way(const Document& given) {
  if (informed_starts || random_starts > 0) return;
  if (given.find("informed_starts") == nullptr) informed_starts = true;
  if (given.find("random_starts") == nullptr) random_starts = LsmiOptions{}.random_starts;
}

namespace {

constexpr std::string_view owner = Lsmi::class_name;

constexpr Index steps_of_fold = 30;  // on the rows of all folds but one, from the W of all rows

void check_options(const LsmiOptions& options, Index n_inputs) {
  validate_options(options, owner);
  lsce::check_starts(owner, options.informed_starts, options.random_starts, options.start_directions, n_inputs);
}

/// The options of the search that LSCE and LSMI share.
LsceOptions search_options(const LsmiOptions& options) {
  return {.bandwidth = options.bandwidth,
          .bandwidth_y = options.bandwidth_y,
          .regularization = options.regularization,
          .n_centers = options.n_centers,
          .center_selection = options.center_selection,
          .mask_centers = options.mask_centers,
          .criterion = ProjectionCriterion::envelope,
          .optimizer = options.optimizer,
          .informed_starts = options.informed_starts,
          .start_directions = options.start_directions,
          .random_starts = options.random_starts,
          .tuning = options.tuning,
          .steps_per_tuning = options.steps_per_tuning,
          .max_steps = options.max_steps,
          .standardize = options.standardize,
          .seed = options.seed};
}

/// From `start` on, with the hyper-parameters of `cell`; `start` where these have no solution.
Matrix descended(const SearchData& data, const LsceOptions& options, const Cell& cell, const Matrix& start,
                 Task& task) {
  const ProjectionObjective f(data.rows.x, data.rows.weights, data.centers_x,
                              smi_kernels(data.rows.y, data.rows.weights, data.centers_y, cell.bandwidth_y),
                              cell.bandwidth, cell.regularization, options.criterion);
  const auto value = [&](const Matrix& w, Matrix& gradient) {
    ProjectionValue here = f.evaluate(w, task.threads(), [&] { task.poll(); });
    gradient = std::move(here.gradient);
    return here.value;
  };
  const SubspaceSettings settings{.max_iterations = steps_of_fold, .value_tolerance = 1e-9};
  try {
    return options.optimizer == LsceOptimizer::lbfgs ? minimize_lifted(value, start, settings).w
                                                     : descend_geodesics(value, start, settings).w;
  } catch (const NumericalError&) {
    return start;
  }
}

/// The directions of one set of rows after the other: those of all rows come first, and leave
/// their hyper-parameters for those of the folds.
class Directions {
 public:
  explicit Directions(const LsmiOptions& options)
      : options_(search_options(options)),
        folds_(options.cv.size() == 1 ? static_cast<Index>(options.cv[0]) : 5),
        standardized_(options.standardize) {}

  std::vector<Matrix> find(const Dataset& rows, const std::vector<Index>& dimensions, const Standardizer& scale,
                           const Run& run) {
    const std::vector<Index> varying = preparation::varying_inputs(rows);
    const Index d_x = std::ssize(varying);
    if (d_x == 0) return std::vector<Matrix>(dimensions.size(), Matrix(0, rows.x.rows()));
    std::vector<Index> possible;  // none above d_x, which stands for itself and all larger ones
    for (const Index d : dimensions) {
      if (possible.empty() || possible.back() < d_x) possible.push_back(std::min(d, d_x));
    }
    const SearchData data = search_data(rows, varying, run);
    const Matrix given = lsce::given_start(options_.start_directions, scale, varying);
    lsce::Search search(data, options_, given, std::ssize(possible), run);
    found_ = search.run(possible, false, false);
    std::vector<Matrix> out;
    for (Subspace& subspace : found_) {
      if (subspace.w.rows() < d_x) subspace.w = lsce::turned(subspace.w, data, subspace.cell);
      out.push_back(reduction::embedded(subspace.w, varying, rows.x.rows()));
    }
    out.resize(dimensions.size(), out.back());
    found_.resize(dimensions.size(), found_.back());
    return out;
  }

  /// Goes on from `start`, with the hyper-parameters that led to what was found in this place.
  Matrix again(const Dataset& rows, const Matrix& start, std::size_t place, const Run& run) const {
    const std::vector<Index> varying = preparation::varying_inputs(rows);
    const Matrix own = start(Eigen::all, varying);
    if (own.rows() >= own.cols()) return start;
    const SearchData data = search_data(rows, varying, run);
    Task task(run, "searching directions", 1.0);
    return reduction::embedded(descended(data, options_, found_[place].cell, own, task), varying, rows.x.rows());
  }

  /// Turned as those of all inputs are.
  Matrix settled(const Dataset& rows, const Matrix& found, std::size_t place, const Run& run) const {
    const std::vector<Index> varying = preparation::varying_inputs(rows);
    if (found.rows() >= std::ssize(varying)) return found;
    const Matrix own = found(Eigen::all, varying);
    return reduction::embedded(lsce::turned(own, search_data(rows, varying, run), found_[place].cell), varying,
                               rows.x.rows());
  }

  const std::vector<Subspace>& found() const { return found_; }

 private:
  SearchData search_data(Dataset rows, const std::vector<Index>& varying, const Run& run) const {
    if (standardized_) preparation::round_rows(rows);
    SearchData out{.rows = {.x = Matrix(rows.x(varying, Eigen::all)), .y = rows.y, .weights = rows.weights},
                   .centers_x = {},
                   .centers_y = {},
                   .fold = {},
                   .center_fold = {},
                   .estimate = lsce::Estimate::ratio};
    const bool chooses =
        options_.bandwidth.size() > 1 || options_.bandwidth_y.size() > 1 || options_.regularization.size() > 1;
    const Index folds = std::min(folds_, rows.size());  // of rows no two of which are equal
    if (chooses) out.fold = assign_folds(rows.size(), folds, static_cast<std::uint64_t>(options_.seed));
    FitReport unseen;
    const std::vector<Index> centers = preparation::choose_center_rows(
        out.rows, options_.center_selection, options_.n_centers, options_.seed, resolve_threads(run.threads), unseen);
    out.centers_x = out.rows.x(Eigen::all, centers);
    out.centers_y = out.rows.y(Eigen::all, centers);
    for (const Index row : centers) {
      out.center_fold.push_back(options_.mask_centers && chooses ? out.fold[static_cast<std::size_t>(row)] : -1);
    }
    return out;
  }

  LsceOptions options_;
  Index folds_;
  bool standardized_;
  std::vector<Subspace> found_ = {};
};

/// What the search of the chosen directions did.
void report_search(const Subspace& found, const LsmiOptions& options, FitReport& report) {
  if (options.bandwidth.size() > 1) report.details.set("bandwidth", found.cell.bandwidth);
  if (options.bandwidth_y.size() > 1) report.details.set("bandwidth_y", found.cell.bandwidth_y);
  if (options.regularization.size() > 1) report.details.set("regularization", found.cell.regularization);
  preparation::warn_at_edge(options.bandwidth, found.cell.bandwidth, "bandwidth", report);
  preparation::warn_at_edge(options.bandwidth_y, found.cell.bandwidth_y, "bandwidth_y", report);
  preparation::warn_at_edge(options.regularization, found.cell.regularization, "regularization", report);
  lsce::report_search(found, report);
}

}  // namespace

Lsmi Lsmi::fit(const Dataset& data, const LsmiOptions& options, const InnerModel& inner, const Run& run) {
  check_options(options, data.x.rows());
  const FlushSubnormals guard;
  Directions directions(options);
  const reduction::Finder finder{
      .find = [&](const Dataset& rows, const std::vector<Index>& dimensions, const Standardizer& scale,
                  const Run& own) { return directions.find(rows, dimensions, scale, own); },
      .again = [&](const Dataset& rows, const Matrix& start, std::size_t place,
                   const Run& own) { return directions.again(rows, start, place, own); },
      .settle = [&](const Dataset& rows, const Matrix& found, std::size_t place,
                    const Run& own) { return directions.settled(rows, found, place, own); }};
  reduction::Reduction found = reduction::fit(data,
                                              {.owner = owner,
                                               .n_components = options.n_components,
                                               .selection_rule = options.selection_rule,
                                               .scoring = options.scoring,
                                               .cv = options.cv,
                                               .standardize = options.standardize,
                                               .seed = options.seed,
                                               .sparse = options.sparse,
                                               .options = options.options},
                                              inner, finder, run);
  LsmiState state;
  if (found.place < directions.found().size()) {
    const Subspace& subspace = directions.found()[found.place];
    state = {subspace.cell.bandwidth, subspace.cell.bandwidth_y, subspace.cell.regularization,
             -0.5 - subspace.objective};
    report_search(subspace, options, found.report);
  }
  FitReport report = reduction::with_density(std::move(found.report), report_of(*found.inner, data));
  return {
      options, state, {std::move(found.components), std::move(found.scale), std::move(found.inner)}, std::move(report)};
}

}  // namespace condens
