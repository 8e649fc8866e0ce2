// Curves over one axis; see line_chart.hpp.

#include "condens/plot/line_chart.hpp"

#include "condens/plot/colormap.hpp"
#include "frame.hpp"

namespace condens::plot {

namespace {

constexpr double axis_margin = 0.05;
constexpr double band_opacity = 0.18;
const Style mark_style{.stroke = "#333333", .width = 1.3, .dash = "8 3 2 3"};

/// Where a value stands on its axis.
double place(double value, bool logarithmic) { return logarithmic ? std::log10(value) : value; }

void check_series(const LineChart& chart, const LineSeries& series) {
  const Index n = series.x.size();
  require(series.y.size() == n && (series.error.size() == 0 || series.error.size() == n), "line_chart: series '",
          series.name, "' holds ", n, " x, ", series.y.size(), " y and ", series.error.size(),
          " errors, expected equal numbers, or no errors");
  require(series.low.size() == series.high.size() && (series.low.size() == 0 || series.low.size() == n),
          "line_chart: series '", series.name, "' holds ", n, " x and a band of ", series.low.size(), " and ",
          series.high.size(), " ends, expected equal numbers, or no band");
  require(series.low.size() == 0 || (!chart.log_x && !chart.log_y), "line_chart: series '", series.name,
          "' has a band, expected axes that are not logarithmic");
  for (Index i = 0; i < n; ++i) {
    require(std::isfinite(series.x[i]) && (!chart.log_x || series.x[i] > 0), "line_chart: series '", series.name,
            "' has x = ", series.x[i], ", expected a finite number", chart.log_x ? " > 0" : "");
    require(!chart.log_y || !std::isfinite(series.y[i]) || series.y[i] > 0, "line_chart: series '", series.name,
            "' has y = ", series.y[i], ", expected one > 0");
  }
}

/// What stands on an axis: every finite point, with its bar, and the rule.
struct Reach {
  std::vector<double> x;
  std::vector<double> y;
};

Reach reach_of(const LineChart& chart) {
  Reach reach;
  for (const LineSeries& series : chart.series) {
    check_series(chart, series);
    reach.y.insert(reach.y.end(), series.low.begin(), series.low.end());
    reach.y.insert(reach.y.end(), series.high.begin(), series.high.end());
    for (Index i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      reach.x.push_back(place(series.x[i], chart.log_x));
      reach.y.push_back(place(series.y[i], chart.log_y));
      if (series.error.size() == 0 || !std::isfinite(series.error[i])) continue;
      for (const double end : {series.y[i] - series.error[i], series.y[i] + series.error[i]})
        if (!chart.log_y || end > 0) reach.y.push_back(place(end, chart.log_y));
    }
  }
  require(!reach.x.empty(), "line_chart: the series hold no finite point, expected at least one");
  const auto add_rule = [](std::vector<double>& values, const std::optional<Rule>& rule, bool logarithmic) {
    if (!rule) return;
    require(std::isfinite(rule->at) && (!logarithmic || rule->at > 0), "line_chart: rule '", rule->label, "' at ",
            rule->at, ", expected a finite number", logarithmic ? " > 0" : "");
    values.push_back(place(rule->at, logarithmic));
  };
  add_rule(reach.x, chart.x_rule, chart.log_x);
  add_rule(reach.y, chart.y_rule, chart.log_y);
  return reach;
}

Extent extent_with_margin(const std::vector<double>& values) {
  return extent_of(Eigen::Map<const Vector>(values.data(), std::ssize(values)), axis_margin);
}

Extent y_extent(const LineChart& chart, const Reach& reach) {
  if (!chart.y_range) return extent_with_margin(reach.y);
  const Extent& range = *chart.y_range;
  require(range.low < range.high && (!chart.log_y || range.low > 0), "line_chart: y_range from ", range.low, " to ",
          range.high, ", expected low < high", chart.log_y ? ", both > 0" : "");
  return {place(range.low, chart.log_y), place(range.high, chart.log_y)};
}

std::string dash_of(LineKind kind) {
  switch (kind) {
    case LineKind::dashed:
      return "7 4";
    case LineKind::dotted:
      return "2 3";
    default:
      return "";
  }
}

Style style_of(const LineSeries& series, std::size_t position) {
  const std::size_t color = series.color.value_or(position);
  const bool again = color >= line_colors && series.kind == LineKind::solid;  // the same colour is another line's
  return {.stroke = line_color(color), .width = 1.8, .dash = dash_of(again ? LineKind::dashed : series.kind)};
}

void draw_series(const Panel& panel, const LineChart& chart, const LineSeries& series, const Style& style) {
  std::vector<Point> line;
  const auto finish_line = [&] {
    if (line.size() > 1) panel.canvas().polyline(line, style);
    if (series.markers || line.size() == 1)
      panel.canvas().circles(line, 3.0, {.fill = style.stroke, .stroke = "#ffffff", .width = 0.8});
    line.clear();
  };
  for (Index i = 0; i < series.x.size(); ++i) {
    if (!std::isfinite(series.y[i])) {
      finish_line();
      continue;
    }
    const double x = place(series.x[i], chart.log_x);
    line.push_back(panel.at(x, place(series.y[i], chart.log_y)));
    const double error = series.error.size() > 0 ? series.error[i] : 0.0;
    if (!std::isfinite(error) || error <= 0) continue;
    const double low = series.y[i] - error;
    const Point foot = chart.log_y && low <= 0 ? panel.at(x, panel.spec().y.low) : panel.at(x, place(low, chart.log_y));
    panel.canvas().line(foot, panel.at(x, place(series.y[i] + error, chart.log_y)),
                        {.stroke = style.stroke, .width = 1.1});
  }
  finish_line();
}

}  // namespace

Ticks log_ticks(const Extent& extent) {
  require(std::isfinite(extent.size()) && extent.size() > 0, "log_ticks: extent from ", extent.low, " to ", extent.high,
          ", expected low < high, both finite");
  const int first = static_cast<int>(std::floor(extent.low));
  const int last = static_cast<int>(std::ceil(extent.high));
  const int inside = static_cast<int>(std::floor(extent.high + 1e-9) - std::ceil(extent.low - 1e-9)) + 1;
  const std::vector<double> factors = inside < 3 ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
  const int step = std::max(1, (last - first) / 8);  // of wide axes, not every power
  Ticks out;
  for (int power = first; power <= last; ++power) {
    if (power % step != 0) continue;
    for (const double factor : factors) {
      const double at = power + std::log10(factor);
      if (at < extent.low - 1e-9 || at > extent.high + 1e-9) continue;
      out.at.push_back(at);
      out.labels.push_back(short_number(power < 0 ? factor / std::pow(10.0, -power) : factor * std::pow(10.0, power)));
    }
  }
  if (out.at.size() >= 2) return out;
  const std::vector<double> values = ticks({std::pow(10.0, extent.low), std::pow(10.0, extent.high)}, 4);
  out = {{}, tick_labels(values)};
  for (const double value : values) out.at.push_back(std::log10(value));
  return out;
}

std::string line_chart(const LineChart& chart) {
  const Reach reach = reach_of(chart);
  const Extent x = extent_with_margin(reach.x);
  const Extent y = y_extent(chart, reach);
  std::vector<Style> styles;
  std::vector<LegendEntry> legend;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    styles.push_back(style_of(chart.series[s], s));
    if (!chart.series[s].name.empty()) legend.push_back({chart.series[s].name, Mark::line, styles.back()});
  }
  for (const auto& rule : {chart.x_rule, chart.y_rule})
    if (rule && !rule->label.empty()) legend.push_back({rule->label, Mark::line, mark_style});

