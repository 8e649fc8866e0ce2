#include "condens/estimators/location_scale.hpp"

#include <algorithm>

#include "condens/core/errors.hpp"
#include "core/flush_subnormals.hpp"
#include "split.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = LocationScaleDensity::class_name;

[[noreturn]] void refuse_parts() {
  throw FormatError("LocationScale: the mean, the spread and the distribution of what is left do not fit together");
}

const Run one_thread{.threads = 1, .observer = {}};

/// m and s for every target and column, on the standardised scale.
struct Moments {
  Matrix location;
  Matrix scale;
};

Moments moments(const LocationScaleState& state, const Standardizer& x_scale, const MatrixView& x) {
  Matrix inside = x_scale.transform(x);
  for (Index i = 0; i < inside.cols(); ++i) inside.col(i) = inside.col(i).cwiseMax(state.low).cwiseMin(state.high);
  const Index d_y = std::ssize(state.means);
  Moments out{Matrix(d_y, x.cols()), Matrix(d_y, x.cols())};
  for (Index t = 0; t < d_y; ++t) {
    out.location.row(t) = state.means[static_cast<std::size_t>(t)](inside).transpose();
    const Vector log_scale = state.scales[static_cast<std::size_t>(t)](inside);
    for (Index i = 0; i < x.cols(); ++i) out.scale(t, i) = location_scale::bounded(state, t, log_scale[i]);
  }
  return out;
}

/// The options of the inner model: centres [x, y] become [x, e].
Document inner_options(const LocationScaleOptions& options, const InnerModel& inner,
                       const preparation::Standardized& own, const LocationScaleState& state) {
  Document out = options.options;
  for (const OptionInfo& option : inner.options) {
    if (option.name == "seed") out.set("seed", options.seed);
  }
  const Document* centers = options.options.find("centers");
  if (centers == nullptr || !std::holds_alternative<Matrix>(centers->value())) return out;
  Matrix moved = centers->as_matrix();
  if (moved.size() == 0) return out;
  const Moments at = moments(state, own.x, moved.topRows(own.x.dimension()));
  const Matrix y = own.y.transform(moved.bottomRows(own.y.dimension()));
  moved.bottomRows(y.rows()) = (y - at.location).cwiseQuotient(at.scale);
  return out.set("centers", std::move(moved));
}

void check_inner_options(const LocationScaleOptions& options, const InnerModel& inner, const Dataset& data) {
  check_options(message(owner, ": options"), inner.options, options.options);
  require(options.options.find("seed") == nullptr, owner, ": options: 'seed' is an option of ", owner,
          " itself; give it there");
  const Document* centers = options.options.find("centers");
  const Matrix* given = centers == nullptr ? nullptr : std::get_if<Matrix>(&centers->value());
  if (given != nullptr) preparation::check_centers(owner, *given, data.x.rows(), data.y.rows());
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
    const Trend& trend = found.state.means[static_cast<std::size_t>(t)];
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

}  // namespace

ResidualDensity::ResidualDensity(Parts parts, FitReport report)
    : ConditionalDensity(Standardizer::identity(parts.x_scale.dimension()), std::move(parts.y_scale),
                         std::move(report)),
      trend_scale_(std::move(parts.x_scale)),
      inner_(std::move(parts.inner)) {
  if (inner_->n_inputs() != n_inputs() || inner_->n_targets() != n_targets()) refuse_parts();
}

void ResidualDensity::write(Document& document) const {
  document.set("x_scale", trend_scale_.to_document()).set("y_scale", y_scale().to_document());
  document.set("inner", inner_document(*inner_));
}

ResidualDensity::Parts ResidualDensity::read(const Document& document, const InnerLoader& load) {
  return {Standardizer::from_document(document.at("x_scale")), Standardizer::from_document(document.at("y_scale")),
          load(document.at("inner"))};
}

LocationScaleDensity::LocationScaleDensity(LocationScaleOptions options, LocationScaleState state, Parts parts,
                                           FitReport report)
    : FittedWrapper(std::move(options), std::move(state), std::move(parts), std::move(report)) {
  const auto& [low, high, means, scales, residual, least, greatest, broad] = state_;
  bool sound = std::ssize(means) == n_targets() && std::ssize(scales) == n_targets() &&
               (low.array() <= high.array()).all() && (least.array() <= greatest.array()).all() &&
               (y_scale().scale().array() > 0).all();
  for (const char* of : {"means", "scales"})
    sound = sound && told(this->report(), of, "regularization").size() == n_targets();
  if (!sound) refuse_parts();
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
  const Document chosen = inner_options(options, inner, standardized, found.state);
  std::shared_ptr<const ConditionalDensity> density = inner.fit(rest, chosen, run);

  if (!found.finished) report.status = "iteration limit";
  report.details.set("n_rows", count_rows(data));
  report_ridge(found, report);
  report.details.set("means", std::move(found.told_means)).set("scales", std::move(found.told_scales));
  report = with_density(std::move(report), density->report());
  return LocationScaleDensity(options, std::move(found.state), {standardized.x, standardized.y, std::move(density)},
                              std::move(report));
}

GaussianMixtures LocationScaleDensity::laws(const MatrixView& x) const {
  const Moments at = moments(state_, trend_scale(), x);
  const GaussianMixtures rest = laws_of(residual_model(), x);
  const Standardizer& unit = y_scale_of(residual_model());
  const Index m = rest.n_components();
  const Defensive& broad = state_.defensive;
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
  const Moments at = moments(state_, trend_scale(), x);
  const Matrix rest = (y - at.location).cwiseQuotient(at.scale);
  const Vector log_scale = at.scale.array().log().colwise().sum().transpose();
  Vector out = residual_model().log_density(x, rest, one_thread) - log_scale;
  const Vector broad = state_.defensive.log_density(y);
  for (Index i = 0; i < out.size(); ++i) out[i] = state_.defensive.log_mixed(out[i], broad[i]);
  return out;
}

Matrix LocationScaleDensity::location(const MatrixView& x) const {
  return y_scale().inverse_transform(moments(state_, trend_scale(), x).location);
}

Matrix LocationScaleDensity::scale(const MatrixView& x) const {
  return y_scale().scale().asDiagonal() * moments(state_, trend_scale(), x).scale;
}

Vector LocationScaleDensity::explained() const { return told(report(), "means", "explained"); }
Vector LocationScaleDensity::scale_gain() const { return told(report(), "scales", "gain"); }
Vector LocationScaleDensity::regularization() const { return told(report(), "means", "regularization"); }
Vector LocationScaleDensity::scale_regularization() const { return told(report(), "scales", "regularization"); }
Matrix LocationScaleDensity::length_scales() const { return length_scales_of(state_.means, n_inputs()); }
Matrix LocationScaleDensity::scale_length_scales() const { return length_scales_of(state_.scales, n_inputs()); }

Vector LocationScaleDensity::residual_scale() const { return state_.residual_scale.cwiseProduct(y_scale().scale()); }

}  // namespace condens
