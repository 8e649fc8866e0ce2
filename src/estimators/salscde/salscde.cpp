#include "condens/estimators/salscde.hpp"

#include <algorithm>
#include <optional>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
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

/// The rows of x of the inputs with norms above a share of the largest.
std::vector<Index> selected_rows(const Sacde& selection, const std::vector<std::vector<Index>>& inputs, double share) {
  const Vector norms = selection.coefficients().colwise().norm();
  std::vector<Index> out;
  for (std::size_t d = 0; d < inputs.size(); ++d) {
    if (norms[static_cast<Index>(d)] > share * norms.maxCoeff()) {
      out.insert(out.end(), inputs[d].begin(), inputs[d].end());
    }
  }
  return out;
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
  Stages stages(options);
  LscdeOptions& second = stages.second;
  const auto inputs = data.inputs();
  std::optional<Sacde> selection;
  std::vector<Index> rows;
  if (options.start == SelectionStart::additive) {
    selection.emplace(Sacde::fit(data, stages.first, run));
    rows = selected_rows(*selection, inputs, options.least_norm);
  }
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
    for (const double input : found.inputs) {
      const auto& own = inputs[static_cast<std::size_t>(input)];
      rows.insert(rows.end(), own.begin(), own.end());
    }
    std::sort(rows.begin(), rows.end());
    added.inputs.insert(added.inputs.end(), found.inputs.begin(), found.inputs.end());
    added.p_values.insert(added.p_values.end(), found.p_values.begin(), found.p_values.end());
    lscde = fit_selected();
  }
  Document tests;
  if (!fold.empty()) {
    tests = Document::Object{{"inputs", vector_of(added.inputs)}, {"p_values", vector_of(added.p_values)}};
  }
  return stages.finish(selection ? &*selection : nullptr, std::move(rows), std::move(lscde), tests, data);
}

Salscde Salscde::fit(RowSums& table, const SalscdeOptions& options, const Run& run) {
  Stages stages(options);
  require(options.residual_level == 0, owner, ": residual_level = ", options.residual_level,
          " of a table that is not in memory, expected 0; the tests of the residuals need all rows");
  const Dataset ends = table_passes::extent_of(table).ends(table);
  const Sacde selection = Sacde::fit(table, stages.first, run);
  std::vector<Index> rows = selected_rows(selection, ends.inputs(), options.least_norm);
  stages.second.centers = centers_on(stages.centers, rows, table.n_inputs(), table.n_targets());
  SelectedRows selected(table, rows);
  auto lscde = std::make_shared<const Lscde>(Lscde::fit(selected, stages.second, run));
  return stages.finish(&selection, std::move(rows), std::move(lscde), {}, ends);
}

}  // namespace condens
