#include "condens/estimators/salscde.hpp"

#include "condens/core/errors.hpp"
#include "model/preparation.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = "SALSCDE";

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

Salscde::Salscde(SalscdeOptions options, Vector importances, Vector stability, std::vector<Index> rows,
                 const std::shared_ptr<const Lscde>& lscde, FitReport report)
    : SubsetDensity(importances.size(), std::move(rows), lscde, std::move(report)),
      options_(std::move(options)),
      importances_(std::move(importances)),
      stability_(std::move(stability)),
      lscde_(lscde) {}

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
  return Salscde(options, selection.feature_importances(), selection.stability(), std::move(rows), lscde,
                 std::move(report));
}

Document Salscde::to_document() const {
  Document out;
  out.set("options", options()).set("feature_importances", importances_).set("stability", stability_);
  write(out);
  return out.set("report", report().to_document());
}

Salscde Salscde::from_document(const Document& document) {
  SalscdeOptions options;
  set_options(options, owner, document.at("options"));
  Vector importances = document.at("feature_importances").as_vector();
  Vector stability = document.at("stability").as_vector();
  const Index d_x = importances.size();
  if (document.at("support").as_vector().size() != d_x || (stability.size() != 0 && stability.size() != d_x)) {
    throw FormatError("SALSCDE: the parameters do not fit together");
  }
  const auto lscde = std::make_shared<const Lscde>(Lscde::from_document(document.at("inner").at("parameters")));
  return Salscde(std::move(options), std::move(importances), std::move(stability), read_rows(document), lscde,
                 FitReport::from_document(document.at("report")));
}

}  // namespace condens
