#include "methods.hpp"

#include <algorithm>
#include <cmath>

#include "condens/registry.hpp"

namespace condens::reproduce {

namespace {

using plot::LineKind;

constexpr std::size_t sacde_color = 0;
constexpr std::size_t salscde_color = 1;
constexpr std::size_t lscde_color = 2;
constexpr std::size_t nw_color = 3;
constexpr std::size_t gp_color = 4;
constexpr std::size_t ekde_color = 5;

/// `count` values at equal steps of the logarithm.
std::vector<double> log_steps(double lowest, double highest, Index count) {
  std::vector<double> out;
  const double steps = static_cast<double>(count - 1);
  for (Index i = 0; i < count; ++i) out.push_back(lowest * std::pow(highest / lowest, static_cast<double>(i) / steps));
  return out;
}

/// Candidates of both hyper-parameters.
struct Grids {
  std::vector<double> widths;
  std::vector<double> penalties;
};

Grids paper_grids(Index candidates = 20) { return {paper_grid(candidates), paper_grid(candidates)}; }

Document options_of(const Grids& grids) {
  Document out;
  out.set("bandwidth", Document(grids.widths));
  out.set("regularization", Document(grids.penalties));
  return out;
}

/// The penalty of this paper's LS-CDE is lambda |alpha|^2, the library's half of it (errata L5).
Document lscde_options(Grids grids) {
  for (double& penalty : grids.penalties) penalty *= 2;
  return options_of(grids);
}

/// SA-CDE and SA-LSCDE, whose second stage is LS-CDE.
std::vector<Method> additive_methods(const Document& sacde, const Document& lscde, const std::string& suffix,
                                     LineKind line) {
  Document stages;
  stages.set("selection", sacde);
  stages.set("options", lscde);
  return {{"SA-CDE" + suffix, "sacde", "paper", sacde, sacde_color, line},
          {"SA-LSCDE" + suffix, "salscde", "paper", stages, salscde_color, line}};
}

Method forward(std::string label, const char* model, const Document& options, std::size_t color) {
  Document forward_options;
  forward_options.set("model", model);
  forward_options.set("model_preset", "paper");
  forward_options.set("options", options);
  return {std::move(label), "forward", "paper", forward_options, color, LineKind::solid};
}

/// The eight of section 3.1, with the options of their models.
std::vector<Method> eight_methods(const Document& sacde, const Document& lscde, const Document& nw,
                                  const Document& ekde) {
  std::vector<Method> out = additive_methods(sacde, lscde, "", LineKind::solid);
  out.push_back(forward("FW-LSCDE", "lscde", lscde, lscde_color));
  out.push_back(forward("FW-NWCDE", "nw", nw, nw_color));
  out.push_back(forward("FW-eKDE", "ekde", ekde, ekde_color));
  out.push_back({"LS-CDE", "lscde", "paper", lscde, lscde_color, LineKind::dashed});
  out.push_back({"NW-CDE", "nw", "paper", nw, nw_color, LineKind::dashed});
  out.push_back({"eKDE", "ekde", "paper", ekde, ekde_color, LineKind::dashed});
  return out;
}

bool registered(const std::string& name) {
  const auto& all = models();
  return std::any_of(all.begin(), all.end(), [&](const ModelInfo& info) { return info.name == name; });
}

const Document no_options(Document::Object{});

}  // namespace

bool is_ours(const Method& method) { return method.label.starts_with("our "); }

std::vector<double> paper_grid(Index count) { return log_steps(0.01, 2, count); }

std::vector<Method> selection_methods(Index candidates) {
  const std::string suffix = candidates == 20 ? "" : " (" + std::to_string(candidates) + " candidates)";
  const LineKind line = candidates == 20 ? LineKind::solid : candidates == 10 ? LineKind::dashed : LineKind::dotted;
  const Grids grids = paper_grids(candidates);
  return additive_methods(options_of(grids), lscde_options(grids), suffix, line);
}

Method truncated_method() {
  Document options = options_of(paper_grids());
  options.set("solver", "truncated");
  return {"SA-CDE truncated", "sacde", "paper", options, sacde_color, LineKind::dotted};
}

std::vector<Method> selection_readings() {
  const auto reading = [](const std::string& label, const char* option, const char* value, double least_norm) {
    Method out = selection_methods(20).back();
    Document selection = options_of(paper_grids());
    if (option != nullptr) selection.set(option, value);
    out.label += label;
    out.options.set("selection", selection);
    out.options.set("least_norm", least_norm);
    return out;
  };
  return {reading(" (one standard error)", "selection_rule", "one_standard_error", 0),
          reading(" (norms > 0.1)", nullptr, nullptr, 0.1), reading(" (truncated)", "solver", "truncated", 0),
          reading(" (truncated; norms > 0.1)", "solver", "truncated", 0.1),
          reading(" (truncated; norms > 0.5)", "solver", "truncated", 0.5)};
}

std::vector<Method> paper_methods() {
  return eight_methods(options_of(paper_grids()), lscde_options(paper_grids()), no_options, no_options);
}

std::vector<Method> given_methods(Index n_centers) {
  const std::vector<double> width = {0.3};
  const Grids one{width, {0.1}};
  const auto with_centers = [&](Document options) {
    options.set("n_centers", n_centers);
    return options;
  };
  Document kernel;
  kernel.set("bandwidth", Document(width));
  Document neighbors;
  neighbors.set("radius", Document(std::vector<double>{0.5}));
  neighbors.set("bandwidth_y", Document(width));
  return eight_methods(with_centers(options_of(one)), with_centers(lscde_options(one)), with_centers(kernel),
                       neighbors);
}

std::vector<Method> humanoid_methods() {
  const Grids grids{paper_grid(), log_steps(1e-3, 1e-1, 20)};
  Document process;
  process.set("max_rows", 1000);
  std::vector<Method> out = additive_methods(options_of(grids), lscde_options(grids), "", LineKind::solid);
  out.push_back(forward("FW-LSCDE", "lscde", lscde_options(grids), lscde_color));
  out.push_back(forward("FW-NWCDE", "nw", no_options, nw_color));
  out.push_back({"LS-CDE", "lscde", "paper", lscde_options(grids), lscde_color, LineKind::dashed});
  out.push_back({"NW-CDE", "nw", "paper", no_options, nw_color, LineKind::dashed});
  out.push_back({"GP-CDE", "gp", "paper", process, gp_color, LineKind::dashed});
  return out;
}

std::vector<Method> recommended_methods() {
  return {{"our SA-CDE", "sacde", "recommended", no_options, sacde_color, LineKind::dotted},
          {"our SA-LSCDE", "salscde", "recommended", no_options, salscde_color, LineKind::dotted},
          {"our NW-CDE", "nw", "recommended", no_options, nw_color, LineKind::dotted}};
}

std::string missing_model(const Method& method) {
  if (!registered(method.model)) return method.model;
  const Document* inner = method.options.find("model");
  return inner != nullptr && !registered(inner->as_string()) ? inner->as_string() : "";
}

std::vector<Method> available(const std::vector<Method>& methods) {
  std::vector<Method> out;
  for (const Method& method : methods)
    if (missing_model(method).empty()) out.push_back(method);
  return out;
}

std::unique_ptr<ConditionalDensity> fit(const Method& method, const Dataset& data, Index seed) {
  const Contestant own = contestant(method.label, find_model(method.model), method.preset, method.options);
  return own.fit(data, seed, {.threads = 1, .observer = {}}).density;
}

}  // namespace condens::reproduce
