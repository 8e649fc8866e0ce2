#include "condens/estimators/salscde.hpp"

#include <algorithm>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "estimators/sacde/input_groups.hpp"
#include "model/preparation.hpp"
#include "model/selected_rows.hpp"
#include "model/table_passes.hpp"
#include "residuals.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = Salscde::class_name;

/// A stage with the options that both share.
template <class Stage>
Stage with_shared(Stage stage, std::string_view name, const SalscdeOptions& options) {
  const Stage unset;
  require(stage.scoring == unset.scoring && stage.cv == unset.cv && stage.seed == unset.seed, owner, ": ", name,
          ": scoring, cv and seed are options of both stages together; give them without '", name, ".'");
  stage.scoring = options.scoring;
  stage.cv = options.cv;
  stage.seed = options.seed;
  return stage;
}

/// Given centres [x, y] with the selected rows of x only.
Matrix centers_on(const Matrix& centers, const std::vector<Index>& rows, Index n_inputs, Index n_targets) {
  if (centers.size() == 0) return centers;
  preparation::check_centers(owner, centers, n_inputs, n_targets);
  Matrix out(std::ssize(rows) + n_targets, centers.cols());
  out << centers(rows, Eigen::all), centers.bottomRows(n_targets);
  return out;
}

/// The rows of x of the groups of inputs with norms above a share of the largest, rising.
std::vector<Index> selected_rows(const Sacde& selection, const sacde::InputGroups& groups, double share) {
  const Vector norms = selection.coefficients().colwise().norm();
  std::vector<Index> out;
  for (Index g = 0; g < groups.size(); ++g) {
    const auto& rows = groups.rows[static_cast<std::size_t>(g)];
    if (norms[g] > share * norms.maxCoeff()) out.insert(out.end(), rows.begin(), rows.end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Adds the rows of x of every group that has one of the inputs; rising.
void add_groups(const std::vector<double>& inputs, const sacde::InputGroups& groups, std::vector<Index>& rows) {
  for (Index g = 0; g < groups.size(); ++g) {
    const auto& own = groups.inputs[static_cast<std::size_t>(g)];
    const bool found = std::any_of(inputs.begin(), inputs.end(), [&](double input) {
      return std::find(own.begin(), own.end(), static_cast<Index>(input)) != own.end();
    });
    const auto& more = groups.rows[static_cast<std::size_t>(g)];
    if (found) rows.insert(rows.end(), more.begin(), more.end());
  }
  std::sort(rows.begin(), rows.end());
}

Vector vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), std::ssize(values));
}

/// The folds of the residuals: those of cross-validation, but more where their number is ours, so that what is fitted
/// to the others is nearly the model. None where a fold would leave too little to fit or to test.
std::vector<Index> folds_of_residuals(const Dataset& rows, const Dataset& given, const SalscdeOptions& options) {
  constexpr double usual = 10;
  constexpr Index fewest_rows = 20;
  if (options.residual_level == 0 || rows.x.rows() == 0 || rows.size() < fewest_rows) return {};
  std::vector<double> cv = options.cv;
  if (cv.size() == 1) cv = preparation::at_most_rows({std::max(usual, cv.front())}, rows.size());
  std::vector<Index> fold = preparation::folds_of(cv, given, options.seed);
  for (Index k = 0; k <= *std::max_element(fold.begin(), fold.end()); ++k) {
    const Matrix y = rows.y(Eigen::all, rows_of_fold(fold, k).train);
    if (!((y.rowwise().maxCoeff() - y.rowwise().minCoeff()).minCoeff() > 0)) return {};
  }
  return fold;
}

/// The second stage's report, and what the first one did below "selection".
void add_selection(const FitReport& selection, FitReport& report) {
  for (const std::string& warning : selection.warnings) {
    if (!warning.starts_with("input ") && !warning.starts_with("no input "))
      report.warnings.push_back("selection: " + warning);
  }
  report.details.set("selection", selection.details);
  if (const Document* certificate = selection.details.find("certificate")) {
    report.details.set("certificate", *certificate);
  }
  if (report.status == "ok") report.status = selection.status;
}

}  // namespace

SalscdeOptions SalscdeOptions::paper() {
  SalscdeOptions out{.selection = SacdeOptions::paper(), .options = LscdeOptions::paper(), .residual_level = 0};
  out.options.bandwidth = out.selection.bandwidth;
  out.options.regularization = out.selection.regularization;
  return out;
}

Salscde::Salscde(SalscdeOptions options, SalscdeState state, Parts parts, FitReport report)
    : FittedWrapper(std::move(options), std::move(state), std::move(parts), std::move(report)),
      lscde_(dynamic_cast<const Lscde*>(&inner())) {
  if (lscde_ == nullptr) throw FormatError("SALSCDE: the model inside is no LSCDE");
}

struct Salscde::Stages {
  const SalscdeOptions& options;
  SacdeOptions first;
  LscdeOptions second;
  Matrix centers;  ///< given ones

