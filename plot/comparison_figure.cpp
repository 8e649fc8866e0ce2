// Leaderboards; see comparison_figure.hpp.

#include "condens/plot/comparison_figure.hpp"

#include <limits>
#include <optional>

#include "condens/plot/colormap.hpp"
#include "condens/plot/line_chart.hpp"
#include "frame.hpp"

namespace condens::plot {

namespace {

constexpr double comparison_width = 900.0;
constexpr double row_pitch = 28.0;
constexpr double column_gap = 20.0;
constexpr double most_name = 190.0;
constexpr double far_behind = 10.0;      // times as far from the best as the next one: shown at the edge
constexpr double many_deviations = 2.5;  // dots beyond do not widen an axis

const Style best_style{.fill = "#0072B2", .stroke = "#0072B2", .width = 1.8};
const Style other_style{.fill = "#8c979e", .stroke = "#8c979e", .width = 1.8};
const Style dot_style{.fill = point_color, .opacity = 0.22};
const Style rule_style{.stroke = accent, .width = 1.2, .dash = "5 4"};
const Style stripe_style{.fill = "#f5f7f8"};

/// What a column shows of one model.
struct Cell {
  Score mean;
  std::vector<double> dots = {};
};

struct Column {
  std::string label;
  double width;  ///< relative to the others
  std::vector<Cell> cells;
  bool may_be_log = false;
  std::optional<double> rule = {};
};

std::size_t place_of(double Trial::*measure) {
  std::size_t m = 0;
  while (trial_measures[m].value != measure) ++m;
  return m;
}

Column measure_column(const std::vector<Standing>& standings, const std::string& label, double Trial::*measure,
                      double unit = 1.0) {
  Column out{.label = label, .width = 1.0, .cells = {}};
  for (const Standing& standing : standings) {
    const Score& mean = standing.means[place_of(measure)];
    out.cells.push_back({{unit * mean.value, unit * mean.standard_error}});
  }
  return out;
}

Column behind_column(const std::vector<Standing>& standings) {
  Column out{.label = "NLL behind the best", .width = 1.6, .cells = {}, .rule = 0.0};
  for (const Standing& standing : standings) {
    Cell cell{standing.behind};
    for (std::size_t r = 0; &standing != &standings.front() && r < standing.trials.size(); ++r) {
      const double difference = standing.trials[r].nll - standings.front().trials[r].nll;
      if (std::isfinite(difference)) cell.dots.push_back(difference);
    }
    out.cells.push_back(std::move(cell));
  }
  return out;
}

/// The largest mean that the axis has to reach: those far behind all others are left out.
double last_shown(const Column& column) {
  std::vector<double> means;
  for (const Cell& cell : column.cells) {
    if (std::isfinite(cell.mean.value)) means.push_back(cell.mean.value);
  }
  std::sort(means.begin(), means.end());
  while (means.size() > 2) {
    const double next = means[means.size() - 2] - means.front();
    if (next <= 0 || means.back() - means.front() <= far_behind * next) break;
    means.pop_back();
  }
  return means.empty() ? 0.0 : means.back();
}

/// The axis of one column.
struct ScoreAxis {
  Extent extent;  ///< of decimal logarithms where the axis is logarithmic
  bool is_log;
  double last;

  double at(double value) const { return is_log ? std::log10(value) : value; }
};

ScoreAxis score_axis(const Column& column) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const Cell& cell : column.cells) {
    if (!std::isfinite(cell.mean.value)) continue;
    least = std::min(least, cell.mean.value);
    most = std::max(most, cell.mean.value);
  }
  ScoreAxis axis{.extent = {}, .is_log = column.may_be_log && least > 0 && most > 20.0 * least, .last = most};
  if (!axis.is_log) axis.last = last_shown(column);
  std::vector<double> reach;
  if (column.rule) reach.push_back(axis.at(*column.rule));
  const auto add = [&](double value) {
    if (std::isfinite(value) && (!axis.is_log || value > 0)) reach.push_back(axis.at(value));
  };
  for (const Cell& cell : column.cells) {
    const auto [mean, error] = cell.mean;
    if (!(mean <= axis.last)) continue;
    for (const double end : {mean, mean - error, mean + error}) add(end);
    const double spread = many_deviations * error * std::sqrt(static_cast<double>(cell.dots.size()));
    for (const double dot : cell.dots) {
      if (std::abs(dot - mean) <= spread) add(dot);
    }
  }
  axis.extent = extent_of(Eigen::Map<const Vector>(reach.data(), std::ssize(reach)), 0.08);
  return axis;
}

/// Whether labels of an axis of `width` pixels do not touch.
bool have_room(const Ticks& ticks, const Extent& extent, double width) {
  for (std::size_t i = 1; i < ticks.at.size(); ++i) {
    const double step = (ticks.at[i] - ticks.at[i - 1]) / extent.size() * width;
    if (step < 0.5 * (text_width(ticks.labels[i - 1], 10.5) + text_width(ticks.labels[i], 10.5)) + 4.0) return false;
  }
  return true;
}

Ticks ticks_of(const ScoreAxis& axis, double width) {
  if (axis.is_log) {
    const Ticks all = log_ticks(axis.extent);
    for (std::size_t every = 1;; ++every) {
      Ticks out;
      for (std::size_t i = 0; i < all.at.size(); i += every) {
        out.at.push_back(all.at[i]);
        out.labels.push_back(all.labels[i]);
      }
      if (have_room(out, axis.extent, width)) return out;
    }
  }
  Ticks out;
  for (int steps = 6; steps >= 2 && (out.at.empty() || !have_room(out, axis.extent, width)); --steps) {
    out.at = ticks(axis.extent, steps);
    out.labels = tick_labels(out.at);
  }
  return out;
}

