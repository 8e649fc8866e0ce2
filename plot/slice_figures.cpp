// Densities as curves while one input moves; see figures.hpp.

#include <algorithm>
#include <numeric>

#include "bands.hpp"
#include "condens/plot/colormap.hpp"
#include "condens/plot/figures.hpp"
#include "density_image.hpp"
#include "frame.hpp"
#include "moving.hpp"

namespace condens::plot {

namespace {

constexpr std::size_t most_curves = 5;  // of the levels of an input, in a panel
constexpr double panel_pitch = 225.0;
constexpr double panel_height = 140.0;
const Style beyond_style{.fill = "#f0f0f0"};

/// What one panel shows: an input, the values that it takes, and the distributions there.
struct Moves {
  std::string name;
  std::vector<std::string> values;
  bool levels;      ///< values are levels, not quantiles
  bool all = true;  ///< every level is shown
  TargetDistributions laws;
  Matrix x;  ///< where these are, a column each
};

/// The inputs that move, checked.
std::vector<Index> slice_inputs(const std::vector<InputColumn>& columns, const SliceOptions& options) {
  std::vector<Index> inputs = options.inputs;
  if (inputs.empty()) {
    inputs.resize(columns.size());
    std::iota(inputs.begin(), inputs.end(), Index{0});
  }
  for (const Index input : inputs)
    require(input >= 0 && input < std::ssize(columns), "slices: input ", input, ", expected 0 to ",
            std::ssize(columns) - 1);
  require(!inputs.empty(), "slices: the model has no inputs, expected at least one (density_curve draws its density)");
  require(!options.levels.empty(), "slices: levels is empty, expected at least one quantile of the varied input");
  require(options.level_names.empty() || options.level_names.size() == options.levels.size(),
          "slices: ", options.level_names.size(), " level_names for ", options.levels.size(),
          " levels, expected one for each, or none");
  for (const double level : options.levels)
    require(level >= 0.0 && level <= 1.0, "slices: level ", level, ", expected a probability in [0, 1]");
  return inputs;
}

/// Of many levels those that are spread evenly by the mean of y, in the order of the levels.
std::vector<Index> spread_levels(const Vector& means) {
  std::vector<Index> order(static_cast<std::size_t>(means.size()));
  std::iota(order.begin(), order.end(), Index{0});
  if (order.size() <= most_curves) return order;
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return means[a] < means[b]; });
  std::vector<Index> out;
  for (std::size_t k = 0; k < most_curves; ++k) out.push_back(order[k * (order.size() - 1) / (most_curves - 1)]);
  std::sort(out.begin(), out.end());
  return out;
}

Moves moves_of(const ConditionalDensity& model, const Dataset& data, const InputColumn& column, const Vector& at,
               const SliceOptions& options, const Run& run) {
  const Levels levels = levels_of(column, data);
  if (!levels.labels.empty()) {
    const TargetDistributions laws = target_laws(model, moved(at, column, levels.x), options.target, options.kind, run);
    const std::vector<Index> shown = spread_levels(laws.mean(run).row(0).transpose());
    Moves out{column.name,
              {},
              true,
              shown.size() == levels.labels.size(),
              laws.select(shown),
              moved(at, column, levels.x)(Eigen::all, shown)};
    for (const Index k : shown) out.values.push_back(levels.labels[static_cast<std::size_t>(k)]);
    return out;
  }
  Matrix values(1, std::ssize(options.levels));
  std::vector<std::string> texts;
  for (Index k = 0; k < values.cols(); ++k) {
    values(0, k) = sample_quantile(data.x.row(column.row).transpose(), options.levels[static_cast<std::size_t>(k)]);
    texts.push_back(short_number(values(0, k)));
  }
  return {column.name,
          texts,
          false,
          true,
          target_laws(model, moved(at, column, values), options.target, options.kind, run),
          moved(at, column, values)};
}

