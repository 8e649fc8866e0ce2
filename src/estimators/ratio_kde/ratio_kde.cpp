#include "condens/estimators/ratio_kde.hpp"

#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/estimators/nadaraya_watson/leave_one_out.hpp"
#include "condens/estimators/nadaraya_watson/metric.hpp"
#include "condens/estimators/parzen/window.hpp"
#include "estimators/parzen/criterion.hpp"
#include "model/kernel_rows.hpp"
#include "model/preparation.hpp"

namespace condens {

using preparation::Standardized;

RatioKdeOptions RatioKdeOptions::paper() {
  return {.widths = RatioWidths::separate,
          .shape = ParzenShapeChoice::isotropic,
          .bandwidth = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10},
          .defensive_weight = 0.0};
}

void RatioKdeOptions::give_way(const Document& given) {
  const auto is_given = [&](std::string_view name) { return given.find(name) != nullptr; };
  if (!is_given("widths") && is_given("bandwidth_y") && !bandwidth_y.empty()) widths = RatioWidths::equal;
  if (!is_given("widths") && is_given("bandwidth_denominator") && !bandwidth_denominator.empty()) {
    widths = RatioWidths::separate;
  }
  if (shape == ParzenShapeChoice::diagonal && !is_given("bandwidth")) bandwidth.clear();
}

