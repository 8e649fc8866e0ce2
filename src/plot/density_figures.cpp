// Figures of the density itself; see figures.hpp.

#include <numeric>

#include "condens/plot/colormap.hpp"
#include "condens/plot/contour.hpp"
#include "condens/plot/figures.hpp"
#include "density_image.hpp"
#include "frame.hpp"

namespace condens::plot {

namespace {

constexpr Index map_columns = 240;
constexpr Index map_rows = 200;
const Style mean_style{.stroke = accent, .width = 2.0};
const Style interval_style{.stroke = accent, .width = 1.4, .dash = "6 4"};
const Style truth_style{.stroke = "#111111", .width = 0.9};

/// Contour lines of values(i, j) at the equally spaced x[j] and y[i].
void draw_contour(const Panel& panel, const Vector& x, const Vector& y, const Matrix& values, double level,
                  const Style& style) {
  for (std::vector<Point>& line : contour(values, level)) {
    for (Point& p : line) p = panel.at(x[0] + p.x * (x[1] - x[0]), y[0] + p.y * (y[1] - y[0]));
    panel.canvas().polyline(line, style);
  }
}

/// At most `count` observations of one input and one target, evenly spaced through the rows.
void draw_points(const Panel& panel, const VectorView& x, const VectorView& y, Index count) {
  const Index n = x.size();
  const Index shown = std::min(n, count);
  Vector some_x(shown);
  Vector some_y(shown);
  for (Index i = 0; i < shown; ++i) {
    const Index row = static_cast<Index>(static_cast<double>(i) * static_cast<double>(n) / static_cast<double>(shown));
    some_x[i] = x[row];
    some_y[i] = y[row];
  }
  panel.points(some_x, some_y, shown > 500 ? 1.4 : 2.0,
               {.fill = point_color,
                .stroke = "#ffffff",
                .width = shown > 500 ? 0.35 : 0.5,
                .opacity = shown > 500 ? 0.55 : 0.75});
}

/// Columns that are `at` but for `input`, which takes `values`.
Matrix vary(const Vector& at, Index input, const VectorView& values) {
  Matrix x = at.replicate(1, values.size());
  x.row(input) = values.transpose();
  return x;
}

std::string percent(double share) { return short_number(100.0 * share) + " %"; }

/// Where one law has visible mass.
Extent visible(const GaussianMixtures& laws, const Run& run) {
  const Vector tails{{0.002, 0.998}};
  return extent_of(laws.quantile(tails, run).reshaped(), 0.02);
}

void draw_truth(const Panel& panel, const std::function<double(double, double)>& truth) {
  const Vector x = Vector::LinSpaced(map_columns / 2, panel.spec().x.low, panel.spec().x.high);
  const Vector y = Vector::LinSpaced(map_rows / 2, panel.spec().y.low, panel.spec().y.high);
  Matrix density(y.size(), x.size());
  for (Index j = 0; j < x.size(); ++j)
    for (Index i = 0; i < y.size(); ++i) density(i, j) = truth(x[j], y[i]);
  for (const double share : {0.05, 0.2, 0.5, 0.8})
    draw_contour(panel, x, y, density, share * density.maxCoeff(), truth_style);
}

/// From 0 to above the highest value; a law narrower than the axis can show has none.
Extent density_axis(double highest) { return {0.0, highest > nothing ? 1.06 * highest : 1.0}; }

/// The inputs that move, checked.
std::vector<Index> slice_inputs(const ConditionalDensity& model, const SliceOptions& options) {
  std::vector<Index> inputs = options.inputs;
  if (inputs.empty()) {
    inputs.resize(static_cast<std::size_t>(model.n_inputs()));
    std::iota(inputs.begin(), inputs.end(), Index{0});
  }
  for (const Index input : inputs)
    require(input >= 0 && input < model.n_inputs(), "slices: input ", input, ", expected 0 to ", model.n_inputs() - 1);
  require(!inputs.empty(), "slices: the model has no inputs, expected at least one (density_curve draws its density)");
  require(!options.levels.empty(), "slices: levels is empty, expected at least one quantile of the varied input");
  for (const double level : options.levels)
    require(level >= 0.0 && level <= 1.0, "slices: level ", level, ", expected a probability in [0, 1]");
  return inputs;
}

/// The quantiles of one input.
Vector slice_values(const Dataset& data, Index input, const std::vector<double>& levels) {
  Vector out(std::ssize(levels));
  for (Index k = 0; k < out.size(); ++k)
    out[k] = sample_quantile(data.x.row(input).transpose(), levels[static_cast<std::size_t>(k)]);
  return out;
}

/// For each moving input the laws at its quantiles.
std::vector<GaussianMixtures> slice_laws(const ConditionalDensity& model, const Dataset& data,
                                         const std::vector<Index>& inputs, const SliceOptions& options,
                                         const Run& run) {
  const Vector at = reference_inputs("slices", options.at, data);
  std::vector<GaussianMixtures> out;
  for (const Index input : inputs)
    out.push_back(target_laws(model, vary(at, input, slice_values(data, input, options.levels)), options.target, run));
  return out;
}

/// Several inputs share the names of the quantiles; a single one has its values, too.
std::vector<LegendEntry> slice_legend(const Dataset& data, const std::vector<Index>& inputs,
                                      const std::vector<double>& levels) {
  const Vector values = slice_values(data, inputs.front(), levels);
  std::vector<LegendEntry> out;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const std::string quantile = percent(levels[k]) + " quantile";
    const std::string label = inputs.size() == 1
                                  ? "at " + short_number(values[static_cast<Index>(k)]) + " (" + quantile + ")"
                                  : "at its " + quantile;
    out.push_back({label, Mark::line, {.stroke = line_color(k), .width = 2.0}});
  }
  return out;
}

void draw_slices(const Panel& panel, const Vector& y, const Matrix& density) {
  panel.draw_grid();
  panel.begin();
  for (Index k = 0; k < density.cols(); ++k) {
    const std::string color = line_color(static_cast<std::size_t>(k));
    panel.band(y, Vector::Zero(y.size()), density.col(k), {.fill = color, .opacity = 0.1});
    panel.line(y, density.col(k), {.stroke = color, .width = 2.0});
  }
  panel.end();
  panel.draw_frame();
}

}  // namespace