Style curve_style(std::size_t k) { return {.stroke = line_color(k), .width = 2.0}; }

/// Every curve of every panel, on 200 or 400 points of the axis.
struct Curves {
  Vector y;
  std::vector<Matrix> density;  // of every panel: a column a curve
};

Curves curves_on(const Extent& axis, const std::vector<Moves>& panels, const Run& run) {
  Curves out{Vector::LinSpaced(panels.size() == 1 ? 400 : 200, axis.low, axis.high), {}};
  for (const Moves& moves : panels)
    out.density.emplace_back(moves.laws.log_pdf_grid(out.y.transpose(), run).array().exp());
  return out;
}

/// The part of the axis where some curve of some panel can be told from zero: a wide tail may hold probability that
/// no picture shows.
Extent visible_part(const Extent& axis, const Curves& curves) {
  constexpr double invisible = 0.004;  // of the panel's height: half a line's width
  Eigen::Array<bool, Eigen::Dynamic, 1> seen = Eigen::Array<bool, Eigen::Dynamic, 1>::Zero(curves.y.size());
  for (const Matrix& density : curves.density)
    seen = seen || density.rowwise().maxCoeff().array() > invisible * density.maxCoeff();
  Index low = 0;
  Index high = curves.y.size() - 1;
  while (low < high && !seen[low]) ++low;
  while (high > low && !seen[high]) --high;
  if (low == high) return axis;
  return {curves.y[std::max<Index>(0, low - 1)], curves.y[std::min<Index>(curves.y.size() - 1, high + 1)]};
}

/// The tops of the panels' axes: one for all, or where a peak would flatten the others, each panel's own.
std::vector<double> panel_tops(const std::vector<Matrix>& density) {
  constexpr double flattened = 3.0;
  std::vector<double> out;
  for (const Matrix& curves : density) out.push_back(curves.maxCoeff());
  const auto [low, high] = std::minmax_element(out.begin(), out.end());
  if (*high <= flattened * *low) std::fill(out.begin(), out.end(), double{*high});
  return out;
}

/// What the legend calls level k, of a single input or of all.
std::string level_name(const SliceOptions& options, std::size_t k, bool single) {
  if (!options.level_names.empty()) return options.level_names[k];
  const std::string own = percent(options.levels[k]);
  if (single) return own + " quantile";
  return k + 1 < options.levels.size() ? own : own + " quantile of the input";
}

/// Several inputs share the names of the levels, their values stand above the panels; a single one has both.
std::vector<LegendEntry> slice_legend(const std::vector<Moves>& panels, const SliceOptions& options) {
  std::vector<LegendEntry> out;
  const Moves& first = panels.front();
  const bool single = panels.size() == 1;
  if (single && first.levels) {
    for (std::size_t k = 0; k < first.values.size(); ++k)
      out.push_back({first.name + " = " + first.values[k], Mark::line, curve_style(k)});
  } else if (std::any_of(panels.begin(), panels.end(), [](const Moves& moves) { return !moves.levels; })) {
    for (std::size_t k = 0; k < options.levels.size(); ++k) {
      const std::string name = level_name(options, k, single);
      out.push_back({single ? "at " + first.values[k] + " (" + name + ")" : name, Mark::line, curve_style(k)});
    }
  }
  if (options.bands.replicates != nullptr)
    out.push_back({band_legend(options.bands).label, Mark::area, {.fill = line_color(0), .opacity = 0.25}});
  out.push_back({"beyond the data", Mark::area, beyond_style});
  return out;
}

constexpr double gap_of_panels = 64.0;
constexpr double half_width = (figure_width - left_margin - right_margin - gap_of_panels) / 2.0;

/// Above one of several panels: the input, and its values, cut where there is no room for all.
struct Title {
  static constexpr double size = 11.0;  // of the values
  static constexpr double space = 8.0;

  std::string name;
  double name_width;
  std::vector<std::string> values;
  bool whole;

