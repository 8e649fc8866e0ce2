#include "condens/estimators/location_scale.hpp"

#include <algorithm>

#include "condens/core/errors.hpp"
#include "core/flush_subnormals.hpp"
#include "split.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = "LocationScale";

const Run one_thread{.threads = 1, .observer = {}};

/// m and s for every target and column, on the standardised scale.
struct Moments {
  Matrix location;
  Matrix scale;
};

Moments moments(const LocationScaleParts& parts, const MatrixView& x) {
  Matrix inside = parts.x_scale.transform(x);
  for (Index i = 0; i < inside.cols(); ++i) inside.col(i) = inside.col(i).cwiseMax(parts.low).cwiseMin(parts.high);
  const Index d_y = std::ssize(parts.means);
  Moments out{Matrix(d_y, x.cols()), Matrix(d_y, x.cols())};
  for (Index t = 0; t < d_y; ++t) {
    out.location.row(t) = parts.means[static_cast<std::size_t>(t)](inside).transpose();
    const Vector log_scale = parts.scales[static_cast<std::size_t>(t)](inside);
    for (Index i = 0; i < x.cols(); ++i) out.scale(t, i) = location_scale::bounded(parts, t, log_scale[i]);
  }
  return out;
}

/// The options of the inner model: centres [x, y] become [x, e].
Document inner_options(const Document& given, Index seed, const InnerModel& inner, const LocationScaleParts& parts) {
  Document out = given;
  for (const OptionInfo& option : inner.options) {
    if (option.name == "seed") out.set("seed", seed);
  }
  const Document* centers = given.find("centers");
  if (centers == nullptr || !std::holds_alternative<Matrix>(centers->value())) return out;
  Matrix moved = centers->as_matrix();
  if (moved.size() == 0) return out;
  const Index d_x = parts.x_scale.dimension();
  const Moments at = moments(parts, moved.topRows(d_x));
  const Matrix y = parts.y_scale.transform(moved.bottomRows(parts.y_scale.dimension()));
  moved.bottomRows(y.rows()) = (y - at.location).cwiseQuotient(at.scale);
  return out.set("centers", std::move(moved));
}

void check_inner_options(const LocationScaleOptions& options, const InnerModel& inner, const Dataset& data) {
  check_options(message(owner, ": options"), inner.options, options.options);
  require(options.options.find("seed") == nullptr, owner, ": options: 'seed' is an option of ", owner,
          " itself; give it there");
  const Document* centers = options.options.find("centers");
  const Matrix* given = centers == nullptr ? nullptr : std::get_if<Matrix>(&centers->value());
  if (given != nullptr) preparation::check_centers(owner, *given, data);
}

FitReport with_density(FitReport own, const FitReport& density) {
  for (const std::string& warning : density.warnings) {
    const std::string text = warning.starts_with("input ") ? warning : "distribution of what is left: " + warning;
    if (std::find(own.warnings.begin(), own.warnings.end(), text) == own.warnings.end()) own.warnings.push_back(text);
  }
  own.details.set("density", density.details);
  if (own.status == "ok") own.status = density.status;
  return own;
}

/// What ridge regressions for the means chose, where every model tells what it chose; one table of candidates is what
/// there is room for.
void report_ridge(const location_scale::Split& found, FitReport& report) {
  Vector bandwidth(std::ssize(found.told_means));
  Vector regularization(bandwidth.size());
  for (Index t = 0; t < bandwidth.size(); ++t) {
    const Document& mean = found.told_means[static_cast<std::size_t>(t)];
    if (mean.find("candidates") == nullptr || mean.at("kind").as_string() == "gp") return;
    const Trend& trend = found.parts.means[static_cast<std::size_t>(t)];
    bandwidth[t] = trend.coefficients.size() > 0 ? trend.length_scales[0] : 0.0;
    regularization[t] = mean.at("regularization").as_number();
  }
  const Document& candidates = found.told_means.front().at("candidates");
  if (candidates.find("bandwidth") != nullptr) report.details.set("bandwidth", bandwidth);
  report.details.set("regularization", regularization);
  if (bandwidth.size() == 1) report.details.set("candidates", candidates);
}

/// A number of every target from the account of its mean or spread.
Vector told(const FitReport& report, std::string_view of, std::string_view name) {
  const Document::Array& targets = report.details.at(of).as_array();
  Vector out(std::ssize(targets));
  std::transform(targets.begin(), targets.end(), out.begin(),
                 [&](const Document& target) { return target.at(name).as_number(); });
  return out;
}