Vector median_inputs(const Dataset& data) {
  Vector out(data.x.rows());
  for (Index j = 0; j < out.size(); ++j) out[j] = sample_quantile(data.x.row(j).transpose(), 0.5);
  return out;
}

std::string density_map(const ConditionalDensity& model, const Dataset& data, const Names& names,
                        const MapOptions& options, const Run& run) {
  check_figure("density_map", model, data, options.target);
  require(options.input >= 0 && options.input < model.n_inputs(), "density_map: input ", options.input,
          ", expected 0 to ", model.n_inputs() - 1, " (a model without inputs has density_curve)");
  require(options.interval > 0.0 && options.interval < 1.0, "density_map: interval = ", options.interval,
          ", expected a probability in (0, 1)");
  const Vector at = reference_inputs("density_map", options.at, data);
  const bool with_points = model.n_inputs() == 1 && options.max_points > 0;

  std::vector<LegendEntry> legend{{"mean", Mark::line, mean_style},
                                  {percent(options.interval) + " interval", Mark::line, interval_style}};
  if (with_points) legend.push_back({"data", Mark::point, {.fill = point_color, .stroke = "#ffffff", .width = 0.5}});
  if (options.truth) legend.push_back({"true density", Mark::line, truth_style});
  const std::string x_name = name_of(names.inputs, options.input, "x");
  const std::string y_name = name_of(names.targets, options.target, "y");
  Frame frame =
      make_frame({.title = options.title.empty() ? "Density of " + y_name + " given " + x_name : options.title,
                  .legend = legend,
                  .right = color_bar_margin});

  const Panel panel = frame.panel(extent_of(data.x.row(options.input).transpose(), 0.02),
                                  extent_of(data.y.row(options.target).transpose(), 0.06), x_name, y_name);
  const Vector x = cell_centres(panel.spec().x, map_columns);
  const Vector y = cell_centres(panel.spec().y, map_rows);
  const GaussianMixtures laws = target_laws(model, vary(at, options.input, x), options.target, run);
  const Matrix density = laws.log_pdf_grid(y.transpose(), run).array().exp();
  const DensityScale scale(density);

  panel.begin();
  draw_density(panel, density, scale);
  if (options.truth) draw_truth(panel, options.truth);
  if (with_points)
    draw_points(panel, data.x.row(options.input).transpose(), data.y.row(options.target).transpose(),
                options.max_points);
  const Matrix interval = laws.interval(options.interval, run);
  panel.line(x, interval.row(0).transpose(), interval_style);
  panel.line(x, interval.row(1).transpose(), interval_style);
  panel.line(x, laws.mean(run).row(0).transpose(), mean_style);
  panel.end();
  panel.draw_frame();
  draw_density_bar(panel, scale);
  return frame.canvas.str();
}

