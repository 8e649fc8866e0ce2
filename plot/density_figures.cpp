// The density over one input; see figures.hpp.

#include <cmath>

#include "bands.hpp"
#include "condens/plot/colormap.hpp"
#include "condens/plot/figures.hpp"
#include "density_image.hpp"
#include "frame.hpp"
#include "moving.hpp"
#include "points.hpp"

namespace condens::plot {

namespace {

const Style mean_style{.stroke = accent, .width = 2.0};
const Style atom_style{.fill = accent, .opacity = 0.55};
const Style interval_style{.stroke = accent, .width = 1.4, .dash = "6 4"};
constexpr double level_half = 0.38;  // of the bar of a level, whose neighbour is at 1
const Style truth_style{.stroke = "#111111", .width = 0.9};

void draw_truth(const Panel& panel, const std::function<double(double, double)>& truth) {
  const Vector x = Vector::LinSpaced(map_columns / 2, panel.spec().x.low, panel.spec().x.high);
  const Vector y = Vector::LinSpaced(map_rows / 2, panel.spec().y.low, panel.spec().y.high);
  Matrix density(y.size(), x.size());
  for (Index j = 0; j < x.size(); ++j)
    for (Index i = 0; i < y.size(); ++i) density(i, j) = truth(x[j], y[i]);
  for (const double share : {0.05, 0.2, 0.5, 0.8})
    draw_contour(panel, x, y, density, share * density.maxCoeff(), truth_style);
}

/// One input on the axis of x: a continuum in cells, or levels side by side.
struct Axis {
  Extent extent;
  Matrix values;  ///< the rows of the input, a column for each distribution
  LevelTicks ticks = {};
  Vector data;  ///< the rows of the data on the axis
  bool levels = false;
};

Axis axis_of(const InputColumn& column, const Dataset& data, double length) {
  const Levels levels = levels_of(column, data);
  if (!levels.labels.empty()) {
    const Extent extent{-0.5, static_cast<double>(levels.labels.size()) - 0.5};
    return {extent, levels.x, level_ticks(levels.labels, length), level_places(column, levels, data), true};
  }
  const Vector x = data.x.row(column.row).transpose();
  const Extent extent = extent_of(x, 0.02);
  return {extent, cell_centres(extent, map_columns).transpose(), {}, x};
}

/// Levels as bars of cells, with nothing between them.
Matrix spread(const Matrix& density, const Axis& axis) {
  if (!axis.levels) return density;
  const Vector x = cell_centres(axis.extent, map_columns);
  Matrix out = Matrix::Zero(density.rows(), map_columns);
  for (Index j = 0; j < map_columns; ++j)
    if (std::abs(x[j] - std::round(x[j])) < level_half) out.col(j) = density.col(static_cast<Index>(std::round(x[j])));
  return out;
}

/// A curve over a continuum, a stroke for every level.
void draw_curve(const Panel& panel, const Axis& axis, const VectorView& values, const Style& style) {
  if (!axis.levels) {
    panel.line(axis.values.row(0).transpose(), values, style);
    return;
  }
  for (Index k = 0; k < values.size(); ++k) {
    const double at = static_cast<double>(k);
    panel.canvas().line(panel.at(at - level_half, values[k]), panel.at(at + level_half, values[k]), style);
  }
}

/// An area over a continuum, a bar for every level.
void draw_band(const Panel& panel, const Axis& axis, const Vector& low, const Vector& high, const Style& style) {
  if (!axis.levels) {
    panel.band(axis.values.row(0).transpose(), low, high, style);
    return;
  }
  for (Index k = 0; k < low.size(); ++k) {
    const double at = static_cast<double>(k);
    const Point corner = panel.at(at - level_half, high[k]);
    const Point end = panel.at(at + level_half, low[k]);
    panel.canvas().rect(corner, end.x - corner.x, end.y - corner.y, style);
  }
}

/// A band around every atom, as wide as a tenth of the axis where it is certain.
void draw_atoms(const Panel& panel, const Axis& axis, const TargetDistributions& laws, const Extent& y_axis) {
  const Matrix share = laws.atom_probabilities();
  for (Index k = 0; k < share.rows(); ++k) {
    const double at = laws.support().atoms[static_cast<std::size_t>(k)];
    const Vector half = 0.05 * y_axis.size() * share.row(k).transpose();
    if (!axis.levels) {
      panel.band(axis.values.row(0).transpose(), (at - half.array()).matrix(), (at + half.array()).matrix(),
                 atom_style);
      continue;
    }
    for (Index i = 0; i < half.size(); ++i) {
      const double place = static_cast<double>(i);
      const Point corner = panel.at(place - level_half, at + half[i]);
      const Point end = panel.at(place + level_half, at - half[i]);
      panel.canvas().rect(corner, end.x - corner.x, end.y - corner.y, atom_style);
    }
  }
}

/// What the axis of y leaves out, names without room, where the other inputs stand, and
/// why points differ.
Caption map_caption(const std::vector<InputColumn>& columns, Index moving, const Vector& at, const Axis& axis,
                    bool with_points, const std::string& outside) {
  Caption out{.remarks = {outside}, .lead = "At "};
  if (with_points) out.tail = "rows are paler the farther they are from there.";
  if (axis.ticks.every > 1) out.remarks.push_back("One of " + std::to_string(axis.ticks.every) + " levels is named.");
  out.items = standing(columns, at);
  out.items.erase(out.items.begin() + moving);
  return out;
}

}  // namespace

Vector median_inputs(const Dataset& data) {
  require(data.x.rows() == 0 || data.x.cols() > 0, "median_inputs: the data have no rows, expected at least one");
  Vector out(data.x.rows());
  for (Index j = 0; j < out.size(); ++j) out[j] = sample_quantile(data.x.row(j).transpose(), 0.5);
  return out;
}

std::string density_map(const ConditionalDensity& model, const Dataset& data, const Names& names,
                        const MapOptions& options, const Run& run) {
  check_figure("density_map", model, data, options.target);
  const std::vector<InputColumn> columns = input_columns("density_map", model, names);
  require(options.input >= 0 && options.input < std::ssize(columns), "density_map: input ", options.input,
          ", expected 0 to ", std::ssize(columns) - 1, " (a model without inputs has density_curve)");
  require(options.interval > 0.0 && options.interval < 1.0, "density_map: interval = ", options.interval,
          ", expected a probability in (0, 1)");
  const Vector at = reference_inputs("density_map", options.at, data);
  const InputColumn& moving = columns[static_cast<std::size_t>(options.input)];
  const Axis axis = axis_of(moving, data, figure_width - left_margin - color_bar_margin);
  const TargetDistributions laws =
      target_laws(model, moved(at, moving, axis.values), options.target, options.kind, run);
  const Vector data_y = data.y.row(options.target).transpose();
  const Extent y_axis = target_axis(laws, data_y, 0.005, true, run);
  const PointRows shown = point_rows(
      data.size(), columns.size() > 1 ? closeness(columns, options.input, at, data) : Vector(), options.max_points);

  const std::string outside =
      outside_remark(outside_of(laws, y_axis, run), y_axis, options.max_points > 0 ? data_y : Vector());

  std::vector<LegendEntry> legend{{"mean", Mark::line, mean_style},
                                  {percent(options.interval) + " interval", Mark::line, interval_style}};
  if (!laws.support().atoms.empty()) legend.push_back({"probability of " + atom_names(laws), Mark::area, atom_style});
  if (options.max_points > 0) legend.push_back(point_legend(shown));
  if (options.bands.replicates != nullptr) legend.push_back(band_legend(options.bands));
  if (options.truth) legend.push_back({"true density", Mark::line, truth_style});
  const std::string y_name = name_of(names.targets, options.target, "y");
  Frame frame =
      make_frame({.title = options.title.empty() ? "Density of " + y_name + " given " + moving.name : options.title,
                  .legend = legend,
                  .right = color_bar_margin,
                  .caption = map_caption(columns, options.input, at, axis, options.max_points > 0, outside),
                  .turned = axis.ticks.turned});

  const Panel panel(frame.canvas, {.corner = frame.corner,
                                   .width = frame.inner_width,
                                   .height = frame.inner_height,
                                   .x = axis.extent,
                                   .y = y_axis,
                                   .x_label = moving.name,
                                   .y_label = y_name,
                                   .x_ticks = axis.ticks.ticks,
                                   .turned = axis.ticks.turned});
  const Vector y = cell_centres(y_axis, map_rows);
  const Matrix density = laws.log_pdf_grid(y.transpose(), run).array().exp();
  const DensityScale scale(density);

  panel.begin();
  draw_density(panel, spread(density, axis), scale);
  if (options.truth) draw_truth(panel, options.truth);
  draw_points(panel, axis.data, data_y, shown);
  const Matrix interval = laws.interval(options.interval, run);
  if (options.bands.replicates != nullptr) {
    const Index n = laws.size();
    const auto curves = [&](const TargetDistributions& own) {
      const Run here{.threads = run.threads, .observer = {}};
      const Matrix ends = own.interval(options.interval, here);
      Vector out(3 * n);
      out << own.mean(here).row(0).transpose(), ends.row(0).transpose(), ends.row(1).transpose();
      return out;
    };
    const Bands around = bands_at(model, moved(at, moving, axis.values), options.target, options.kind, options.bands,
                                  curves(laws), curves, run);
    for (Index k = 0; k < 3; ++k)
      draw_band(panel, axis, around.low.segment(k * n, n), around.high.segment(k * n, n),
                band_legend(options.bands).style);
  }
  draw_curve(panel, axis, interval.row(0).transpose(), interval_style);
  draw_curve(panel, axis, interval.row(1).transpose(), interval_style);
  draw_curve(panel, axis, laws.mean(run).row(0).transpose(), mean_style);
  draw_atoms(panel, axis, laws, y_axis);
  panel.end();
  panel.draw_frame();
  draw_density_bar(panel, scale);
  return frame.canvas.str();
}

}  // namespace condens::plot
