// Pictures of explanations; see explanation_figures.hpp.

#include "condens/plot/explanation_figures.hpp"

#include <algorithm>
#include <cmath>

#include "condens/plot/line_chart.hpp"
#include "frame.hpp"

namespace condens::plot {

namespace {

constexpr double added_pitch = 24.0;
constexpr double most_added_name = 190.0;
constexpr double added_gap = 24.0;
constexpr std::size_t most_columns = 4;
const Style more_style{.fill = "#0072B2"};
const Style less_style{.fill = "#D55E00"};
const Style error_style{.stroke = "#333333", .width = 1.3};
const Style zero_style{.stroke = "#777777", .width = 1.0};
const Style added_stripe{.fill = "#f5f7f8"};

void check_added(const std::vector<std::string>& inputs, const std::vector<AddedColumn>& columns) {
  const auto n = std::ssize(inputs);
  require(n > 0, "added_bars: there are no inputs, expected at least one");
  require(!columns.empty() && columns.size() <= most_columns, "added_bars: there are ", columns.size(),
          " columns, expected 1 to ", most_columns);
  for (const AddedColumn& column : columns) {
    require(column.values.size() == n && (column.errors.size() == 0 || column.errors.size() == n), "added_bars: '",
            column.label, "' has ", column.values.size(), " values and ", column.errors.size(), " errors, expected ", n,
            ", or no errors");
    require(column.values.allFinite(), "added_bars: '", column.label, "' has a value that is not finite");
  }
}

double error_of(const AddedColumn& column, Index i) {
  return column.errors.size() > 0 && std::isfinite(column.errors[i]) ? column.errors[i] : 0.0;
}

Extent reach_of_column(const AddedColumn& column) {
  std::vector<double> reach{0.0};
  for (Index i = 0; i < column.values.size(); ++i) {
    reach.push_back(column.values[i] - error_of(column, i));
    reach.push_back(column.values[i] + error_of(column, i));
  }
  return extent_of(Eigen::Map<const Vector>(reach.data(), std::ssize(reach)), 0.06);
}

void draw_added(const Panel& panel, const AddedColumn& column) {
  panel.draw_grid();
  Canvas& canvas = panel.canvas();
  for (Index i = 0; i < column.values.size(); ++i) {
    const double at = -static_cast<double>(i);
    const double value = column.values[i];
    const Point corner = panel.at(std::min(0.0, value), at + 0.35);
    const Point end = panel.at(std::max(0.0, value), at - 0.35);
    canvas.rect(corner, end.x - corner.x, end.y - corner.y, value < 0 ? less_style : more_style);
    const double error = error_of(column, i);
    if (error > 0) canvas.line(panel.at(value - error, at), panel.at(value + error, at), error_style);
  }
  canvas.line(panel.at(0.0, panel.spec().y.low), panel.at(0.0, panel.spec().y.high), zero_style);
  panel.draw_frame();
}

/// Fewer ticks where panels are narrow.
Ticks ticks_of_panel(const Extent& extent, double width) {
  Ticks out;
  out.at = ticks(extent, std::max(2, static_cast<int>(width / 60.0)));
  out.labels = tick_labels(out.at);
  return out;
}

}  // namespace

std::string added_bars(const std::string& title, const std::vector<std::string>& inputs,
                       const std::vector<AddedColumn>& columns, const std::string& remark) {
  check_added(inputs, columns);
  const auto count = static_cast<double>(inputs.size());
  double names = 40.0;
  for (const std::string& name : inputs) names = std::max(names, text_width(name, 11.0) + 12.0);
  const double first = std::max(left_margin, std::min(names, most_added_name));
  const bool any_error = std::any_of(columns.begin(), columns.end(), [](const auto& c) { return c.errors.size() > 0; });
  std::vector<LegendEntry> legend;
  if (any_error) legend.push_back({"± standard error", Mark::line, error_style});
  Caption caption;
  if (!remark.empty()) caption.remarks = {remark};
  const double panels = static_cast<double>(columns.size());
  const double width = std::max(figure_width, first + right_margin + 230.0 * panels);
  Frame frame = make_frame({.title = title,
                            .legend = legend,
                            .width = width,
                            .height = 112.0 + added_pitch * std::max(count, 2.0),
                            .caption = caption});
  const double pitch = frame.inner_height / count;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double top = frame.corner.y + pitch * static_cast<double>(i);
    if (i % 2 == 0) frame.canvas.rect({8.0, top}, first - 8.0, pitch, added_stripe);
    frame.canvas.text({first - 8.0, top + 0.5 * pitch + 4.0}, fit_text(inputs[i], 11.0, most_added_name),
                      {.anchor = Anchor::end});
  }
  const double room = (width - right_margin - first - added_gap * (panels - 1.0)) / panels;
  double left = first;
  for (const AddedColumn& column : columns) {
    const Extent x = reach_of_column(column);
    const Panel panel(frame.canvas, {.corner = {left, frame.corner.y},
                                     .width = room,
                                     .height = frame.inner_height,
                                     .x = x,
                                     .y = {-count + 0.5, 0.5},
                                     .x_label = column.label,
                                     .y_label = {},
                                     .x_ticks = ticks_of_panel(x, room),
                                     .y_ticks = {{-3.0 * count}, {""}}});
    draw_added(panel, column);
    left += room + added_gap;
  }
  return frame.canvas.str();
}

std::string effect_curves(const Effect& effect, const std::string& target) {
  const std::string title =
      (effect.kind == EffectKind::local ? "Local effect of " : "Partial dependence on ") + effect.input;
  if (!effect.levels.empty()) {
    std::vector<AddedColumn> columns;
    for (std::size_t f = 0; f < std::min(effect.of.size(), most_columns); ++f) {
      const auto row = static_cast<Index>(f);
      columns.push_back({.label = effect.of[f].text(),
                         .values = effect.values.row(row).transpose(),
                         .errors = effect.standard_errors.row(row).transpose()});
    }
    return added_bars(title + ": " + target, effect.levels, columns, "Less the mean over the rows.");
  }
  const bool local = effect.kind == EffectKind::local;
  const std::string of = effect.of.size() == 1 ? effect.of.front().text() + " of " + target : target;
  LineChart chart{.title = title, .x_label = effect.input, .y_label = local ? "effect on " + of : of};
  // Local effects of quantiles are of each on its own: on top of their means they may cross.
  if (local) chart.y_rule = Rule{0.0, "mean over the rows"};
  for (std::size_t f = 0; f < effect.of.size(); ++f) {
    const auto row = static_cast<Index>(f);
    const double base = local ? 0.0 : effect.base[row];
    chart.series.push_back({.name = effect.of[f].text(),
                            .x = effect.grid,
                            .y = effect.values.row(row).transpose().array() + base,
                            .error = effect.standard_errors.row(row).transpose()});
  }
  return line_chart(chart);
}

}  // namespace condens::plot
