// Figures of predictive states; see state_figures.hpp.

#include "condens/plot/state_figures.hpp"

#include <algorithm>
#include <numeric>

#include "condens/core/errors.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/states.hpp"
#include "condens/plot/line_chart.hpp"
#include "density_image.hpp"
#include "frame.hpp"
#include "moving.hpp"
#include "value_colors.hpp"

namespace condens::plot {

namespace {

constexpr Index curve_points = 400;
constexpr Index most_labelled = 12;  // states whose chances are written into their squares

const HasStates& states_of(std::string_view figure, const ConditionalDensity& model) {
  const auto* states = capability<HasStates>(model);
  require(states != nullptr, figure, ": ", model.model_name(), " has no states, expected a model of states");
  return *states;
}

/// "state 2 (41 % of the rows)".
std::string state_label(const HasStates& states, Index j) {
  const double share = states.state_sizes()[j] / states.state_sizes().sum();
  return "state " + std::to_string(j + 1) + " (" + short_number(100.0 * share, 2) + " % of the rows)";
}

Dataset thinned(const Dataset& data, Index most) {
  if (data.size() <= most) return data;
  std::vector<Index> kept(static_cast<std::size_t>(most));
  for (Index i = 0; i < most; ++i) kept[static_cast<std::size_t>(i)] = i * data.size() / most;
  return data.subset(kept);
}

/// Places of the rows, by increasing value.
std::vector<Index> order_of(const Vector& values) {
  std::vector<Index> out(static_cast<std::size_t>(values.size()));
  std::iota(out.begin(), out.end(), Index{0});
  std::stable_sort(out.begin(), out.end(), [&](Index a, Index b) { return values[a] < values[b]; });
  return out;
}

}  // namespace

std::string state_densities(const ConditionalDensity& model, const Names& names, Index target, const Run& run,
                            const std::optional<Extent>& data) {
  const HasStates& states = states_of("state_densities", model);
  require(target >= 0 && target < model.n_targets(), "state_densities: target ", target, ", expected 0 to ",
          model.n_targets() - 1);
  const GaussianMixtures all = states.state_densities();
  const GaussianMixtures laws = model.n_targets() == 1 ? all : all.marginal(target);
  Extent range = visible(laws, run);
  if (data && data->low >= 0.0 && range.high > 0.0) range.low = std::max(range.low, 0.0);
  const Vector y = Vector::LinSpaced(curve_points, range.low, range.high);
  const Matrix density = laws.log_pdf_grid(y.transpose(), run).array().exp();
  const std::string name = name_of(names.targets, target, "y");
  LineChart chart{.title = "Density of " + name + " in each state", .x_label = name, .y_label = "density"};
  for (Index j = 0; j < states.n_states(); ++j) {
    chart.series.push_back({.name = state_label(states, j), .x = y, .y = density.col(j), .markers = false});
  }
  chart.y_range = density_axis(density.maxCoeff());
  return line_chart(chart);
}

std::string state_weights(const ConditionalDensity& model, const StateWeightOptions& options, const Names& names) {
  const HasStates& states = states_of("state_weights", model);
  require(options.input >= 0 && options.input < model.n_inputs(), "state_weights: input ", options.input,
          ", expected 0 to ", model.n_inputs() - 1);
  require(options.at.size() == model.n_inputs(), "state_weights: at holds ", options.at.size(), " values, expected ",
          model.n_inputs(), ", one for each input");
  const Vector moving = Vector::LinSpaced(curve_points, options.range.low, options.range.high);
  Matrix x = options.at.replicate(1, curve_points);
  x.row(options.input) = moving.transpose();
  const Matrix w = states.state_weights(x);
  const std::string name = name_of(names.inputs, options.input, "x");
  LineChart chart{.title = "Weight of each state as " + name + " moves",
                  .x_label = name,
                  .y_label = "weight of the state",
                  .y_range = Extent{0.0, 1.03}};
  std::vector<InputColumn> others = input_columns("state_weights", model, names);
  std::erase_if(others, [&](const InputColumn& column) { return column.row == options.input; });
  chart.standing = standing(others, options.at);
  for (Index j = 0; j < states.n_states(); ++j) {
    chart.series.push_back(
        {.name = "state " + std::to_string(j + 1), .x = moving, .y = w.row(j).transpose(), .markers = false});
  }
  return line_chart(chart);
}

std::string state_simplex(const ConditionalDensity& model, const Dataset& data, const Names& names,
                          const StateRowOptions& options) {
  const HasStates& states = states_of("state_simplex", model);
  check_figure("state_simplex", model, data, options.target);
  require(states.n_states() == 3, "state_simplex: the model has ", states.n_states(), " states, expected 3");
  const Matrix w = states.state_weights(data.x);
  const Vector y = data.y.row(options.target).transpose();
  const ValueScale scale(y);
  const double top = std::sqrt(0.75);
  // Corners: state 1 to the left, state 3 to the right, state 2 above.
  const Vector horizontal = 0.5 * w.row(1).transpose() + w.row(2).transpose();
  const Vector vertical = top * w.row(1).transpose();
  const std::string name = name_of(names.targets, options.target, "y");
  Frame frame = make_frame(
      {.title = "Weights of the states, in the colour of " + name, .height = 560.0, .right = color_bar_margin});
  const Panel panel = frame.panel({-0.06, 1.06}, {-0.06, 0.94}, "", "", {{-9.0}, {""}}, {{-9.0}, {""}});
  const std::vector<Point> corners{panel.at(0.0, 0.0), panel.at(0.5, top), panel.at(1.0, 0.0)};
  Canvas& canvas = panel.canvas();
  canvas.polygon(corners, {.fill = "#fafafa", .stroke = "#777777", .width = 1.0});
  for (const double share : {0.25, 0.5, 0.75}) {  // where one state has this weight
    const Style rule{.stroke = "#dddddd", .width = 0.7};
    canvas.line(panel.at(0.5 * share, top * share), panel.at(1.0 - 0.5 * share, top * share), rule);
    canvas.line(panel.at(share, 0.0), panel.at(0.5 + 0.5 * share, top * (1.0 - share)), rule);
    canvas.line(panel.at(1.0 - share, 0.0), panel.at(0.5 - 0.5 * share, top * (1.0 - share)), rule);
  }
  draw_colored(panel, horizontal, vertical, y, options.max_points, scale);
  const auto label = [&](Point corner, double lift, Anchor anchor, Index j) {
    const double mean = states.state_means()(options.target, j);
    canvas.text({corner.x, corner.y + lift}, "state " + std::to_string(j + 1) + ": mean " + short_number(mean),
                {.size = 12.0, .anchor = anchor, .bold = true});
  };
  label(corners[0], 18.0, Anchor::start, 0);
  label(corners[1], -10.0, Anchor::middle, 1);
  label(corners[2], 18.0, Anchor::end, 2);
  draw_value_bar(panel, scale, name);
  return frame.canvas.str();
}

std::string state_transitions(const ConditionalDensity& model, const Dataset& data) {
  const HasStates& states = states_of("state_transitions", model);
  check_figure("state_transitions", model, data, 0);
  const Matrix chances = transition_matrix(states.state_weights(data.x));
  const Index count = chances.rows();
  const auto n = static_cast<double>(count);
  Ticks across, down;  // the first state above
  for (Index j = 0; j < count; ++j) {
    across.at.push_back(static_cast<double>(j) + 0.5);
    down.at.push_back(n - across.at.back());
    across.labels.push_back(std::to_string(j + 1));
  }
  down.labels = across.labels;
  Frame frame = make_frame({.title = "Chance of the next state", .height = 560.0, .right = color_bar_margin});
  const Panel panel = frame.panel({0.0, n}, {0.0, n}, "state of the next row", "state of a row", across, down);
  const Extent whole{0.0, 1.0};
  const auto color = [](double chance) { return density_palette()[color_index(chance)]; };
  for (Index j = 0; j < count; ++j) {
    for (Index k = 0; k < count; ++k) {
      const double chance = chances(j, k);
      const bool known = std::isfinite(chance);  // or no row was in state j
      const double x = across.at[static_cast<std::size_t>(k)];
      const double y = down.at[static_cast<std::size_t>(j)];
      const Point corner = panel.at(x - 0.5, y + 0.5);
      const Point opposite = panel.at(x + 0.5, y - 0.5);
      frame.canvas.rect(corner, opposite.x - corner.x, opposite.y - corner.y,
                        {.fill = known ? css(color(chance)) : "#dddddd"});
      if (count > most_labelled) continue;
      const Point middle = panel.at(x, y);
      frame.canvas.text(
          {middle.x, middle.y + 4.0}, known ? percent(std::round(100.0 * chance) / 100.0) : "none",
          {.size = 12.0, .fill = known && chance > 0.5 ? "#ffffff" : "#111111", .anchor = Anchor::middle});
    }
  }
  panel.draw_frame();
  const PanelSpec& spec = panel.spec();
  draw_color_bar(
      frame.canvas, {spec.corner.x + spec.width + 16.0, spec.corner.y}, spec.height, density_palette(), whole,
      [](double chance) { return chance; }, "chance");
  return frame.canvas.str();
}

std::string smoothing_matrix(const ConditionalDensity& model, const Dataset& data, const Names& names,
                             const StateRowOptions& options, const Run& run) {
  const HasStates& states = states_of("smoothing_matrix", model);
  check_figure("smoothing_matrix", model, data, options.target);
  require(data.size() > 0, "smoothing_matrix: the data have no rows, expected at least one");
  const Dataset rows = thinned(data, options.max_points);
  const bool one_input = model.n_inputs() == 1;
  const std::vector<Index> order =
      order_of(one_input ? Vector(rows.x.row(0).transpose())
                         : Vector(model.predict(rows.x, run).mean(run).row(options.target).transpose()));
  const Matrix sorted = states.smoothing_matrix(rows.x)(order, order);
  const std::string by =
      one_input ? name_of(names.inputs, 0, "x") : "mean of " + name_of(names.targets, options.target, "y");
  Frame frame = make_frame({.title = "Smoothing matrix", .height = 560.0, .right = color_bar_margin});
  const double n = static_cast<double>(rows.size());
  const Panel panel = frame.panel({0.0, n}, {0.0, n}, "row of the fit, by " + by, "row predicted, by " + by);
  const DensityScale scale(sorted);
  panel.begin();
  draw_density(panel, sorted, scale);
  panel.end();
  panel.draw_frame();
  draw_density_bar(panel, scale, "weight");
  return frame.canvas.str();
}

}  // namespace condens::plot
