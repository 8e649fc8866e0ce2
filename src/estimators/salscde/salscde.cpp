#include "condens/estimators/salscde.hpp"

#include "condens/core/errors.hpp"
#include "model/preparation.hpp"

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
  preparation::check_centers(owner, centers, data);
  Matrix out(std::ssize(rows) + data.y.rows(), centers.cols());
  out << centers(rows, Eigen::all), centers.bottomRows(data.y.rows());
  return out;
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
  SalscdeOptions out{.selection = SacdeOptions::paper(), .options = LscdeOptions::paper()};
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
  const Sacde selection = Sacde::fit(data, first, run);
  const Vector support = selection.support();
  std::vector<Index> rows;
  for (Index row = 0; row < support.size(); ++row) {
    if (support[row] > 0) rows.push_back(row);
  }
  if (second.centers.size() == 0) second.centers = first.centers;
  if (second.centers.size() > 0) second.centers = centers_on(second.centers, rows, data);
  auto lscde = std::make_shared<const Lscde>(Lscde::fit(select_inputs(data, rows), second, run));

  FitReport report = report_of(*lscde, rows, data);
  add_selection(selection.report(), report);
  if (rows.empty() && data.x.rows() > 0) {
    report.warnings.emplace_back("no input was selected: the distribution is the marginal one, whatever the inputs");
  }
  return {options,
          {selection.feature_importances(), selection.stability()},
          {data.x.rows(), std::move(rows), lscde},
          std::move(report)};
}

}  // namespace condens
