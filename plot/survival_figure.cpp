// Survival functions beside the Kaplan-Meier curve; see survival_figure.hpp.

#include "condens/plot/survival_figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "bands.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/metrics/survival.hpp"
#include "condens/plot/line_chart.hpp"

namespace condens::plot {

namespace {

constexpr Index most_rows_of_mean = 2000;
constexpr Index most_rows_of_bands = 500;
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
Matrix survival_of(const TargetDistributions& laws, const Vector& times, const Run& run) {
  return laws.sf(times.replicate(laws.size(), 1), run).reshaped(times.size(), laws.size());
}

/// A curve of the model: the mean of some distributions.
struct Curve {
  std::string name;
  std::vector<Index> of;
  std::size_t color;
};

/// The curves one after the other.
Vector means_of(const Matrix& survival, const std::vector<Curve>& curves) {
  Matrix out(survival.rows(), std::ssize(curves));
  for (std::size_t k = 0; k < curves.size(); ++k) {
    out.col(static_cast<Index>(k)) = survival(Eigen::all, curves[k].of).rowwise().mean();
  }
  return out.reshaped();
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

  const bool has_bands = options.bands.replicates != nullptr;
  const Index most = has_bands ? most_rows_of_bands : most_rows_of_mean;
  const Index step = (data.size() + most - 1) / most;
  std::vector<Index> some;
  for (Index i = 0; i < data.size(); i += step) some.push_back(i);
  const bool has_inputs = model.n_inputs() > 0;
  Matrix x = has_inputs ? Matrix(data.x(Eigen::all, some)) : Matrix(0, 1);
  std::vector<Index> order(static_cast<std::size_t>(x.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<Curve> curves;
  if (options.at.size() > 0) {
    x.conservativeResize(Eigen::NoChange, x.cols() + 1);
    x.rightCols(1) = options.at;
    curves.push_back({options.at_name, {x.cols() - 1}, color_of_rows});
  }
  const TargetDistributions laws = target_laws(model, x, 0, options.kind, run);
  const Curve mean{has_inputs ? "mean over the rows" : "model", order, color_of_mean};
  if (has_inputs && options.at.size() == 0) {
    const Vector medians = laws.median(run);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return medians[a] < medians[b]; });
    for (const double share : std::array{0.1, 0.5, 0.9}) {
      const auto place = static_cast<std::size_t>(std::lround(share * static_cast<double>(order.size() - 1)));
      curves.push_back({message("row ", some[static_cast<std::size_t>(order[place])] + 1),
                        {order[place]},
                        color_of_rows + curves.size()});
    }
  }
  curves.push_back(mean);
  const Vector values = means_of(survival_of(laws, times, run), curves);
  Bands around;
  if (has_bands) {
    const auto numbers = [&](const TargetDistributions& own) { return means_of(survival_of(own, times, run), curves); };
    around = bands_at(model, x, 0, options.kind, options.bands, values, numbers, run);
  }

  const std::string remark = has_bands ? ", with " + percent(options.bands.level) + " bands" : "";
  LineChart chart{.title = "Survival of " + options.target + remark,
                  .x_label = options.target + " = t",
                  .y_label = "P(" + options.target + " > t)",
                  .y_range = Extent{0.0, 1.0}};
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const Index first = static_cast<Index>(k) * n_times;
    chart.series.push_back({.name = curves[k].name,
                            .x = times,
                            .y = values.segment(first, n_times),
                            .color = curves[k].color,
                            .markers = false});
    if (!has_bands) continue;
    chart.series.back().low = around.low.segment(first, n_times);
    chart.series.back().high = around.high.segment(first, n_times);
  }
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