  static Title of(const Moves& moves) {
    Title out{
        .name = fit_text(moves.name, 12.5, half_width / 2.0), .name_width = 0, .values = moves.values, .whole = true};
    out.name_width = text_width(out.name, 13.0) + space;
    const double room = half_width - out.name_width;
    double needed = 0.0;
    for (const std::string& value : out.values) needed += text_width(value, size) + space;
    out.whole = needed <= room + space;
    if (out.whole) return out;
    const double each = std::max(room / static_cast<double>(out.values.size()) - space, 24.0);
    for (std::string& value : out.values) value = fit_text(value, size, each);
    return out;
  }

  /// The values in the colours of their curves.
  void draw(Canvas& canvas, Point at) const {
    canvas.text(at, name, {.size = 12.0, .fill = "#111111", .bold = true});
    double x = at.x + name_width;
    for (std::size_t k = 0; k < values.size(); ++k) {
      canvas.text({x, at.y}, values[k], {.size = size, .fill = line_color(k), .bold = true});
      x += text_width(values[k], size) + space;
    }
  }
};

/// Where the data end is marked: what lies beyond is the model's alone.
void draw_beyond(const Panel& panel, const Extent& data) {
  const PanelSpec& spec = panel.spec();
  const auto shade = [&](double from, double to) {
    if (!(to > from)) return;
    const Point corner = panel.at(from, spec.y.high);
    panel.canvas().rect(corner, panel.at(to, spec.y.high).x - corner.x, spec.height, beyond_style);
  };
  shade(spec.x.low, std::min(data.low, spec.x.high));
  shade(std::max(data.high, spec.x.low), spec.x.high);
}

/// A bar at every atom and curve, as high as the panel where the atom is certain.
void draw_atoms(const Panel& panel, const TargetDistributions& laws) {
  constexpr double pitch = 5.0;
  const Matrix share = laws.atom_probabilities();
  for (Index k = 0; k < share.rows(); ++k) {
    const double at = laws.support().atoms[static_cast<std::size_t>(k)];
    for (Index i = 0; i < share.cols(); ++i) {
      Point foot = panel.at(at, 0.0);
      Point top = panel.at(at, panel.spec().y.high * share(k, i));
      foot.x = top.x = foot.x + pitch * (static_cast<double>(i) - 0.5 * static_cast<double>(share.cols() - 1));
      panel.canvas().line(foot, top, {.stroke = line_color(static_cast<std::size_t>(i)), .width = 3.5});
    }
  }
}

void draw_slices(const Panel& panel, const Extent& data, const Vector& y, const Matrix& density,
                 const TargetDistributions& laws, const Bands& around) {
  draw_beyond(panel, data);
  panel.draw_grid();
  panel.begin();
  for (Index k = 0; k < density.cols(); ++k) {
    const auto place = static_cast<std::size_t>(k);
    if (around.low.size() > 0) {
      panel.band(y, around.low.segment(k * y.size(), y.size()), around.high.segment(k * y.size(), y.size()),
                 {.fill = line_color(place), .opacity = 0.25});
    } else {
      panel.band(y, Vector::Zero(y.size()), density.col(k), {.fill = line_color(place), .opacity = 0.1});
    }
    panel.line(y, density.col(k), curve_style(place));
  }
  draw_atoms(panel, laws);
  panel.end();
  panel.draw_frame();
}