std::string slices(const ConditionalDensity& model, const Dataset& data, const Names& names,
                   const SliceOptions& options, const Run& run) {
  check_figure("slices", model, data, options.target);
  const std::vector<Index> inputs = slice_inputs(model, options);
  const bool single = inputs.size() == 1;

  // First every curve, then the panels on common axes.
  const std::vector<GaussianMixtures> laws = slice_laws(model, data, inputs, options, run);
  Extent y_extent = visible(laws.front(), run);
  for (const GaussianMixtures& law : laws) y_extent = hull(y_extent, visible(law, run));
  const Vector y = Vector::LinSpaced(single ? 400 : 200, y_extent.low, y_extent.high);
  std::vector<Matrix> density;
  double highest = 0.0;
  for (const GaussianMixtures& law : laws) {
    density.emplace_back(law.log_pdf_grid(y.transpose(), run).array().exp());
    highest = std::max(highest, density.back().maxCoeff());
  }

  const std::string y_name = name_of(names.targets, options.target, "y");
  const std::string moving = single ? " given " + name_of(names.inputs, inputs.front(), "x") : " as one input moves";
  const double rows = std::ceil(static_cast<double>(inputs.size()) / 2.0);
  Frame frame = make_frame({.title = "Density of " + y_name + moving,
                            .legend = slice_legend(data, inputs, options.levels),
                            .height = single ? 400.0 : 66.0 + 215.0 * rows});
  const double gap = 64.0;
  const double width = single ? frame.inner_width : (frame.inner_width - gap) / 2.0;
  for (std::size_t p = 0; p < inputs.size(); ++p) {
    const std::size_t row = p / 2;
    const Point corner{frame.corner.x + (p % 2 == 0 ? 0.0 : width + gap),
                       frame.corner.y + (single ? 0.0 : 20.0 + 215.0 * static_cast<double>(row))};
    const double height = single ? frame.inner_height : 140.0;
    if (!single)
      frame.canvas.text({corner.x, corner.y - 7.0}, fit_text(name_of(names.inputs, inputs[p], "x"), 12.5, width),
                        {.size = 12.0, .fill = "#111111", .bold = true});
    draw_slices(
        {frame.canvas, {corner, width, height, y_extent, density_axis(highest), y_name, p % 2 == 0 ? "density" : ""}},
        y, density[p]);
  }
  return frame.canvas.str();
}

std::string joint_map(const ConditionalDensity& model, const Dataset& data, const Names& names, const Vector& at,
                      const Run& run) {
  check_figure("joint_map", model, data, 0);
  require(model.n_targets() == 2, "joint_map: the model has ", model.n_targets(), " targets, expected 2");
  const Vector x = reference_inputs("joint_map", at, data);
  const GaussianMixtures laws = model.predict(Matrix(x), run);
  const bool unconditional = model.n_inputs() == 0;
  const Style half{.stroke = accent, .width = 1.6};
  const Style most{.stroke = accent, .width = 1.4, .dash = "6 4"};
  std::vector<LegendEntry> legend{{"50 % region", Mark::line, half}, {"90 % region", Mark::line, most}};
  constexpr Index most_centers = 100;
  const bool with_centers = unconditional && laws.n_components() <= most_centers;
  const Style center_style{.fill = accent, .stroke = "#ffffff", .width = 0.8};
  if (unconditional) legend.push_back({"data", Mark::point, {.fill = point_color}});
  if (with_centers) legend.push_back({"means of the components", Mark::point, center_style});
  const std::string first = name_of(names.targets, 0, "y");
  const std::string second = name_of(names.targets, 1, "y");
  Frame frame = make_frame({.title = "Joint density of " + first + " and " + second,
                            .legend = legend,
                            .height = 500.0,
                            .right = color_bar_margin});

  const auto range = [&](Index j) {
    const Extent law = visible(laws.marginal(j), run);
    return unconditional ? hull(law, extent_of(data.y.row(j).transpose(), 0.03)) : law;
  };
  const Panel panel = frame.panel(range(0), range(1), first, second);
  const Vector horizontal = cell_centres(panel.spec().x, map_columns);
  const Vector vertical = cell_centres(panel.spec().y, map_rows);
  Matrix grid(2, map_columns * map_rows);
  grid.row(0) = horizontal.transpose().replicate(map_rows, 1).reshaped().transpose();
  grid.row(1) = vertical.replicate(map_columns, 1).transpose();
  const Matrix density = laws.log_pdf_grid(grid, run).array().exp().matrix().reshaped(map_rows, map_columns);
  const DensityScale scale(density);

  panel.begin();
  draw_density(panel, density, scale);
  if (unconditional) draw_points(panel, data.y.row(0).transpose(), data.y.row(1).transpose(), 1500);
  draw_contour(panel, horizontal, vertical, density, region_level(density, 0.5), half);
  draw_contour(panel, horizontal, vertical, density, region_level(density, 0.9), most);
  if (with_centers) {
    const Matrix& means = laws.components().means;
    panel.points(means.row(0).transpose(), means.row(1).transpose(), 3.0, center_style);
  }
  panel.end();
  panel.draw_frame();
  draw_density_bar(panel, scale);
  return frame.canvas.str();
}

