#include "condens/estimators/salscde.hpp"

#include <algorithm>
#include <optional>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "model/preparation.hpp"
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
Matrix centers_on(const Matrix& centers, const std::vector<Index>& rows, const Dataset& data) {
  preparation::check_centers(owner, centers, data.x.rows(), data.y.rows());
  Matrix out(std::ssize(rows) + data.y.rows(), centers.cols());
  out << centers(rows, Eigen::all), centers.bottomRows(data.y.rows());
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

Salscde Salscde::fit(const Dataset& data, const SalscdeOptions& options, const Run& run) {
  data.check(owner);
  validate_options(options, owner);
  const SacdeOptions first = with_shared(options.selection, "selection", options);
  LscdeOptions second = with_shared(options.options, "options", options);
  require(options.start == SelectionStart::additive || options.residual_level > 0, owner,
          ": start = empty with residual_level = 0 selects nothing, expected residual_level > 0");
  const auto inputs = data.inputs();
  std::optional<Sacde> selection;
  std::vector<Index> rows;
  if (options.start == SelectionStart::additive) {
    selection.emplace(Sacde::fit(data, first, run));
    rows = selected_rows(*selection, inputs, options.least_norm);
  }
  const Matrix centers = second.centers.size() > 0 ? second.centers : first.centers;
  const auto fit_selected = [&] {
    if (centers.size() > 0) second.centers = centers_on(centers, rows, data);
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

  FitReport report = report_of(*lscde, rows, data);
  if (selection) add_selection(selection->report(), report);
  if (!fold.empty()) {
    report.details.set("residual_tests",
                       Document::Object{{"inputs", vector_of(added.inputs)}, {"p_values", vector_of(added.p_values)}});
  }
  if (rows.empty() && data.x.rows() > 0) {
    report.warnings.emplace_back("no input was selected: the distribution is the marginal one, whatever the inputs");
  }
  return {options,
          {selection ? selection->feature_importances() : Vector(Vector::Zero(data.x.rows())),
           selection ? selection->stability() : Vector()},
          {data.x.rows(), std::move(rows), lscde},
          std::move(report)};
}

}  // namespace condens
