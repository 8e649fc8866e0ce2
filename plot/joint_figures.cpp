// Figures of laws without inputs, one target, two, or all pairs of several; see figures.hpp.

#include <algorithm>

#include "bands.hpp"
#include "condens/plot/colormap.hpp"
#include "condens/plot/contour.hpp"
#include "condens/plot/figures.hpp"
#include "density_image.hpp"
#include "frame.hpp"
#include "moving.hpp"
#include "points.hpp"

namespace condens::plot {

namespace {

const Style half_style{.stroke = accent, .width = 1.6};
const Style most_style{.stroke = accent, .width = 1.4, .dash = "6 4"};
const Style bar_style{.fill = "#cfd8dc", .stroke = "#ffffff", .width = 0.8};
const Style contour_style{.stroke = line_color(0), .width = 2.2};

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

/// Rice's rule, 2 n^(1/3) bars: more than the normal rules, which hide several peaks.
Index bars_of(Index n) { return static_cast<Index>(std::clamp(std::ceil(2.0 * std::cbrt(double(n))), 5.0, 60.0)); }

/// What shows the first law of two targets: an image, and the edges of its smallest regions of 50 and 90 %.
struct JointImage {
  Vector horizontal;
  Vector vertical;
  Matrix density;
  DensityScale scale;

  JointImage(const GaussianMixtures& laws, const PanelSpec& spec, Index columns, Index rows, const Run& run)
      : horizontal(cell_centres(spec.x, columns)),
        vertical(cell_centres(spec.y, rows)),
        density(densities(laws, run)),
        scale(density) {}

  void draw(const Panel& panel) const { draw_density(panel, density, scale); }
  void draw_regions(const Panel& panel) const {
    draw_contour(panel, horizontal, vertical, density, region_level(density, 0.5), half_style);
    draw_contour(panel, horizontal, vertical, density, region_level(density, 0.9), most_style);
  }

