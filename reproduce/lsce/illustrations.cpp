#include "illustrations.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <numbers>
#include <optional>
#include <vector>

#include "common/data_files.hpp"
#include "common/markdown.hpp"
#include "condens/core/random.hpp"
#include "condens/metrics/scores.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/plot/axes.hpp"
#include "condens/plot/colormap.hpp"
#include "condens/plot/figures.hpp"
#include "condens/plot/reduction_figures.hpp"
#include "methods.hpp"
#include "toys.hpp"

namespace condens::reproduce {

namespace {

constexpr Index n_noise = 4;
constexpr std::uint64_t seed = 1;

struct Illustration {
  std::string name;
  Dataset train;
  Dataset test;
  Index relevant = 0;  ///< input
  std::string input;
  std::string target;
};

/// Four fifths of the rows, with noise beside their one input, and the others.
Illustration split(const std::string& name, const Dataset& data, std::string input, std::string target) {
  RandomStream random(seed);
  Matrix x(1 + n_noise, data.size());
  for (Index i = 0; i < data.size(); ++i) {
    x(0, i) = data.x.col(i)[0];
    for (Index d = 1; d <= n_noise; ++d) x(d, i) = random.normal();
  }
  const Dataset all{.x = std::move(x), .y = data.y};
  const std::vector<Index> order = random.permutation(data.size());
  const auto middle = order.begin() + 4 * data.size() / 5;
  return {.name = name,
          .train = all.subset({order.begin(), middle}),
          .test = all.subset({middle, order.end()}),
          .input = std::move(input),
          .target = std::move(target)};
}

std::vector<Illustration> illustrations(const std::string& directory) {
  std::vector<Illustration> out;
  const auto add = [&](const std::string& name, const char* input, const char* target) {
    if (const std::optional<Dataset> data = load(directory, name))
      out.push_back(split(name, *data, input, target));
    else
      std::cerr << "reproduce_lsce: data set " << name << " is not available and left out\n";
  };
  add("bone", "age (years)", "bone density change");
  add("geyser", "duration (min)", "waiting time (min)");
  const Toy toy = toy_b();
  out.push_back({.name = "cubic",
                 .train = toy.sample(300, seed),
                 .test = toy.sample(1000, seed + 1),
                 .relevant = toy.relevant[0],
                 .input = "x2",
                 .target = "y"});
  return out;
}

std::vector<Method> compared() {
  std::vector<Method> out;
  for (const Method& method : paper_methods())
    if (method.label == "None/LSCDE" || method.label == "LSCE/LSCDE") out.push_back(method);
  out.push_back(masked_methods()[0]);
  out.push_back(recommended_methods()[0]);
  return out;
}

std::string file_name(const std::string& data, const std::string& method, const std::string& what) {
  std::string out = data + "-" + method + "-" + what + ".svg";
  std::replace(out.begin(), out.end(), ' ', '-');
  std::replace(out.begin(), out.end(), '/', '-');
  return out;
}

std::string density_map(const ConditionalDensity& model, const Illustration& from, const std::string& label) {
  const plot::MapOptions options{.input = from.relevant, .title = label + ": " + from.name};
  plot::Names names{.inputs = {"x1", "x2", "x3", "x4", "x5"}, .targets = {from.target}};
  names.inputs[static_cast<std::size_t>(from.relevant)] = from.input;
  return plot::density_map(model, from.train, names, options);
}

/// The angle between the direction found and the input that matters.
std::string degrees(const Fitted& fitted, Index relevant) {
  if (fitted.components.rows() != 1) return "-";
  const double cosine = std::min(1.0, std::abs(fitted.components(0, relevant)));
  return fixed(std::acos(cosine) * 180 / std::numbers::pi, 1);
}

}  // namespace

void draw_illustrations(const std::string& directory, const std::string& pictures, std::ostream& out) {
  const std::filesystem::path folder(pictures);
  std::filesystem::create_directories(folder);
  MarkdownTable table(
      {"data", "method", "n", "angle to the input that matters (degrees)", "Error_CDE", "NLL", "pictures"});
  for (const Illustration& from : illustrations(directory)) {
    const Matrix one_direction = Matrix::Zero(1, 1 + n_noise);
    for (const Method& method : compared()) {
      const Fitted fitted = fit(method, from.train, one_direction, 0);
      const Scores scores = score(*fitted.model, from.test, {.levels = {}, .highest_density = false});
      const double scale = Standardizer::fit(from.train.y, Vector()).scale()[0];
      const std::string map = file_name(from.name, method.label, "density");
      write_text(folder / map, density_map(*fitted.model, from, method.label));
      std::string links = "[density](pictures/" + map + ")";
      if (method.scheme == Scheme::lsce) {
        const std::string summary = file_name(from.name, method.label, "summary");
        write_text(folder / summary, plot::sufficient_summary(dynamic_cast<const ProjectedDensity&>(*fitted.model),
                                                              from.train, {.targets = {from.target}}));
        links += ", [summary](pictures/" + summary + ")";
      }
      table.add({from.name, method.label, std::to_string(from.train.size()), degrees(fitted, from.relevant),
                 plus_minus(scale * scores.squared_loss->value, scale * scores.squared_loss->standard_error, 3),
                 plus_minus(scores.nll.value - std::log(scale), scores.nll.standard_error, 3), links});
    }
  }
  table.print(out);
}

void draw_histograms(const std::string& pictures, std::ostream& out) {
  constexpr Index n_rows = 400;
  constexpr Index n_bins = 40;
  constexpr double width = 330;
  constexpr double height = 230;
  const std::filesystem::path folder(pictures);
  std::filesystem::create_directories(folder);
  plot::Canvas canvas(2 * (width + 70), height + 90, "Histograms of y");
  MarkdownTable table({"400 rows of", "range of y", "share in the fullest of 40 bins", "in the fullest four"});
  double left = 60;
  for (const Toy& toy : {toy_a(), toy_b()}) {
    const Vector y = toy.sample(n_rows, 0).y.row(0).transpose();
    const plot::Extent range = plot::extent_of(y);
    Vector counts = Vector::Zero(n_bins);
    for (const double value : y) {
      const double place = (value - range.low) / range.size() * double{n_bins};
      counts[std::min(static_cast<Index>(place), n_bins - 1)] += 1;
    }
    const plot::Panel panel(canvas, {.corner = {left, 34},
                                     .width = width,
                                     .height = height,
                                     .x = range,
                                     .y = {0, 1.05 * counts.maxCoeff()},
                                     .x_label = "y",
                                     .y_label = "rows"});
    canvas.text({left + width / 2, 22}, toy.name, {.size = 12.5, .anchor = plot::Anchor::middle, .bold = true});
    panel.draw_grid();
    panel.bars(range, counts, {.fill = plot::line_color(0), .stroke = "#ffffff", .width = 0.5});
    panel.draw_frame();
    std::sort(counts.begin(), counts.end(), std::greater<>());
    table.add({toy.name, fixed(range.low, 1) + " to " + fixed(range.high, 1), fixed(counts[0] / double{n_rows}),
               fixed(counts.head(4).sum() / double{n_rows})});
    left += width + 70;
  }
  write_text(folder / "histograms.svg", canvas.str());
  out << "Figure 3, middle column: how sharp the distribution of y is.\n\n![histograms of "
         "y](pictures/histograms.svg)\n\n";
  table.print(out);
}

}  // namespace condens::reproduce