namespace {

/// The weighted components of a law that has few of them, one a column; none of a law that has many.
Matrix component_curves(const GaussianMixture& law, const Vector& y) {
  constexpr Index most = 15;
  const Index m = law.n_components();
  Matrix out(y.size(), m > 1 && m <= most ? m : 0);
  for (Index l = 0; l < out.cols(); ++l) {
    const GaussianMixture alone(Vector::Ones(1), law.means().col(l), law.scales().col(l));
    for (Index i = 0; i < y.size(); ++i) out(i, l) = law.weights()[l] * alone.pdf(y[i]);
  }
  return out;
}

}  // namespace

std::string density_curve(const ConditionalDensity& model, const Dataset& data, const Names& names, Index target,
                          const Run& run) {
  check_figure("density_curve", model, data, target);
  require(model.n_inputs() == 0, "density_curve: the model has ", model.n_inputs(),
          " inputs, expected none (slices draws p(y | x) at several x)");
  const GaussianMixtures laws = target_laws(model, Matrix(0, 1), target, run);
  const Vector values = data.y.row(target);
  const Extent data_extent = extent_of(values);
  const Extent extent = hull(visible(laws, run), extent_of(values, 0.03));

  // Rice's rule, 2 n^(1/3) bars: more than the normal rules, which hide several peaks.
  const Index bars = static_cast<Index>(std::clamp(std::ceil(2.0 * std::cbrt(double(values.size()))), 5.0, 60.0));
  const Vector heights = histogram(values, data.weights, data_extent, bars);

  const Vector y = Vector::LinSpaced(400, extent.low, extent.high);
  const Vector density = laws.log_pdf_grid(y.transpose(), run).array().exp().col(0);
  const Style bar_style{.fill = "#cfd8dc", .stroke = "#ffffff", .width = 0.8};
  const Style curve_style{.stroke = line_color(0), .width = 2.2};
  const Style component_style{.stroke = accent, .width = 1.0};
  const Matrix components = component_curves(laws[0], y);
  std::vector<LegendEntry> legend{{"model", Mark::line, curve_style}, {"data", Mark::area, bar_style}};
  if (components.cols() > 0) legend.insert(legend.begin() + 1, {"components", Mark::line, component_style});
  const std::string name = name_of(names.targets, target, "y");
  Frame frame = make_frame({.title = "Density of " + name, .legend = legend, .height = 400.0});
  const Panel panel =
      frame.panel(extent, density_axis(std::max(density.maxCoeff(), heights.maxCoeff())), name, "density");
  panel.draw_grid();
  panel.begin();
  panel.bars(data_extent, heights, bar_style);
  for (Index l = 0; l < components.cols(); ++l) panel.line(y, components.col(l), component_style);
  panel.line(y, density, curve_style);
  panel.end();
  panel.draw_frame();
  return frame.canvas.str();
}

}  // namespace condens::plot
