#include "split.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/kernels/centers.hpp"
#include "trend_fit.hpp"

namespace condens::location_scale {

Distinct distinct_rows(const Dataset& data) {
  Matrix points(data.x.rows() + data.y.rows(), data.size());
  points.topRows(data.x.rows()) = data.x;
  points.bottomRows(data.y.rows()) = data.y;
  const std::vector<Index> first = first_equal_columns(points);
  Vector weights = data.weights.size() > 0 ? counted_weights(data.weights) : Vector(Vector::Ones(data.size()));
  std::vector<Index> kept;
  Distinct out{{}, std::vector<Index>(first.size(), -1)};
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto row = static_cast<Index>(i);
    if (first[i] != row) weights[first[i]] += weights[row];
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto row = static_cast<Index>(i);
    if (weights[first[i]] == 0) continue;
    if (first[i] == row) {
      out.place[i] = std::ssize(kept);
      kept.push_back(row);
    }
    out.place[i] = out.place[static_cast<std::size_t>(first[i])];
  }
  out.rows = {.x = Matrix(data.x(Eigen::all, kept)), .y = Matrix(data.y(Eigen::all, kept)), .weights = weights(kept)};
  return out;
}

double bounded(const LocationScaleState& state, Index target, double log_scale) {
  return std::clamp(std::exp(log_scale), state.least_scale[target], state.greatest_scale[target]);
}

namespace {

constexpr double least_residual = 1e-12;  // in standard deviations of y: what is below is rounding

double root_mean_square(const Vector& values, const Vector& weights) {
  return std::sqrt(weights.dot(values.cwiseAbs2()) / weights.sum());
}

Document describe(const trends::Fitted& fitted) {
  Document out = Document::Object{{"kind", choice_names<TrendKind>[static_cast<std::size_t>(fitted.kind)]},
                                  {"score", fitted.score},
                                  {"constant_score", fitted.constant_score},
                                  {"regularization", fitted.regularization}};
  if (fitted.candidates.empty()) return out;
  using trends::Candidate;
  const auto column = [&](const auto& value) { return preparation::column(fitted.candidates, value); };
  Document table(Document::Object{});
  const bool kernels = std::any_of(fitted.candidates.begin(), fitted.candidates.end(),
                                   [](const Candidate& c) { return c.bandwidth > 0; });
  if (kernels) {
    table.set("bandwidth", column([](const Candidate& c) { return c.bandwidth; }));
  }
  table.set("regularization", column([](const Candidate& c) { return c.regularization; }));
  table.set("score", column([](const Candidate& c) { return c.score.mean; }));
  table.set("standard_error", column([](const Candidate& c) { return c.score.standard_error; }));
  return out.set("candidates", std::move(table));
}

/// The state before anything is fitted.
LocationScaleState empty_state(const preparation::Standardized& own, double defensive_weight) {
  const Index d_x = own.data.x.rows();
  LocationScaleState out{.low = Vector(d_x),
                         .high = Vector(d_x),
                         .residual_scale = Vector(own.data.y.rows()),
                         .least_scale = Vector(own.data.y.rows()),
                         .greatest_scale = Vector(own.data.y.rows()),
                         .defensive = Defensive::fit(defensive_weight, own.data)};
  if (d_x == 0) return out;
  const Vector margin = Standardizer::fit(own.data.x, own.data.weights).scale();
  out.low = own.data.x.rowwise().minCoeff() - margin;
  out.high = own.data.x.rowwise().maxCoeff() + margin;
  return out;
}

/// log|r|, not below the floor.
Matrix log_sizes(const Dataset& rows, const std::vector<trends::Fitted>& means, double floor,
                 LocationScaleState& state) {
  Matrix out(rows.y.rows(), rows.size());
  for (Index t = 0; t < out.rows(); ++t) {
    const Vector& r = means[static_cast<std::size_t>(t)].residuals;
    const double size = root_mean_square(r, rows.weights);
    const double unit = Standardizer::fit(rows.y.row(t), rows.weights).scale()[0];
    if (!(size > least_residual * unit)) {
      throw NumericalError(message("LocationScale: the mean goes through every row of target ", t + 1,
                                   ", to rounding; nothing is left that has a density"));
    }
    state.residual_scale[t] = size;
    state.least_scale[t] = floor * size;
    state.greatest_scale[t] = r.cwiseAbs().maxCoeff();
    out.row(t) = r.cwiseAbs().cwiseMax(floor * size).array().log().matrix().transpose();
  }
  return out;
}

/// Adds one target, whose log|r| are `log_size`.
void add_target(const trends::Fitted& mean, trends::Fitted scale, const Vector& log_size, const Vector& weights,
                double unit, Split& out) {
  const Index t = std::ssize(out.state.means);
  Vector log_scale = log_size - scale.residuals;
  // A constant is no news to the model inside, which finds the spread of e for itself.
  if (scale.kind == TrendKind::constant) log_scale.setConstant(scale.trend.intercept);
  const Vector raw = mean.residuals.array() / log_scale.array().exp();
  // E log|e| is not 0: s becomes a standard deviation.
  const double shift = std::log(root_mean_square(raw, weights));
  scale.trend.intercept += shift;
  Vector used(log_size.size());
  for (Index i = 0; i < used.size(); ++i) {
    used[i] = bounded(out.state, t, log_scale[i] + shift);
  }
  out.rest.row(t) = mean.residuals.cwiseQuotient(used).transpose();
  out.state.means.push_back(mean.trend);
  out.state.scales.push_back(scale.trend);
  const double explained = mean.constant_score > 0 ? 1.0 - mean.score / mean.constant_score : 0.0;
  out.told_means.push_back(describe(mean).set("explained", explained));
  const double gain = scale.constant_score - scale.score;
  out.told_scales.push_back(
      describe(scale).set("gain", gain).set("least", unit * used.minCoeff()).set("most", unit * used.maxCoeff()));
  out.finished = out.finished && mean.finished && scale.finished;
}

}  // namespace

Split split(const preparation::Standardized& own, const LocationScaleOptions& options, const Run& run) {
  const Dataset& rows = own.data;
  trends::Settings settings{.task = "fitting the mean",
                            .kind = options.mean,
                            .loss = trends::Loss::square,
                            .bandwidth = options.bandwidth,
                            .regularization = options.regularization,
                            .n_centers = options.n_centers,
                            .max_rows = options.max_rows,
                            .seed = options.seed};
  Split out{.state = empty_state(own, options.defensive_weight), .rest = Matrix(rows.y.rows(), rows.size())};
  const std::vector<trends::Fitted> means = trends::fit(rows, settings, run);
  const Matrix log_size = log_sizes(rows, means, options.scale_floor, out.state);
  settings.task = "fitting the spread";
  settings.kind = options.scale;
  settings.loss = trends::Loss::log_size;
  const std::vector<trends::Fitted> scales =
      trends::fit({.x = rows.x, .y = log_size, .weights = rows.weights}, settings, run);
  for (std::size_t t = 0; t < means.size(); ++t) {
    const Vector own_size = log_size.row(static_cast<Index>(t)).transpose();
    add_target(means[t], scales[t], own_size, rows.weights, own.y.scale()[static_cast<Index>(t)], out);
  }
  return out;
}

}  // namespace condens::location_scale