namespace {

constexpr std::string_view owner = RatioKde::class_name;

void check_options(const RatioKdeOptions& o, const Dataset& data) {
  validate_options(o, owner);
  const bool separate = o.widths == RatioWidths::separate;
  require(!separate || o.bandwidth_y.empty(), owner, ": bandwidth_y has ", o.bandwidth_y.size(),
          " numbers, expected none: with separate widths bandwidth is that of all columns of the numerator");
  require(separate || o.bandwidth_denominator.empty(), owner, ": bandwidth_denominator has ",
          o.bandwidth_denominator.size(), " numbers, expected none: with equal widths it is bandwidth");
  require(o.bandwidth_y.size() <= 1 || !o.bandwidth.empty(), owner, ": bandwidth_y has ", o.bandwidth_y.size(),
          " candidates, expected at most one where bandwidth is learned");
  if (o.shape != ParzenShapeChoice::diagonal) {
    require_distinct(owner, "bandwidth", o.bandwidth);
    require_distinct(owner, "bandwidth_denominator", o.bandwidth_denominator);
    return;
  }
  const auto check_count = [](const std::vector<double>& widths, std::string_view name, Index columns) {
    require(widths.size() <= 1 || std::ssize(widths) == columns, owner, ": ", name, " has ", widths.size(),
            " numbers, expected none (learned), one, or one for each of the ", columns, " columns");
  };
  check_count(o.bandwidth, "bandwidth", data.x.rows() + (separate ? data.y.rows() : 0));
  check_count(o.bandwidth_denominator, "bandwidth_denominator", data.x.rows());
}

NwMetricChoice metric_of(ParzenShapeChoice shape) {
  switch (shape) {
    case ParzenShapeChoice::isotropic:
      return NwMetricChoice::isotropic;
    case ParzenShapeChoice::diagonal:
      return NwMetricChoice::diagonal;
    case ParzenShapeChoice::automatic:
      break;
  }
  return NwMetricChoice::automatic;
}

/// Equal widths: the ratio is this model.
NadarayaWatsonOptions conditional_options(const RatioKdeOptions& o) {
  const bool candidates = o.shape != ParzenShapeChoice::diagonal && o.bandwidth.size() > 1;
  return {.metric = metric_of(o.shape),
          .bandwidth = o.bandwidth,
          .bandwidth_y = o.bandwidth_y,
          .common_bandwidth = candidates && o.bandwidth_y.empty(),
          .bandwidth_y_floor = o.bandwidth_floor,
          .metric_rows = o.width_rows,
          .defensive_weight = o.defensive_weight,
          .standardize = false,
          .seed = o.seed};
}

/// Separate widths: what chooses those of one density.
ParzenOptions window_options(const RatioKdeOptions& o, std::vector<double> bandwidth) {
  return {.shape = o.shape,
          .bandwidth = std::move(bandwidth),
          .bandwidth_floor = o.bandwidth_floor,
          .width_rows = o.width_rows,
          .defensive_weight = o.defensive_weight,
          .standardize = false,
          .seed = o.seed};
}

/// The widths that are given for the rows `varying` of x, or candidates for them.
std::vector<double> given_for_denominator(const RatioKdeOptions& o, const std::vector<Index>& varying) {
  const bool one_for_each = o.shape == ParzenShapeChoice::diagonal;
  if (o.bandwidth_denominator.empty()) {
    return one_for_each && o.bandwidth.size() > 1 ? std::vector<double>() : o.bandwidth;
  }
  if (!one_for_each || o.bandwidth_denominator.size() == 1) return o.bandwidth_denominator;
  std::vector<double> out;
  for (const Index k : varying) out.push_back(o.bandwidth_denominator[static_cast<std::size_t>(k)]);
  return out;
}

/// The widths of the density of x. A constant input has the numerator's: it plays no part.
Vector choose_denominator(const Dataset& data, const RatioKdeOptions& options, const VectorView& numerator,
                          const Run& run, FitReport& report) {
  std::vector<Index> varying;
  for (Index k = 0; k < data.x.rows(); ++k) {
    if ((data.x.row(k).array() != data.x(k, 0)).any()) varying.push_back(k);
  }
  Vector out = numerator;
  if (varying.empty()) return out;
  const Dataset inputs{.x = Matrix(0, data.size()), .y = Matrix(data.x(varying, Eigen::all)), .weights = data.weights};
  const Parzen window = Parzen::fit(inputs, window_options(options, given_for_denominator(options, varying)), run);
  for (const std::string& warning : window.report().warnings) report.warnings.push_back("denominator: " + warning);
  report.details.set("denominator", window.report().details);
  out(varying) = window.bandwidths();
  return out;
}

/// What the fit of the law says; "input 2 is constant ..." stands already.
void add_report(const FitReport& law, FitReport& report) {
  report.status = law.status;
  report.warnings.insert(report.warnings.end(), law.warnings.begin(), law.warnings.end());
  report.details = law.details;
}

/// The leave-one-out score of the law, as of models that are fitted to y given x, and that of the ratio, its mass
/// included: a row leaves both densities.
void report_scores(const Dataset& data, const Parzen& law, const Vector& denominator, const RatioKdeOptions& options,
                   const Run& run, FitReport& report) {
  Dataset rows = rows_to_compare(data, true, options.width_rows, options.seed);
  const Index d = rows.x.rows();
  const Vector numerator = law.bandwidths().head(d);
  // Each target in its own width: the likelihood knows one for all.
  const Vector widths_y = law.bandwidths().tail(rows.y.rows());
  rows.y = Matrix(widths_y.cwiseInverse().asDiagonal() * rows.y);
  const NwLeaveOneOut likelihood(rows.x, rows.y, rows.weights, Defensive::fit(options.defensive_weight, rows));
  Task task(run, "scoring the ratio", 1);
  const auto poll = [&] { task.poll(); };
  const NwLikelihood found = likelihood.of_widths(numerator, 1.0, task.threads(), poll);
  const auto residuals = found.rows.array() - found.value;
  const double score = widths_y.array().log().sum() - found.value;
  double mass = 0;
  if (d > 0) {
    const ParzenCriterion inputs(Scoring::nll, rows.x, rows.weights);
    mass = inputs.of_widths(denominator, task.threads(), poll).value -
           inputs.of_widths(numerator, task.threads(), poll).value;
  }
  report.details.set("n_rows_compared", rows.size());
  report.details.set("score", score);
  report.details.set("score_standard_error", std::sqrt((likelihood.weights().array() * residuals).square().sum()));
  report.details.set("ratio_score", score - mass);
}

}  // namespace

const ConditionalDensity& RatioNumerator::law() const {
  if (equal) return *equal;
  return *separate;
}

RatioNumerator RatioNumerator::from_document(const Document& document, Index) {
  const bool joint = document.find("log_weights") != nullptr;
  if (joint) return {.separate = std::make_shared<const Parzen>(Parzen::from_document(document))};
  return {.equal = std::make_shared<const NadarayaWatson>(NadarayaWatson::from_document(document))};
}