  Frame frame =
      make_frame({.title = chart.title, .legend = legend, .caption = {.lead = "At ", .items = chart.standing}});
  const Panel panel = frame.panel(x, y, chart.x_label, chart.y_label, chart.log_x ? log_ticks(x) : chart.x_ticks,
                                  chart.log_y ? log_ticks(y) : Ticks{});
  panel.draw_grid();
  panel.begin();
  const auto rule_line = [&](double x0, double y0, double x1, double y1) {
    panel.canvas().line(panel.at(x0, y0), panel.at(x1, y1), mark_style);
  };
  if (chart.x_rule)
    rule_line(place(chart.x_rule->at, chart.log_x), y.low, place(chart.x_rule->at, chart.log_x), y.high);
  if (chart.y_rule)
    rule_line(x.low, place(chart.y_rule->at, chart.log_y), x.high, place(chart.y_rule->at, chart.log_y));
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const LineSeries& own = chart.series[s];
    if (own.low.size() > 0) panel.band(own.x, own.low, own.high, {.fill = styles[s].stroke, .opacity = band_opacity});
  }
  for (std::size_t s = 0; s < chart.series.size(); ++s) draw_series(panel, chart, chart.series[s], styles[s]);
  panel.end();
  panel.draw_frame();
  return frame.canvas.str();
}

}  // namespace condens::plot