/// The mark of one model in one column, at height `row`.
void draw_cell(const Panel& panel, const ScoreAxis& axis, const Cell& cell, double row, const Style& style) {
  const auto [mean, error] = cell.mean;
  const double right = panel.spec().x.high;
  if (std::isnan(mean)) return;
  if (mean > axis.last) {
    const Point edge = panel.at(right, row);
    const std::string number = std::isfinite(mean) ? short_number(mean) : "\xE2\x88\x9E";
    panel.canvas().text({edge.x - 5.0, edge.y + 4.0}, number + " \xE2\x96\xB6",
                        {.size = 10.5, .fill = style.fill, .anchor = Anchor::end});
    return;
  }
  panel.begin();
  const Vector dots = Eigen::Map<const Vector>(cell.dots.data(), std::ssize(cell.dots));
  panel.points(dots, Vector::Constant(dots.size(), row), 2.6, dot_style);
  if (std::isfinite(error)) {
    const double low = mean - error;
    const double start = axis.is_log && low <= 0 ? axis.extent.low : axis.at(low);
    panel.canvas().line(panel.at(start, row), panel.at(axis.at(mean + error), row), style);
  }
  panel.canvas().circle(panel.at(axis.at(mean), row), 4.0, {.fill = style.fill, .stroke = "#ffffff", .width = 0.8});
  panel.end();
}

void draw_column(Canvas& canvas, const PanelSpec& place, const Column& column, const std::vector<Standing>& standings) {
  const ScoreAxis axis = score_axis(column);
  PanelSpec spec = place;
  spec.x = axis.extent;
  spec.x_label = column.label;
  spec.x_ticks = ticks_of(axis, place.width);
  const Panel panel(canvas, spec);
  panel.draw_grid();
  if (column.rule) {
    canvas.line(panel.at(axis.at(*column.rule), spec.y.low), panel.at(axis.at(*column.rule), spec.y.high), rule_style);
  }
  for (std::size_t k = 0; k < standings.size(); ++k) {
    draw_cell(panel, axis, column.cells[k], -static_cast<double>(k), standings[k].best ? best_style : other_style);
  }
  panel.draw_frame();
}

std::string name_text(const Standing& standing) {
  if (standing.failed == 0) return standing.label;
  if (standing.failed == std::ssize(standing.trials)) return standing.label + " (failed)";
  return standing.label + " (" + std::to_string(standing.failed) + " failed)";
}

std::vector<LegendEntry> legend_of(const std::vector<Standing>& standings) {
  const bool tested = standings.front().trials.size() > 1;
  const std::string best = tested ? "best NLL, or no worse by a paired t-test at 5 %: bold" : "best NLL: bold";
  std::vector<LegendEntry> out{{best, Mark::point, best_style}};
  if (std::any_of(standings.begin(), standings.end(), [](const Standing& s) { return !s.best; })) {
    out.push_back({"others", Mark::point, other_style});
  }
  if (!tested) return out;
  out.push_back({"\xC2\xB1 standard error", Mark::line, other_style});
  if (standings.size() > 1) out.push_back({"one split", Mark::point, dot_style});
  return out;
}

}  // namespace

std::string comparison_figure(const std::vector<Standing>& standings, const std::string& title) {
  require(!standings.empty(), "comparison_figure: there are no standings, expected at least one");
  std::vector<Column> columns{measure_column(standings, "NLL", &Trial::nll), behind_column(standings),
                              measure_column(standings, "CRPS", &Trial::crps),
                              measure_column(standings, "coverage of 90 %", &Trial::coverage, 100.0),
                              measure_column(standings, "seconds per fit", &Trial::seconds)};
  columns[2].may_be_log = columns[4].may_be_log = true;
  columns[3].rule = 90.0;
  if (standings.size() == 1) columns.erase(columns.begin() + 1);

  const double count = static_cast<double>(standings.size());
  Frame frame = make_frame({.title = title,
                            .legend = legend_of(standings),
                            .width = comparison_width,
                            .height = 120.0 + row_pitch * std::max(count, 2.0)});
  double names = 40.0;
  for (const Standing& standing : standings) names = std::max(names, text_width(name_text(standing), 11.5) + 12.0);
  const double first = std::max(left_margin, std::min(names, most_name));
  double shares = 0.0;
  for (const Column& column : columns) shares += column.width;
  const double room = comparison_width - right_margin - first - column_gap * static_cast<double>(columns.size() - 1);

  const Extent rows{-count + 0.5, 0.5};
  const double pitch = frame.inner_height / count;
  for (std::size_t k = 0; k < standings.size(); ++k) {
    const double top = frame.corner.y + pitch * static_cast<double>(k);
    if (k % 2 == 0) frame.canvas.rect({8.0, top}, comparison_width - right_margin - 8.0, pitch, stripe_style);
    frame.canvas.text({first - 8.0, top + 0.5 * pitch + 4.0}, fit_text(name_text(standings[k]), 11.5, most_name),
                      {.size = 11.5, .anchor = Anchor::end, .bold = standings[k].best});
  }
  double left = first;
  for (const Column& column : columns) {
    const double width = room * column.width / shares;
    draw_column(frame.canvas,
                {.corner = {left, frame.corner.y},
                 .width = width,
                 .height = frame.inner_height,
                 .x = {},
                 .y = rows,
                 .x_label = {},
                 .y_label = {},
                 .y_ticks = {{-3.0 * count}, {""}}},
                column, standings);
    left += width + column_gap;
  }
  return frame.canvas.str();
}

}  // namespace condens::plot