RatioKde::RatioKde(RatioKdeOptions options, RatioKdeState state, Standardizer x_scale, Standardizer y_scale,
                   FitReport report)
    : FittedModel(std::move(options), std::move(state), std::move(x_scale), std::move(y_scale), std::move(report)) {
  const ConditionalDensity& law = state_.law.law();
  if (law.n_inputs() != n_inputs() || law.n_targets() != n_targets() ||
      (state_.law.equal != nullptr) != (options_.widths == RatioWidths::equal)) {
    throw FormatError("RatioKDE: the parameters do not fit together");
  }
}

Vector RatioKde::bandwidths() const {
  const auto& [equal, separate] = state_.law;
  return equal ? equal->bandwidths() : Vector(separate->bandwidths().head(n_inputs()));
}

Vector RatioKde::bandwidths_y() const {
  const auto& [equal, separate] = state_.law;
  return equal ? Vector::Constant(n_targets(), equal->state().bandwidth_y)
               : Vector(separate->bandwidths().tail(n_targets()));
}

Vector RatioKde::log_densities(const MatrixView& x, const MatrixView& y) const {
  return state_.law.law().log_density(x, y, {.threads = 1, .observer = {}});
}

Vector RatioKde::log_mass(const MatrixView& x, const Run& run) const {
  require(x.rows() == n_inputs(), model_name(), ": x has ", x.rows(), " rows (one per dimension), expected ",
          n_inputs());
  require(x.allFinite(), model_name(), ": x has a number that is not finite");
  const auto& joint = state_.law.separate;
  if (joint == nullptr || n_inputs() == 0) return Vector::Zero(x.cols());
  constexpr double farthest = 1e100;  // beyond it squares overflow
  const Matrix z = x_scale().transform(x).cwiseMax(-farthest).cwiseMin(farthest);
  const Matrix centers = joint->kernel_means().topRows(n_inputs());
  const auto log_density = [&](const VectorView& widths) {
    return ParzenWindow(centers, joint->kernel_weights(), widths).log_density(z, run);
  };
  return log_density(bandwidths()) - log_density(state_.bandwidths_denominator);
}

std::vector<RowWeights> RatioKde::row_weights(const MatrixView& x, const Dataset& training, Index most,
                                              const Run& run) const {
  const FittedRows fitted(owner, training, options_.standardize, x_scale(), y_scale());
  const auto& law = dynamic_cast<const WeighsTrainingRows&>(state_.law.law());
  std::vector<RowWeights> out = law.row_weights(x_scale().transform(x), fitted.standardized(), most, run);
  for (RowWeights& own : out) {
    for (Index& row : own.rows) row = fitted.numbers()[static_cast<std::size_t>(row)];
  }
  return out;
}

RatioKde RatioKde::fit(const Dataset& data, const RatioKdeOptions& options, const Run& run) {
  check_options(options, data);
  const preparation::Start start(owner, data, options.standardize);
  const Dataset& rows = start.rows();
  const preparation::Standardized& standardized = start.standardized();
  FitReport report = start.report();
  if (options.widths == RatioWidths::equal) {
    const auto law = std::make_shared<const NadarayaWatson>(
        NadarayaWatson::fit(standardized.data, conditional_options(options), run));
    const Vector widths = law->bandwidths();
    add_report(law->report(), report);
    if (widths.size() > 0) report.details.set("bandwidth", widths);
    return {options, {{.equal = law}, widths}, standardized.x, standardized.y, std::move(report)};
  }
  const Parzen law = Parzen::fit(standardized.data, window_options(options, options.bandwidth), run);
  const Index d = rows.x.rows();
  add_report(law.report(), report);
  const Vector denominator = choose_denominator(standardized.data, options, law.bandwidths().head(d), run, report);
  report_scores(standardized.data, law, denominator, options, run, report);
  if (d > 0) report.details.set("bandwidth", Vector(law.bandwidths().head(d)));
  if (d > 0) report.details.set("bandwidth_denominator", denominator);
  report.details.set("bandwidth_y", Vector(law.bandwidths().tail(rows.y.rows())));
  return {options,
          {{.separate = std::make_shared<const Parzen>(law)}, denominator},
          standardized.x,
          standardized.y,
          std::move(report)};
}

}  // namespace condens
