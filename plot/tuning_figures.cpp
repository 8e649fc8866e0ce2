// Figures of tuning; see figures.hpp.

#include <limits>

#include "condens/plot/colormap.hpp"
#include "condens/plot/figures.hpp"
#include "frame.hpp"

namespace condens::plot {

namespace {

struct Best {
  Index row = 0;
  Index column = 0;
  double score = std::numeric_limits<double>::infinity();
};

Best best_of(const Matrix& score) {
  Best best;
  for (Index j = 0; j < score.cols(); ++j)
    for (Index i = 0; i < score.rows(); ++i)
      if (score(i, j) < best.score) best = {i, j, score(i, j)};
  return best;
}

std::string title_of(const TuningTable& table) { return "Tuning by " + table.score_name; }

/// Where the minimum lies, and whether a wider list might do better.
LegendEntry minimum_entry(const TuningTable& table, const Best& best) {
  std::string text = "minimum " + number_text(best.score, 4) + " at ";
  bool on_edge = false;
  const auto add = [&](const std::string& name, const Vector& values, Index place) {
    if (values.size() == 1) return;
    text += (text.back() == ' ' ? "" : ", ") + name + " = " + short_number(values[place]);
    on_edge = on_edge || place == 0 || place == values.size() - 1;
  };
  add(table.column_name, table.columns, best.column);
  add(table.row_name, table.rows, best.row);
  return {text + (on_edge ? " (edge of the grid)" : ""), Mark::area, {.stroke = accent, .width = 2.4}};
}

/// One candidate list: a line, NaN left out.
std::string tuning_line(const TuningTable& table, const Best& best) {
  const bool along_columns = table.columns.size() > 1;
  const Vector candidates = along_columns ? table.columns : table.rows;
  const Vector score = table.score.reshaped();
  const Vector error =
      table.standard_error.size() > 0 ? Vector(table.standard_error.reshaped()) : Vector(Vector::Zero(score.size()));
  const Index n = candidates.size();
  const Style style{.stroke = line_color(0), .width = 2.0};
  Frame frame = make_frame({.title = title_of(table), .legend = {minimum_entry(table, best)}, .height = 360.0});
  Vector reach(2 * n);
  reach << score - error, score + error;
  const Panel panel = frame.panel({-0.5, static_cast<double>(n) - 0.5}, extent_of(reach, 0.08),
                                  along_columns ? table.column_name : table.row_name, table.score_name,
                                  candidate_ticks(candidates, frame.inner_width, false));
  panel.draw_grid();
  panel.begin();
  std::vector<Point> line;
  for (Index k = 0; k < n; ++k) {
    if (!std::isfinite(score[k])) continue;
    const double x = static_cast<double>(k);
    line.push_back(panel.at(x, score[k]));
    if (std::isfinite(error[k]) && error[k] > 0.0)
      panel.canvas().line(panel.at(x, score[k] - error[k]), panel.at(x, score[k] + error[k]),
                          {.stroke = line_color(0), .width = 1.2});
  }
  panel.canvas().polyline(line, style);
  panel.canvas().circles(line, 3.0, {.fill = line_color(0), .stroke = "#ffffff", .width = 0.8});
  const double best_place = static_cast<double>(along_columns ? best.column : best.row);
  panel.canvas().circle(panel.at(best_place, best.score), 6.0, {.stroke = accent, .width = 2.2});
  panel.end();
  panel.draw_frame();
  return frame.canvas.str();
}

/// Cells of equal size, rows upwards.
std::string tuning_map(const TuningTable& table, const Best& best) {
  const Index rows = table.rows.size();
  const Index columns = table.columns.size();
  std::vector<double> finite;
  for (const double s : table.score.reshaped())
    if (std::isfinite(s)) finite.push_back(s);
  // Hopeless candidates would take all the colours: these end at the 80 % quantile.
  const Extent colors = extent_of(
      Vector{{best.score, sample_quantile(Eigen::Map<const Vector>(finite.data(), std::ssize(finite)), 0.8)}});
  const double low = std::min(best.score, colors.high);
  const auto share = [&](double s) { return std::sqrt(std::clamp((s - low) / (colors.high - low), 0.0, 1.0)); };

  Frame frame =
      make_frame({.title = title_of(table), .legend = {minimum_entry(table, best)}, .right = color_bar_margin});
  const Panel panel =
      frame.panel({-0.5, static_cast<double>(columns) - 0.5}, {-0.5, static_cast<double>(rows) - 0.5},
                  table.column_name, table.row_name, candidate_ticks(table.columns, frame.inner_width, false),
                  candidate_ticks(table.rows, frame.inner_height, true));
  const double width = frame.inner_width / static_cast<double>(columns);
  const double height = frame.inner_height / static_cast<double>(rows);
  const bool with_text = width >= 42.0 && height >= 18.0;
  const auto corner_of = [&](Index i, Index j) {
    return panel.at(static_cast<double>(j) - 0.5, static_cast<double>(i) + 0.5);
  };
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) {
      const double s = table.score(i, j);
      const Point corner = corner_of(i, j);
      const bool tried = !std::isnan(s);
      const bool worked = std::isfinite(s);
      const std::string fill = worked ? css(score_palette()[color_index(share(s))]) : tried ? "#dddddd" : "#f6f6f6";
      panel.canvas().rect(corner, width, height, {.fill = fill, .stroke = "#ffffff", .width = 0.7});
      if (!with_text || !tried) continue;
      panel.canvas().text(
          {corner.x + width / 2.0, corner.y + height / 2.0 + 3.5}, worked ? number_text(s) : "failed",
          {.size = 10.0, .fill = worked && share(s) < 0.6 ? "#ffffff" : "#222222", .anchor = Anchor::middle});
    }
  }
  panel.canvas().rect(corner_of(best.row, best.column), width, height, {.stroke = "#ffffff", .width = 4.5});
  panel.canvas().rect(corner_of(best.row, best.column), width, height, {.stroke = accent, .width = 2.6});
  panel.draw_frame();
  draw_color_bar(panel.canvas(), {frame.corner.x + frame.inner_width + 16.0, frame.corner.y}, frame.inner_height,
                 score_palette(), {low, colors.high}, share, table.score_name);
  return frame.canvas.str();
}

}  // namespace

std::string tuning_surface(const TuningTable& table) {
  const Index rows = table.rows.size();
  const Index columns = table.columns.size();
  require(rows > 0 && columns > 0 && table.score.rows() == rows && table.score.cols() == columns,
          "tuning_surface: score is ", table.score.rows(), " x ", table.score.cols(), ", expected ", rows, " x ",
          columns, ", one row and column for each candidate");
  require(table.standard_error.size() == 0 ||
              (table.standard_error.rows() == rows && table.standard_error.cols() == columns),
          "tuning_surface: standard_error is ", table.standard_error.rows(), " x ", table.standard_error.cols(),
          ", expected nothing or the shape of score");
  const Best best = best_of(table.score);
  require(std::isfinite(best.score), "tuning_surface: score holds no finite value, expected at least one");
  if (rows == 1 || columns == 1) return tuning_line(table, best);
  return tuning_map(table, best);
}

}  // namespace condens::plot
