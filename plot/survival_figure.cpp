// Survival functions beside the Kaplan-Meier curve; see survival_figure.hpp.

#include "condens/plot/survival_figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/metrics/survival.hpp"
#include "condens/plot/line_chart.hpp"

namespace condens::plot {

namespace {

constexpr Index most_rows_of_mean = 2000;
constexpr Index n_times = 240;
constexpr std::size_t color_of_mean = 0;
constexpr std::size_t color_of_rows = 1;

/// The two columns of a curve that falls in steps.
struct Steps {
  std::vector<double> x;
  std::vector<double> y;

  void add(double t, double survival) {
    if (!x.empty()) {
      x.push_back(t);
      y.push_back(y.back());
    }
    x.push_back(t);
    y.push_back(survival);
  }
};

Steps steps_of(const Censoring& rows, const VectorView& weights, double begin, double end) {
  Steps out;
  out.add(begin, 1.0);
  if (rows.n_left() + rows.n_interval() == 0) {
    const SurvivalCurve curve = kaplan_meier(rows, weights);
    for (Index k = 0; k < curve.times.size(); ++k) out.add(curve.times[k], curve.survival[k]);
  } else {
    const TurnbullEstimate curve = turnbull(rows, weights);
    double left = 1.0;
    for (Index j = 0; j < curve.mass.size() && std::isfinite(curve.high[j]); ++j) {
      left = std::max(left - curve.mass[j], 0.0);
      if (curve.mass[j] > 0.0) out.add(std::max(curve.high[j], begin), left);
    }
  }
  out.x.push_back(std::max(end, out.x.back()));
  out.y.push_back(out.y.back());
  return out;
}

/// P(Y > t) of every distribution: times x n.
Matrix survival_of(const ConditionalDensity& model, const TargetDecoder* kind, const MatrixView& x, const Vector& times,
                   const Run& run) {
  const Index n = model.n_inputs() == 0 ? 1 : x.cols();
  const Vector points = times.replicate(n, 1);
  const Vector all =
      kind != nullptr ? kind->predict(model, x, run).sf(points, run) : model.predict(x, run).sf(points, run);
  return all.reshaped(times.size(), n);
}

Vector medians_of(const ConditionalDensity& model, const TargetDecoder* kind, const MatrixView& x, const Run& run) {
  return kind != nullptr ? kind->predict(model, x, run).median(run) : model.predict(x, run).median(run);
}

}  // namespace

std::string survival_curves(const ConditionalDensity& model, const Dataset& data, const Censoring& rows,
                            const SurvivalOptions& options, const Run& run) {
  const Vector y = data.y.row(0).transpose();
  require(model.n_targets() == 1 && data.x.rows() == model.n_inputs(), "survival_curves: the data have ", data.x.rows(),
          " inputs, expected ", model.n_inputs(), ", and a model of one target, which has ", model.n_targets());
  const Censoring known = rows.empty() ? Censoring{y, y, {}} : rows;
  known.check("survival_curves", data.size(), [](Index row) { return message("row ", row + 1, " (counting from 1)"); });

  double begin = infinity;
  double end = -infinity;
  for (const Vector* ends : {&known.low, &known.high}) {
    for (const double value : *ends) {
      if (!std::isfinite(value)) continue;
      begin = std::min(begin, value);
      end = std::max(end, value);
    }
  }
  const bool from_zero = begin >= 0.0 && begin < 0.5 * end;
  if (from_zero) begin = 0.0;
  if (!(begin < end)) end = begin + 1.0;
  const Vector times = Vector::LinSpaced(n_times, begin, end);

  const Index step = (data.size() + most_rows_of_mean - 1) / most_rows_of_mean;
  std::vector<Index> some;
  for (Index i = 0; i < data.size(); i += step) some.push_back(i);
  const bool has_inputs = model.n_inputs() > 0;
  const Matrix x = has_inputs ? Matrix(data.x(Eigen::all, some)) : Matrix(0, 1);
  const Matrix survival = survival_of(model, options.kind, x, times, run);

  LineChart chart{.title = "Survival of " + options.target,
                  .x_label = options.target + " = t",
                  .y_label = "P(" + options.target + " > t)",
                  .y_range = Extent{0.0, 1.0}};
  const auto add = [&](const std::string& name, const Vector& of, std::size_t color, LineKind line) {
    chart.series.push_back({.name = name, .x = times, .y = of, .color = color, .kind = line, .markers = false});
  };
  if (has_inputs && options.at.size() == 0) {
    const Vector medians = medians_of(model, options.kind, x, run);
    std::vector<Index> order(some.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return medians[a] < medians[b]; });
    std::size_t color = color_of_rows;
    for (const double share : std::array{0.1, 0.5, 0.9}) {
      const auto place = static_cast<std::size_t>(std::lround(share * static_cast<double>(order.size() - 1)));
      const Index row = order[place];
      add(message("row ", some[static_cast<std::size_t>(row)] + 1), survival.col(row), color++, LineKind::solid);
    }
  }
  if (options.at.size() > 0) {
    add(options.at_name, survival_of(model, options.kind, options.at, times, run).col(0), color_of_rows,
        LineKind::solid);
  }
  add(has_inputs ? "mean over the rows" : "model", survival.rowwise().mean(), color_of_mean, LineKind::solid);
  const Steps steps = steps_of(known, data.weights, begin, end);
  const bool plain = known.n_left() + known.n_interval() == 0;
  chart.series.push_back({.name = plain ? "Kaplan-Meier" : "Turnbull",
                          .x = Eigen::Map<const Vector>(steps.x.data(), std::ssize(steps.x)),
                          .y = Eigen::Map<const Vector>(steps.y.data(), std::ssize(steps.y)),
                          .color = color_of_mean,
                          .kind = LineKind::dashed,
                          .markers = false});
  return line_chart(chart);
}

}  // namespace condens::plot
