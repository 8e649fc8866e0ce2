// Figures of reductions; see reduction_figures.hpp.

#include "condens/plot/reduction_figures.hpp"

#include <limits>
#include <numeric>

#include "condens/plot/colormap.hpp"
#include "condens/plot/figures.hpp"
#include "condens/plot/line_chart.hpp"
#include "frame.hpp"
#include "points.hpp"
#include "value_colors.hpp"

namespace condens::plot {

namespace {

constexpr Index grid = 120;

/// "z1 = 0.71 a - 0.70 b": a component and what it is made of.
std::string component_label(const ProjectedDensity& model, Index k, const SummaryOptions& options) {
  std::vector<std::string> names;
  for (Index j = 0; j < model.n_inputs(); ++j) names.push_back(name_of(options.inputs, j, "x"));
  return "z" + std::to_string(k + 1) + " = " + loadings_text(model.components().row(k).transpose(), names);
}

/// The colours of scores, paler, so that points of the full colours stand out.
const Palette& pale_palette() {
  static const Palette palette = [] {
    Palette out = score_palette();
    for (Rgb& color : out) {
      for (std::uint8_t& part : color) part = static_cast<std::uint8_t>(255 - (255 - part) * 2 / 5);
    }
    return out;
  }();
  return palette;
}

/// The median of one target over the cells of the panel, which are z1 and z2.
void draw_medians(const Panel& panel, const ConditionalDensity& inner, const Vector& at, Index target,
                  const ValueScale& scale, const Run& run) {
  const Vector horizontal = cell_centres(panel.spec().x, grid);
  const Vector vertical = cell_centres(panel.spec().y, grid);
  Matrix z = at.replicate(1, grid * grid);
  for (Index i = 0; i < grid; ++i) {  // pixels go from the top
    for (Index j = 0; j < grid; ++j) z.col(i * grid + j).head(2) << horizontal[j], vertical[grid - 1 - i];
  }
  const Matrix medians = target_laws(inner, z, target, nullptr, run).quantile(Vector::Constant(1, 0.5), run).reshaped();
  std::vector<std::uint8_t> pixels;
  for (Index i = 0; i < medians.size(); ++i) pixels.push_back(color_index(scale.share(medians(i, 0))));
  panel.canvas().image(panel.spec().corner, panel.spec().width, panel.spec().height,
                       encode_png(static_cast<int>(grid), static_cast<int>(grid), pixels, pale_palette()));
}

std::string summary_of_two(const ProjectedDensity& model, const Matrix& z, const VectorView& y,
                           const SummaryOptions& options, const std::string& title, const Run& run) {
  const ValueScale scale(y);
  const std::string y_name = name_of(options.targets, options.target, "y");
  Frame frame = make_frame({.title = title,
                            .legend = {{point_legend(point_rows(y.size(), Vector(), options.max_points)).label,
                                        Mark::point,
                                        {.fill = css(score_palette()[128]), .stroke = point_color, .width = 0.5}},
                                       {"median of the model", Mark::area, {.fill = css(pale_palette()[128])}}},
                            .height = 480.0,
                            .right = color_bar_margin});
  const Panel panel = frame.panel(extent_of(z.row(0).transpose(), 0.04), extent_of(z.row(1).transpose(), 0.04),
                                  component_label(model, 0, options), component_label(model, 1, options));
  Vector at(z.rows());
  for (Index k = 0; k < z.rows(); ++k) at[k] = sample_quantile(z.row(k).transpose(), 0.5);
  panel.begin();
  draw_medians(panel, model.inner(), at, options.target, scale, run);
  draw_colored(panel, z.row(0).transpose(), z.row(1).transpose(), y, options.max_points, scale);
  panel.end();
  panel.draw_frame();
  draw_value_bar(panel, scale, y_name);
  return frame.canvas.str();
}

}  // namespace

std::string loadings_text(const VectorView& loadings, const std::vector<std::string>& names, std::size_t most) {
  require(loadings.size() == std::ssize(names), "loadings_text: ", loadings.size(), " loadings and ", names.size(),
          " names, expected as many");
  std::vector<Index> order(names.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return std::abs(loadings[a]) > std::abs(loadings[b]); });
  std::string out;
  std::size_t written = 0;
  for (const Index j : order) {
    if (loadings[j] == 0.0) break;
    if (written == most) return out + " + ...";
    const std::string sign = loadings[j] < 0 ? (written == 0 ? "-" : " - ") : (written == 0 ? "" : " + ");
    out += sign + short_number(std::abs(loadings[j]), 2) + " " + names[static_cast<std::size_t>(j)];
    ++written;
  }
  return out;
}

std::string sufficient_summary(const ProjectedDensity& model, const Dataset& data, const SummaryOptions& options,
                               const Run& run) {
  check_figure("sufficient_summary", model, data, options.target);
  require(model.n_components() > 0, "sufficient_summary: the model has no components, expected at least one");
  const Matrix z = model.transform(data.x);
  const std::string title = name_of(options.targets, options.target, "y") + " over ";
  if (model.n_components() > 1) {
    const std::string which = model.n_components() == 2
                                  ? "two components"
                                  : "the first two of " + std::to_string(model.n_components()) + " components";
    return summary_of_two(model, z, data.y.row(options.target).transpose(), options, title + which, run);
  }
  return density_map(model.inner(), {.x = z, .y = data.y},
                     {.inputs = {component_label(model, 0, options)}, .targets = options.targets},
                     {.target = options.target,
                      .interval = options.interval,
                      .max_points = options.max_points,
                      .title = title + "one component"},
                     run);
}

std::string dimension_scores(const Document& candidates, Index chosen) {
  LineSeries series{.name = "",
                    .x = candidates.at("n_components").as_vector(),
                    .y = candidates.at("score").as_vector(),
                    .error = candidates.at("standard_error").as_vector()};
  for (Index i = 0; i < series.y.size(); ++i) {
    if (series.y[i] == std::numeric_limits<double>::max()) series.y[i] = std::numeric_limits<double>::infinity();
  }
  Ticks ticks;
  for (const double count : series.x) {
    ticks.at.push_back(count);
    ticks.labels.push_back(short_number(count));
  }
  return line_chart({.title = "Score of each number of components",
                     .x_label = "number of components",
                     .y_label = "cross-validated score",
                     .series = {std::move(series)},
                     .x_ticks = std::move(ticks),
                     .x_rule = Rule{static_cast<double>(chosen), "chosen: " + std::to_string(chosen)}});
}

}  // namespace condens::plot
