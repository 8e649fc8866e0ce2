#include "illustrations.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "common/data_files.hpp"
#include "common/markdown.hpp"
#include "condens/plot/figures.hpp"
#include "condens/plot/line_chart.hpp"
#include "condens/registry.hpp"
#include "irrelevant_inputs.hpp"
#include "methods.hpp"
#include "toys.hpp"

namespace condens::reproduce {

namespace {

constexpr Index n_irrelevant = 5;
constexpr std::uint64_t seed = 1;

struct Illustration {
  std::string name;
  Dataset data;
  std::string input;
  std::string target;
  std::optional<Toy> toy = {};
};

std::vector<Illustration> illustrations(const std::string& directory) {
  const Toy toy = toy_1(n_irrelevant);
  std::vector<Illustration> out = {{"toy-1", toy.sample(300, seed), "x1", "y", toy}};
  if (const auto geyser = load(directory, "geyser"))
    out.push_back({"geyser", with_noisy_copies(*geyser, n_irrelevant, seed), "duration (min)", "waiting time (min)"});
  if (const auto bone = load(directory, "bone"))
    out.push_back({"bone", with_noisy_copies(*bone, n_irrelevant, seed), "age (years)", "bone density change"});
  return out;
}

std::vector<Method> compared() {
  std::vector<Method> out;
  for (const Method& method : paper_methods())
    if (method.label == "SA-CDE" || method.label == "LS-CDE") out.push_back(method);
  out.push_back(recommended_methods()[0]);
  return available(out);
}

std::string file_name(const std::string& data, const std::string& method, const std::string& what) {
  std::string out = data + "-" + method + "-" + what + ".svg";
  std::replace(out.begin(), out.end(), ' ', '-');
  return out;
}

void draw_map(const ConditionalDensity& model, const Illustration& from, const std::filesystem::path& path) {
  plot::MapOptions options;
  const Vector at = plot::median_inputs(from.data);
  if (from.toy) {
    options.truth = [&from, at](double x, double y) {
      Matrix inputs = at;
      inputs(0, 0) = x;
      return from.toy->truth(inputs)[0].pdf(y);
    };
  }
  write_text(path, plot::density_map(model, from.data, {{from.input}, {from.target}}, options));
}

Vector quantile_inputs(const Dataset& data, double level) {
  std::vector<double> sorted(data.x.row(0).begin(), data.x.row(0).end());
  std::sort(sorted.begin(), sorted.end());
  Vector out = plot::median_inputs(data);
  out[0] = sorted[static_cast<std::size_t>(level * static_cast<double>(sorted.size() - 1))];
  return out;
}

/// p(y | x) of all models and the truth at one x_1, the other inputs at their medians.
void draw_section(const std::vector<Method>& methods, const std::vector<std::unique_ptr<ConditionalDensity>>& models,
                  const Illustration& from, double level, const std::filesystem::path& path) {
  const Matrix x = quantile_inputs(from.data, level);
  const double low = from.data.y.minCoeff();
  const double high = from.data.y.maxCoeff();
  const Vector y = Vector::LinSpaced(400, low - 0.1 * (high - low), high + 0.1 * (high - low));
  plot::LineChart chart{.title = from.target + " at " + from.input + " = " + plot::short_number(x(0, 0)),
                        .x_label = from.target,
                        .y_label = "conditional density"};
  const auto add = [&](const std::string& name, const GaussianMixtures& laws, plot::LineKind kind, std::size_t color) {
    chart.series.push_back({.name = name,
                            .x = y,
                            .y = laws.log_pdf_grid(y.transpose()).col(0).array().exp(),
                            .color = color,
                            .kind = kind,
                            .markers = false});
  };
  for (std::size_t m = 0; m < models.size(); ++m)
    add(methods[m].label, models[m]->predict(x), methods[m].line, methods[m].color);
  if (from.toy) add("true density", from.toy->truth(x), plot::LineKind::dashed, 6);
  write_text(path, plot::line_chart(chart));
}

/// |alpha_d| over lambda at the chosen width, as the fit reports it.
void draw_path(const ConditionalDensity& model, const Illustration& from, const std::filesystem::path& path) {
  const Document& details = model.report().details.at("path");
  const Vector penalty = details.at("regularization").as_vector();
  const Vector inputs = details.at("inputs").as_vector();  // those that enter at any penalty
  const Matrix& norms = details.at("norms").as_matrix();   // inputs x penalties
  plot::LineChart chart{.title = "Path of SA-CDE, " + from.name,
                        .x_label = "lambda",
                        .y_label = "norm of the coefficients",
                        .log_x = true};
  for (Index i = 0; i < inputs.size(); ++i) {
    const Index d = static_cast<Index>(inputs[i]);
    chart.series.push_back({.name = d == 0 ? from.input + " (relevant)" : "irrelevant " + std::to_string(d),
                            .x = penalty,
                            .y = norms.row(i).transpose(),
                            .color = static_cast<std::size_t>(d),
                            .kind = d == 0 ? plot::LineKind::solid : plot::LineKind::dashed,
                            .markers = false});
  }
  chart.x_rule = plot::Rule{details.at("chosen").as_number(), "chosen by cross-validation"};
  write_text(path, plot::line_chart(chart));
}

std::string supported(const Method& method, const ConditionalDensity& model) {
  const Document results = find_model(method.model).results_of(model);
  const Document* support = results.find("support");
  if (support == nullptr) return "all";
  std::string out;
  for (Index d = 0; d < support->as_vector().size(); ++d)
    if (support->as_vector()[d] > 0) out += (out.empty() ? "x" : ", x") + std::to_string(d + 1);
  return out.empty() ? "none" : out;
}

std::string number_of(const Method& method, const ConditionalDensity& model, const char* name) {
  return significant(find_model(method.model).results_of(model).at(name).as_number());
}

}  // namespace

void draw_illustrations(const std::string& directory, const std::string& pictures, std::ostream& out) {
  const std::filesystem::path folder(pictures);
  std::filesystem::create_directories(folder);
  const std::vector<Method> methods = compared();
  MarkdownTable table({"data", "method", "selected", "width of x", "width of y", "lambda", "pictures"});
  for (const Illustration& from : illustrations(directory)) {
    std::vector<std::unique_ptr<ConditionalDensity>> models;
    for (const Method& method : methods) {
      models.push_back(fit(method, from.data, 0));
      const ConditionalDensity& model = *models.back();
      const std::string map = file_name(from.name, method.label, "density");
      draw_map(model, from, folder / map);
      std::string links = "[density](pictures/" + map + ")";
      if (method.model == "sacde") {
        const std::string path = file_name(from.name, method.label, "path");
        draw_path(model, from, folder / path);
        links += ", [path](pictures/" + path + ")";
      }
      table.add({from.name, method.label, supported(method, model), number_of(method, model, "bandwidth"),
                 number_of(method, model, "bandwidth_y"), number_of(method, model, "regularization"), links});
    }
    for (const double level : {0.1, 0.5, 0.9})
      draw_section(methods, models, from, level,
                   folder / file_name(from.name, "section", std::to_string(std::lround(100 * level))));
  }
  table.print(out);
  out << "Sections `pictures/*-section-10.svg`, `-50`, `-90`: all densities at the 10, 50 and 90 % quantile of x1.\n\n";
}

}  // namespace condens::reproduce