Matrix length_scales_of(const std::vector<Trend>& trends, Index d_x) {
  Matrix out = Matrix::Zero(d_x, std::ssize(trends));
  for (Index t = 0; t < out.cols(); ++t) {
    const Trend& own = trends[static_cast<std::size_t>(t)];
    if (own.coefficients.size() > 0) out.col(t) = own.length_scales;
  }
  return out;
}

Document to_document(const std::vector<Trend>& trends) {
  Document::Array out;
  for (const Trend& own : trends) out.push_back(own.to_document());
  return out;
}

std::vector<Trend> read_trends(const Document& document, Index d_x) {
  std::vector<Trend> out;
  for (const Document& own : document.as_array()) out.push_back(Trend::from_document(own, d_x));
  return out;
}

}  // namespace

LocationScaleDensity::LocationScaleDensity(LocationScaleOptions options, LocationScaleParts parts,
                                           std::shared_ptr<const ConditionalDensity> inner, FitReport report)
    : ConditionalDensity(Standardizer::identity(parts.x_scale.dimension()), parts.y_scale, std::move(report)),
      options_(std::move(options)),
      parts_(std::move(parts)),
      inner_(std::move(inner)) {
  const Index d_y = n_targets();
  const auto& [x_scale, y_scale, low, high, means, scales, residual, least, greatest, broad] = parts_;
  bool sound = inner_->n_inputs() == n_inputs() && inner_->n_targets() == d_y && std::ssize(means) == d_y &&
               std::ssize(scales) == d_y && low.size() == n_inputs() && high.size() == n_inputs() &&
               residual.size() == d_y && least.size() == d_y && greatest.size() == d_y;
  sound = sound && (low.array() <= high.array()).all() && (residual.array() > 0).all() && residual.allFinite() &&
          (least.array() > 0).all() && (least.array() <= greatest.array()).all() && greatest.allFinite() &&
          (y_scale.scale().array() > 0).all();
  for (const char* of : {"means", "scales"}) sound = sound && told(this->report(), of, "regularization").size() == d_y;
  if (!sound)
    throw FormatError("LocationScale: the mean, the spread and the distribution of what is left do not fit together");
  trends();  // throws where a file lacks what is read later
}

std::vector<HasTrends::Trend> LocationScaleDensity::trends() const {
  const Document::Array& means = report().details.at("means").as_array();
  const Document::Array& scales = report().details.at("scales").as_array();
  const Vector left = residual_scale();
  std::vector<HasTrends::Trend> out;
  for (std::size_t t = 0; t < means.size(); ++t) {
    const Document& mean = means[t];
    const Document& scale = scales[t];
    out.push_back({mean.at("kind").as_string(), mean.at("explained").as_number(), left[static_cast<Index>(t)],
                   scale.at("kind").as_string(), scale.at("gain").as_number(), scale.at("least").as_number(),
                   scale.at("most").as_number()});
  }
  return out;
}

LocationScaleDensity LocationScaleDensity::fit(const Dataset& data, const LocationScaleOptions& options,
                                               const InnerModel& inner, const Run& run) {
  data.check(owner);
  validate_options(options, owner);
  check_inner_options(options, inner, data);
  const FlushSubnormals guard;
  const location_scale::Distinct distinct = location_scale::distinct_rows(data);
  const preparation::Standardized standardized = preparation::standardize(owner, distinct.rows, options.standardize);
  FitReport report;
  preparation::warn_of_data(data, standardized, report);
  location_scale::Split found = location_scale::split(standardized, options, run);

  Matrix left = Matrix::Zero(data.y.rows(), data.size());
  for (Index i = 0; i < data.size(); ++i) {
    const Index place = distinct.place[static_cast<std::size_t>(i)];
    if (place >= 0) left.col(i) = found.rest.col(place);
  }
  Dataset rest = data;
  rest.y = std::move(left);
  const Document chosen = inner_options(options.options, options.seed, inner, found.parts);
  std::shared_ptr<const ConditionalDensity> density = inner.fit(rest, chosen, run);

  if (!found.finished) report.status = "iteration limit";
  report.details.set("n_rows", count_rows(data));
  report_ridge(found, report);
  report.details.set("means", std::move(found.told_means)).set("scales", std::move(found.told_scales));
  report = with_density(std::move(report), density->report());
  return LocationScaleDensity(options, std::move(found.parts), std::move(density), std::move(report));
}