Caption slice_caption(const std::vector<Moves>& panels, const std::vector<InputColumn>& columns, const Vector& at,
                      const std::string& remark, const std::string& outside) {
  Caption out{.remarks = {remark, outside}};
  std::vector<std::string> some;
  for (const Moves& moves : panels)
    if (!moves.all) some.push_back(moves.name);
  if (!some.empty()) {
    out.remarks.push_back("Of " + enumerated(some) + " only some levels are drawn, spread evenly by the mean.");
  }
  for (const Moves& moves : panels) {
    if (panels.size() == 1 || !moves.levels || Title::of(moves).whole) continue;
    out.remarks.push_back("The levels of " + moves.name + " from left to right: " + enumerated(moves.values) + ".");
  }
  if (!panels.front().laws.support().atoms.empty()) {
    out.remarks.push_back("Bars: the probability of " + atom_names(panels.front().laws) + "; the top is 1.");
  }
  if (panels.size() == 1 && columns.size() == 1) return out;
  out.lead = panels.size() == 1 ? "At " : "Inputs that do not move are at ";
  out.items = standing(columns, at);
  if (panels.size() > 1) return out;
  const auto moving = std::find_if(columns.begin(), columns.end(),
                                   [&](const InputColumn& column) { return column.name == panels.front().name; });
  out.items.erase(out.items.begin() + std::distance(columns.begin(), moving));
  return out;
}

}  // namespace

std::string slices(const ConditionalDensity& model, const Dataset& data, const Names& names,
                   const SliceOptions& options, const Run& run) {
  check_figure("slices", model, data, options.target);
  const std::vector<InputColumn> columns = input_columns("slices", model, names);
  const Vector at = reference_inputs("slices", options.at, data);
  const std::vector<Index> inputs = slice_inputs(columns, options);
  const bool single = inputs.size() == 1;

  // First every curve, then the panels on common axes.
  std::vector<Moves> panels;
  for (const Index input : inputs)
    panels.push_back(moves_of(model, data, columns[static_cast<std::size_t>(input)], at, options, run));
  const Vector data_y = data.y.row(options.target).transpose();
  Extent axis = target_axis(panels.front().laws, data_y, curve_tail, false, run);
  for (const Moves& moves : panels) axis = hull(axis, target_axis(moves.laws, data_y, curve_tail, false, run));
  Curves curves = curves_on(axis, panels, run);
  axis = with_atoms(visible_part(axis, curves), panels.front().laws);
  curves = curves_on(axis, panels, run);
  Outside outside;
  for (const Moves& moves : panels) {
    const Outside own = outside_of(moves.laws, axis, run);
    outside = {std::max(outside.below, own.below), std::max(outside.above, own.above)};
  }

  std::vector<Bands> around(panels.size());
  std::vector<Matrix> drawn = curves.density;
  for (std::size_t p = 0; options.bands.replicates != nullptr && p < panels.size(); ++p) {
    around[p] = bands_at(model, panels[p].x, options.target, options.kind, options.bands, curves.density[p].reshaped(),
                         densities_at(curves.y), run);
    drawn[p] = around[p].high.cwiseMax(curves.density[p].reshaped());
  }
  const std::vector<double> tops = panel_tops(drawn);
  const std::string y_name = name_of(names.targets, options.target, "y");
  const double rows = std::ceil(static_cast<double>(inputs.size()) / 2.0);
  Frame frame = make_frame(
      {.title = "Density of " + y_name + (single ? " given " + panels.front().name : " as one input moves"),
       .legend = slice_legend(panels, options),
       .height = single ? 400.0 : 76.0 + panel_pitch * rows,
       .caption = slice_caption(panels, columns, at, options.remark, outside_remark(outside, axis, Vector()))});
  const double width = single ? frame.inner_width : half_width;
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const std::size_t row = p / 2;
    const Point corner{frame.corner.x + (p % 2 == 0 ? 0.0 : width + gap_of_panels),
                       frame.corner.y + (single ? 0.0 : 20.0 + panel_pitch * static_cast<double>(row))};
    if (!single) Title::of(panels[p]).draw(frame.canvas, {corner.x, corner.y - 7.0});
    draw_slices({frame.canvas,
                 {corner, width, single ? frame.inner_height : panel_height, axis, density_axis(tops[p]), y_name,
                  p % 2 == 0 ? "density" : ""}},
                extent_of(data_y), curves.y, curves.density[p], panels[p].laws, around[p]);
  }
  return frame.canvas.str();
}

}  // namespace condens::plot
