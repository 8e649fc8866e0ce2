#include "methods.hpp"

#include <algorithm>

#include "condens/registry.hpp"

namespace condens::reproduce {

namespace {

// Places in paper_methods().
constexpr std::size_t skd = 1;
constexpr std::size_t rsde = 2;
constexpr std::size_t gskd = 3;

/// The paper works on the scale of the data.
Document unscaled() {
  Document out;
  out.set("standardize", false);
  return out;
}

Document parzen_options(const PrintedTable& table) {
  Document out = unscaled();
  out.set("bandwidth", table.parzen_width);
  return out;
}

Document skd_options(const PrintedTable& table) {
  Document out = unscaled();
  out.set("bandwidth", table.skd_width);
  out.set("target_bandwidth", table.parzen_width);
  return out;
}

Document rsde_options(const PrintedTable& table) {
  Document out = unscaled();
  out.set("bandwidth", table.rsde_width);
  return out;
}

Document gskd_options(const PrintedTable& table) {
  Document out = unscaled();
  out.set("target_bandwidth", table.parzen_width);
  // The bounds of the widths are not printed (errata D13): no narrower than the window, no wider than the data.
  out.set("lowest_width", 1.0);
  out.set("highest_width", 1.0);
  out.set("population", table.population);
  out.set("generations", table.generations);
  out.set("search_iterations", table.iterations);
  return out;
}

Document gradient_options(const PrintedTable& table) {
  Document out = gskd_options(table);
  out.set("search", "gradient");
  return out;
}

Document gmm_options(const PrintedTable& table) {
  Document out = unscaled();
  out.set("n_components", std::int64_t{table.components});
  out.set("region", Document(std::vector<double>{table.low, table.high}));
  out.set("initial_variance", table.initial_variance);
  out.set("variance_floor", table.least_variance);
  return out;
}

Document nothing(const PrintedTable&) { return Document(Document::Object{}); }

bool registered(const std::string& name) {
  const auto& all = models();
  return std::any_of(all.begin(), all.end(), [&](const ModelInfo& info) { return info.name == name; });
}

Method changed(std::size_t base, const std::string& what, Document changes) {
  Method out = paper_methods()[base];
  out.label += " " + what;
  out.changes = std::move(changes);
  return out;
}

std::vector<Method> readings() {
  using Object = Document::Object;
  return {
      paper_methods()[skd],
      changed(skd, "exact weights", Object{{"weights", "exact"}}),
      changed(skd, "one regulariser", Object{{"local_regularization", false}}),
      paper_methods()[rsde],
      changed(rsde, "1000 updates", Object{{"solver", "multiplicative"}, {"iterations", 1000}, {"pruning", 1e-2}}),
      changed(rsde, "10000 updates", Object{{"solver", "multiplicative"}, {"iterations", 10000}, {"pruning", 1e-2}}),
      paper_methods()[gskd],
      changed(gskd, "exact weights", Object{{"weights", "exact"}}),
      changed(gskd, "nonnegative throughout", Object{{"nonnegative", true}}),
      changed(gskd, "widths to 0.5 sd", Object{{"highest_width", 0.5}}),
      changed(gskd, "widths to 1.5 sd", Object{{"highest_width", 1.5}}),
      changed(gskd, "widths from 0.5 windows", Object{{"lowest_width", 0.5}}),
      changed(gskd, "widths from 2 windows", Object{{"lowest_width", 2.0}}),
      changed(gskd, "target without own kernel", Object{{"target", "loo"}}),
      changed(gskd, "literal best", Object{{"literal_best", true}}),
      changed(gskd, "stop at 5 %", Object{{"stop_tolerance", 0.05}})};
}

std::vector<Method> all_methods() {
  std::vector<Method> out = paper_methods();
  out.push_back(exact_method());
  out.push_back(gradient_method());
  out.insert(out.end(), recommended_methods().begin(), recommended_methods().end());
  return out;
}

}  // namespace

const std::vector<Method>& paper_methods() {
  static const std::vector<Method> methods = {{"PW", "parzen", "paper", parzen_options},
                                              {"SKD", "skd", "paper", skd_options},
                                              {"RSDE", "rsde", "paper", rsde_options},
                                              {"GSKD", "gskd", "paper", gskd_options},
                                              {"GMM", "gmm", "paper", gmm_options}};
  return methods;
}

const Method& exact_method() {
  static const Method method = changed(skd, "exact weights", Document::Object{{"weights", "exact"}});
  return method;
}

const Method& gradient_method() {
  static const Method method{"GSKD by gradients", "gskd", "paper", gradient_options};
  return method;
}

const std::vector<Method>& recommended_methods() {
  static const std::vector<Method> methods = {{"our PW", "parzen", "recommended", nothing},
                                              {"our SKD", "skd", "recommended", nothing},
                                              {"our RSDE", "rsde", "recommended", nothing},
                                              {"our GSKD", "gskd", "recommended", nothing},
                                              {"our GMM", "gmm", "recommended", nothing}};
  return methods;
}

const std::vector<Method>& reading_methods() {
  static const std::vector<Method> methods = readings();
  return methods;
}

std::vector<Method> available(std::vector<Method> methods) {
  std::erase_if(methods, [](const Method& method) { return !registered(method.model); });
  return methods;
}

std::vector<Method> available_methods() { return available(all_methods()); }

std::vector<std::string> missing_models() {
  std::vector<std::string> out;
  for (const Method& method : paper_methods())
    if (!registered(method.model)) out.push_back(method.model);
  return out;
}

std::unique_ptr<ConditionalDensity> fit(const Method& method, const PrintedTable& table, const Matrix& samples,
                                        Index seed) {
  const ModelInfo& info = find_model(method.model);
  Document options = method.options(table);
  for (const auto& [name, value] : method.changes.as_object()) options.set(name, value);
  const auto has_seed = [](const OptionInfo& option) { return option.name == "seed"; };
  if (std::any_of(info.options.begin(), info.options.end(), has_seed)) options.set("seed", std::int64_t{seed});
  const Dataset data{.x = Matrix(0, samples.cols()), .y = samples};
  return info.fit(data, method.preset, options, Run{.threads = 1, .observer = {}});
}

}  // namespace condens::reproduce