  explicit Stages(const SalscdeOptions& all)
      : options(all),
        first(with_shared(all.selection, "selection", all)),
        second(with_shared(all.options, "options", all)),
        centers(second.centers.size() > 0 ? second.centers : first.centers) {
    validate_options(all, owner);
    require(all.start == SelectionStart::additive || all.residual_level > 0, owner,
            ": start = empty with residual_level = 0 selects nothing, expected residual_level > 0");
  }

  /// `data` has the inputs that vary in all rows.
  Salscde finish(const Sacde* selection, std::vector<Index> rows, std::shared_ptr<const Lscde> lscde,
                 const Document& residual_tests, const Dataset& data) const {
    FitReport report = report_of(*lscde, rows, data);
    if (selection != nullptr) add_selection(selection->report(), report);
    if (!residual_tests.is_null()) report.details.set("residual_tests", residual_tests);
    const Index n_inputs = data.x.rows();
    if (rows.empty() && n_inputs > 0) {
      report.warnings.emplace_back("no input was selected: the distribution is the marginal one, whatever the inputs");
    }
    return {options,
            {selection != nullptr ? selection->feature_importances() : Vector(Vector::Zero(n_inputs)),
             selection != nullptr ? selection->stability() : Vector()},
            {n_inputs, std::move(rows), std::move(lscde)},
            std::move(report)};
  }
};

Salscde Salscde::fit(const Dataset& data, const SalscdeOptions& options, const Run& run) {
  data.check(owner);
  const Stages stages(options);
  if (options.start == SelectionStart::empty) return fit_on(nullptr, data, options, run);
  const Sacde selection = Sacde::fit(data, stages.first, run);
  return fit_on(&selection, data, options, run);
}

Salscde Salscde::fit(const Sacde& selection, const Dataset& data, const SalscdeOptions& options, const Run& run) {
  data.check(owner);
  require(options.start == SelectionStart::additive, owner, ": start = empty with a selection, expected additive");
  require(selection.n_inputs() == data.x.rows() && selection.n_targets() == data.y.rows(), owner, ": a selection of ",
          selection.n_inputs(), " inputs and ", selection.n_targets(), " targets for data of ", data.x.rows(), " and ",
          data.y.rows(), ", expected the same numbers");
  const Index groups = sacde::input_groups(data, options.selection.groups).size();
  require(selection.coefficients().cols() == groups, owner, ": a selection among ", selection.coefficients().cols(),
          " groups of inputs with ", groups, " in selection.groups, expected those of the selection");
  return fit_on(&selection, data, options, run);
}

Salscde Salscde::fit_on(const Sacde* selection, const Dataset& data, const SalscdeOptions& options, const Run& run) {
  Stages stages(options);
  LscdeOptions& second = stages.second;
  const sacde::InputGroups groups = sacde::input_groups(data, options.selection.groups);
  std::vector<Index> rows;
  if (selection != nullptr) rows = selected_rows(*selection, groups, options.least_norm);
  const auto fit_selected = [&] {
    second.centers = centers_on(stages.centers, rows, data.x.rows(), data.y.rows());
    return std::make_shared<const Lscde>(Lscde::fit(select_inputs(data, rows), second, run));
  };
  auto lscde = fit_selected();

  Dataset storage;
  const Dataset& counted = rows_that_count(data, storage);
  const std::vector<Index> fold = folds_of_residuals(counted, data, options);
  salscde::Found added;
  while (!fold.empty() && std::ssize(rows) < data.x.rows()) {
    const Matrix scores = salscde::held_out_scores(select_inputs(counted, rows), second, *lscde, fold, run);
    const salscde::Found found = salscde::test_inputs(counted, scores, rows, options.residual_level, run);
    if (found.inputs.empty()) break;
    add_groups(found.inputs, groups, rows);
    added.inputs.insert(added.inputs.end(), found.inputs.begin(), found.inputs.end());
    added.p_values.insert(added.p_values.end(), found.p_values.begin(), found.p_values.end());
    lscde = fit_selected();
  }
  Document tests;
  if (!fold.empty()) {
    tests = Document::Object{{"inputs", vector_of(added.inputs)}, {"p_values", vector_of(added.p_values)}};
  }
  return stages.finish(selection, std::move(rows), std::move(lscde), tests, data);
}

Salscde Salscde::fit(RowSums& table, const SalscdeOptions& options, const Run& run) {
  Stages stages(options);
  require(options.residual_level == 0, owner, ": residual_level = ", options.residual_level,
          " of a table that is not in memory, expected 0; the tests of the residuals need all rows");
  const Dataset ends = table_passes::extent_of(table).ends(table);
  const Sacde selection = Sacde::fit(table, stages.first, run);
  const sacde::InputGroups groups = sacde::input_groups(ends, options.selection.groups);
  std::vector<Index> rows = selected_rows(selection, groups, options.least_norm);
  stages.second.centers = centers_on(stages.centers, rows, table.n_inputs(), table.n_targets());
  SelectedRows selected(table, rows);
  auto lscde = std::make_shared<const Lscde>(Lscde::fit(selected, stages.second, run));
  return stages.finish(&selection, std::move(rows), std::move(lscde), {}, ends);
}

}  // namespace condens