GaussianMixtures LocationScaleDensity::laws(const MatrixView& x) const {
  const Moments at = moments(parts_, x);
  const GaussianMixtures rest = laws_of(*inner_, x);
  const Standardizer& unit = y_scale_of(*inner_);
  const Index m = rest.n_components();
  const Defensive& broad = parts_.defensive;
  const Index all = m + (broad.weight > 0 ? 1 : 0);
  GaussianComponents out = GaussianComponents::standard(n_targets(), all * x.cols(), rest.components().correlated());
  for (Index i = 0; i < x.cols(); ++i) {
    GaussianComponents own = rest.components().columns(rest.has_shared_components() ? 0 : i * m, m);
    const auto s = at.scale.col(i).array();
    const Eigen::ArrayXd middle = at.location.col(i).array() + s * unit.mean().array();
    const Eigen::ArrayXd stretch = s * unit.scale().array();
    own.means = ((own.means.array().colwise() * stretch).colwise() + middle).matrix().eval();
    own.scales = (own.scales.array().colwise() * stretch).matrix().eval();
    out.set_columns(i * all, own);
    if (all > m) out.set_columns(i * all + m, {broad.mean, broad.scale});
  }
  return GaussianMixtures::separate(std::move(out), with_defensive(rest.log_weights(), broad));
}

Vector LocationScaleDensity::log_densities(const MatrixView& x, const MatrixView& y) const {
  const Moments at = moments(parts_, x);
  const Matrix rest = (y - at.location).cwiseQuotient(at.scale);
  const Vector log_scale = at.scale.array().log().colwise().sum().transpose();
  Vector out = inner_->log_density(x, rest, one_thread) - log_scale;
  const Vector broad = parts_.defensive.log_density(y);
  for (Index i = 0; i < out.size(); ++i) out[i] = parts_.defensive.log_mixed(out[i], broad[i]);
  return out;
}

Matrix LocationScaleDensity::location(const MatrixView& x) const {
  return parts_.y_scale.inverse_transform(moments(parts_, x).location);
}

Matrix LocationScaleDensity::scale(const MatrixView& x) const {
  return parts_.y_scale.scale().asDiagonal() * moments(parts_, x).scale;
}

Vector LocationScaleDensity::explained() const { return told(report(), "means", "explained"); }
Vector LocationScaleDensity::scale_gain() const { return told(report(), "scales", "gain"); }
Vector LocationScaleDensity::regularization() const { return told(report(), "means", "regularization"); }
Vector LocationScaleDensity::scale_regularization() const { return told(report(), "scales", "regularization"); }
Matrix LocationScaleDensity::length_scales() const { return length_scales_of(parts_.means, n_inputs()); }
Matrix LocationScaleDensity::scale_length_scales() const { return length_scales_of(parts_.scales, n_inputs()); }

Vector LocationScaleDensity::residual_scale() const {
  return parts_.residual_scale.cwiseProduct(parts_.y_scale.scale());
}

Document LocationScaleDensity::to_document() const {
  Document out = Document::Object{
      {"options", options()},
      {"x_scale", parts_.x_scale.to_document()},
      {"y_scale", parts_.y_scale.to_document()},
      {"low", parts_.low},
      {"high", parts_.high},
      {"means", condens::to_document(parts_.means)},
      {"scales", condens::to_document(parts_.scales)},
      {"residual_scale", parts_.residual_scale},
      {"least_scale", parts_.least_scale},
      {"greatest_scale", parts_.greatest_scale},
      {"inner", Document::Object{{"model", inner_->model_name()}, {"parameters", inner_->to_document()}}},
      {"report", report().to_document()}};
  parts_.defensive.write(out);
  return out;
}

LocationScaleDensity LocationScaleDensity::from_document(const Document& document, const InnerLoader& load) {
  LocationScaleOptions options;
  set_options(options, owner, document.at("options"));
  Standardizer x_scale = Standardizer::from_document(document.at("x_scale"));
  const Index d_x = x_scale.dimension();
  Standardizer y_scale = Standardizer::from_document(document.at("y_scale"));
  const Index d_y = y_scale.dimension();
  LocationScaleParts parts{.x_scale = std::move(x_scale),
                           .y_scale = std::move(y_scale),
                           .low = document.at("low").as_vector(),
                           .high = document.at("high").as_vector(),
                           .means = read_trends(document.at("means"), d_x),
                           .scales = read_trends(document.at("scales"), d_x),
                           .residual_scale = document.at("residual_scale").as_vector(),
                           .least_scale = document.at("least_scale").as_vector(),
                           .greatest_scale = document.at("greatest_scale").as_vector(),
                           .defensive = Defensive::read(document, options.defensive_weight, d_y)};
  return LocationScaleDensity(std::move(options), std::move(parts), load(document.at("inner")),
                              FitReport::from_document(document.at("report")));
}

}  // namespace condens
