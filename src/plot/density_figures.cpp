// Figures of the density itself; see figures.hpp.

#include <numeric>

#include "condens/plot/colormap.hpp"
#include "condens/plot/figures.hpp"
#include "density_image.hpp"
#include "frame.hpp"

namespace condens::plot {

namespace {

const Style mean_style{.stroke = accent, .width = 2.0};
const Style interval_style{.stroke = accent, .width = 1.4, .dash = "6 4"};
const Style truth_style{.stroke = "#111111", .width = 0.9};

/// Columns that are `at` but for `input`, which takes `values`.
Matrix vary(const Vector& at, Index input, const VectorView& values) {
  Matrix x = at.replicate(1, values.size());
  x.row(input) = values.transpose();
  return x;
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

}  // namespace condens::plot