 private:
  Matrix densities(const GaussianMixtures& laws, const Run& run) const {
    const Index columns = horizontal.size();
    const Index rows = vertical.size();
    Matrix grid(2, columns * rows);
    grid.row(0) = horizontal.transpose().replicate(rows, 1).reshaped().transpose();
    grid.row(1) = vertical.replicate(columns, 1).transpose();
    return laws.log_pdf_grid(grid, run).array().exp().matrix().reshaped(rows, columns);
  }
};

/// The axis of one target: the distribution and, where they are drawn, all rows.
Extent joint_axis(const GaussianMixtures& laws, const VectorView& y, bool with_data, const Run& run) {
  const Extent axis = target_axis({laws, {}}, y, curve_tail, with_data, run);
  return with_data ? hull(axis, extent_of(y, 0.02)) : axis;
}

/// Ticks at round numbers of a small panel, with or without their numbers.
Ticks few_ticks(const Extent& extent, bool labelled) {
  Ticks out{ticks(extent, 3), {}};
  out.labels = labelled ? tick_labels(out.at) : std::vector<std::string>(out.at.size());
  return out;
}

}  // namespace

std::string joint_map(const ConditionalDensity& model, const Dataset& data, const Names& names, const Vector& at,
                      const Run& run) {
  check_figure("joint_map", model, data, 0);
  require(model.n_targets() == 2, "joint_map: the model has ", model.n_targets(), " targets, expected 2");
  const Vector x = reference_inputs("joint_map", at, data);
  const GaussianMixtures laws = model.predict(Matrix(x), run);
  const bool unconditional = model.n_inputs() == 0;
  std::vector<LegendEntry> legend{{"50 % region", Mark::line, half_style}, {"90 % region", Mark::line, most_style}};
  constexpr Index most_centers = 100;
  const bool with_centers = unconditional && laws.n_components() <= most_centers;
  const Style center_style{.fill = accent, .stroke = "#ffffff", .width = 0.8};
  const PointRows shown = point_rows(unconditional ? data.size() : 0, Vector(), most_points);
  if (unconditional) legend.push_back(point_legend(shown));
  if (with_centers) legend.push_back({"means of the components", Mark::point, center_style});
  const std::string first = name_of(names.targets, 0, "y");
  const std::string second = name_of(names.targets, 1, "y");
  Frame frame =
      make_frame({.title = "Joint density of " + first + " and " + second,
                  .legend = legend,
                  .height = 500.0,
                  .right = color_bar_margin,
                  .caption = {.lead = "At ", .items = standing(input_columns("joint_map", model, names), x)}});

  const auto range = [&](Index j) {
    return joint_axis(laws.marginal(j), data.y.row(j).transpose(), unconditional, run);
  };
  const Panel panel = frame.panel(range(0), range(1), first, second);
  const JointImage image(laws, panel.spec(), map_columns, map_rows, run);
  panel.begin();
  image.draw(panel);
  draw_points(panel, data.y.row(0).transpose(), data.y.row(1).transpose(), shown);
  image.draw_regions(panel);
  if (with_centers) {
    const Matrix& means = laws.components().means;
    panel.points(means.row(0).transpose(), means.row(1).transpose(), 3.0, center_style);
  }
  panel.end();
  panel.draw_frame();
  draw_density_bar(panel, image.scale);
  return frame.canvas.str();
}

std::string pair_map(const ConditionalDensity& model, const Dataset& data, const Names& names, const Run& run) {
  constexpr Index most = 6;
  check_figure("pair_map", model, data, 0);
  require(model.n_inputs() == 0 && model.n_targets() > 1, "pair_map: the model has ", model.n_inputs(), " inputs and ",
          model.n_targets(), " targets, expected no inputs and several targets");
  const Index d = std::min(model.n_targets(), most);
  const GaussianMixtures laws = model.predict(Matrix(0, 1), run);
  std::vector<Extent> extents;
  for (Index j = 0; j < d; ++j) extents.push_back(joint_axis(laws.marginal(j), data.y.row(j).transpose(), true, run));

  const std::string title = d < model.n_targets()
                                ? "Densities of the first " + std::to_string(d) + " targets, two by two"
                                : "Densities of the targets, two by two";
  constexpr Index most_in_a_panel = 600;
  const PointRows shown = point_rows(data.size(), Vector(), most_in_a_panel);
  const double size = 90.0 + 620.0;
  Frame frame = make_frame({.title = title,
                            .legend = {{"model", Mark::line, contour_style},
                                       {"data alone", Mark::area, bar_style},
                                       point_legend(shown),
                                       {"50 % region", Mark::line, half_style},
                                       {"90 % region", Mark::line, most_style}},
                            .width = size,
                            .height = size});
  const double gap = 8.0;
  const double width = (frame.inner_width - gap * static_cast<double>(d - 1)) / static_cast<double>(d);
  const double height = (frame.inner_height - gap * static_cast<double>(d - 1)) / static_cast<double>(d);
  for (Index row = 0; row < d; ++row) {
    for (Index column = 0; column <= row; ++column) {
      const auto i = static_cast<std::size_t>(row);
      const auto j = static_cast<std::size_t>(column);
      const Point corner{frame.corner.x + (width + gap) * static_cast<double>(column),
                         frame.corner.y + (height + gap) * static_cast<double>(row)};
      const std::string below = row + 1 == d ? name_of(names.targets, column, "y") : "";
      const Ticks x_ticks = few_ticks(extents[j], row + 1 == d);
      if (row == column) {
        const Vector values = data.y.row(row);
        const Extent range = extent_of(values);
        const Vector heights = histogram(values, data.weights, range, bars_of(values.size()));
        const Vector y = Vector::LinSpaced(200, extents[i].low, extents[i].high);
        const Vector density = laws.marginal(row).log_pdf_grid(y.transpose(), run).array().exp().col(0);
        const Extent axis = density_axis(std::max(density.maxCoeff(), heights.maxCoeff()));
        // The first row shows what the rows below it read along their axis: its name.
        const std::string beside = row == 0 ? name_of(names.targets, row, "y") : "";
        const Panel panel(frame.canvas,
                          {corner, width, height, extents[i], axis, below, beside, x_ticks, Ticks{{axis.low}, {""}}});
        panel.begin();
        panel.bars(range, heights, bar_style);
        panel.line(y, density, contour_style);
        panel.end();
        panel.draw_frame();
        continue;
      }
      const std::string beside = column == 0 ? name_of(names.targets, row, "y") : "";
      const Panel panel(frame.canvas, {corner, width, height, extents[j], extents[i], below, beside, x_ticks,
                                       few_ticks(extents[i], column == 0)});
      const JointImage image(laws.marginal({column, row}), panel.spec(), map_columns / 3, map_rows / 3, run);
      panel.begin();
      image.draw(panel);
      draw_points(panel, data.y.row(column).transpose(), data.y.row(row).transpose(), shown);
      image.draw_regions(panel);
      panel.end();
      panel.draw_frame();
    }
  }
  return frame.canvas.str();
}

std::string density_curve(const ConditionalDensity& model, const Dataset& data, const Names& names, Index target,
                          const Run& run, const TargetDecoder* kind, const BandOptions& band) {
  check_figure("density_curve", model, data, target);
  require(model.n_inputs() == 0, "density_curve: the model has ", model.n_inputs(),
          " inputs, expected none (slices draws p(y | x) at several x)");
  const TargetDistributions laws = target_laws(model, Matrix(0, 1), target, kind, run);
  const Vector values = data.y.row(target);
  const Extent extent = with_atoms(target_axis(laws, values, curve_tail, true, run), laws);

  // Rows at atoms are told by the bars there, the others have the area that is left.
  std::vector<Index> beside;
  for (Index i = 0; i < values.size(); ++i) {
    if (laws.support().atom_at(values[i]) < 0) beside.push_back(i);
  }
  const Vector rest = values(beside);
  const Vector rest_weights = data.weights.size() > 0 ? Vector(data.weights(beside)) : Vector();
  const double share = data.weights.size() > 0 ? rest_weights.sum() / data.weights.sum()
                                               : static_cast<double>(rest.size()) / static_cast<double>(values.size());
  const Extent data_extent = rest.size() > 0 ? extent_of(rest) : extent;
  const Vector heights = share * histogram(rest, rest_weights, data_extent, bars_of(values.size()));

  const Vector y = Vector::LinSpaced(400, extent.low, extent.high);
  const Vector density = laws.log_pdf_grid(y.transpose(), run).array().exp().col(0);
  Bands around;
  if (band.replicates != nullptr)
    around = bands_at(model, Matrix(0, 1), target, kind, band, density, densities_at(y), run);
  const double top =
      std::max({density.maxCoeff(), heights.maxCoeff(), around.high.size() > 0 ? around.high.maxCoeff() : 0.0});
  const Style component_style{.stroke = accent, .width = 1.0};
  const Matrix components = kind == nullptr ? component_curves(laws.base()[0], y) : Matrix(y.size(), 0);
  std::vector<LegendEntry> legend{{"model", Mark::line, contour_style}, {"data", Mark::area, bar_style}};
  if (components.cols() > 0) legend.insert(legend.begin() + 1, {"components", Mark::line, component_style});
  if (around.low.size() > 0) legend.push_back(band_legend(band));
  const std::string name = name_of(names.targets, target, "y");
  const std::string bars =
      laws.support().atoms.empty() ? "" : "Bars: the probability of " + atom_names(laws) + "; the top is 1.";
  Frame frame =
      make_frame({.title = "Density of " + name,
                  .legend = legend,
                  .height = 400.0,
                  .caption = {.remarks = {outside_remark(outside_of(laws, extent, run), extent, values), bars}}});
  const Panel panel = frame.panel(extent, density_axis(top), name, "density");
  panel.draw_grid();
  panel.begin();
  panel.bars(data_extent, heights, bar_style);
  if (around.low.size() > 0) panel.band(y, around.low, around.high, band_legend(band).style);
  for (Index l = 0; l < components.cols(); ++l) panel.line(y, components.col(l), component_style);
  panel.line(y, density, contour_style);
  const Matrix atoms = laws.atom_probabilities();
  for (Index k = 0; k < atoms.rows(); ++k) {
    const double at = laws.support().atoms[static_cast<std::size_t>(k)];
    panel.canvas().line(panel.at(at, 0.0), panel.at(at, panel.spec().y.high * atoms(k, 0)),
                        {.stroke = contour_style.stroke, .width = 3.5});
  }
  panel.end();
  panel.draw_frame();
  return frame.canvas.str();
}

}  // namespace condens::plot
