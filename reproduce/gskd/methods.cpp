#include "methods.hpp"

#include <algorithm>

#include "condens/registry.hpp"

namespace condens::reproduce {

namespace {

// Places in paper_methods(), and in recommended_methods().
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

Method changed(const Method& base, const std::string& what, Document changes) {
  Method out = base;
  out.label += " " + what;
  out.changes = std::move(changes);
  return out;
}

std::vector<Method> readings() {
  using Object = Document::Object;
  const Method& printed_skd = paper_methods()[skd];
  const Method& printed_rsde = paper_methods()[rsde];
  const Method& printed_gskd = paper_methods()[gskd];
  const Method& our_gskd = recommended_methods()[gskd];
  return {paper_methods()[skd],
          changed(printed_skd, "exact weights", Object{{"weights", "exact"}}),
          changed(printed_skd, "one regulariser", Object{{"local_regularization", false}}),
          paper_methods()[rsde],
          changed(printed_rsde, "1000 updates",
                  Object{{"solver", "multiplicative"}, {"iterations", 1000}, {"pruning", 1e-2}}),
          changed(printed_rsde, "10000 updates",
                  Object{{"solver", "multiplicative"}, {"iterations", 10000}, {"pruning", 1e-2}}),
          paper_methods()[gskd],
          changed(printed_gskd, "exact weights", Object{{"weights", "exact"}}),
          changed(printed_gskd, "nonnegative throughout", Object{{"nonnegative", true}}),
          changed(printed_gskd, "widths to 0.5 sd", Object{{"highest_width", 0.5}}),
          changed(printed_gskd, "widths to 1.5 sd", Object{{"highest_width", 1.5}}),
          changed(printed_gskd, "widths from 0.5 windows", Object{{"lowest_width", 0.5}}),
          changed(printed_gskd, "widths from 2 windows", Object{{"lowest_width", 2.0}}),
          changed(printed_gskd, "target without own kernel", Object{{"target", "loo"}}),
          changed(printed_gskd, "literal best", Object{{"literal_best", true}}),
          changed(printed_gskd, "stop at 5 %", Object{{"stop_tolerance", 0.05}}),
          changed(printed_gskd, "up to 100 kernels", Object{{"max_kernels", 100}}),
          gradient_method(),
          changed(gradient_method(), "up to 100 kernels", Object{{"max_kernels", 100}}),
          changed(printed_gskd, "distribution function", Object{{"target", "cdf"}, {"search", "gradient"}}),
          our_gskd,
          changed(our_gskd, "polish=none", Object{{"polish", "none"}}),
          changed(our_gskd, "polish=em", Object{{"polish", "em"}}),
          changed(our_gskd, "target=paper", Object{{"target", "paper"}}),
          changed(our_gskd, "target=loo", Object{{"target", "loo"}}),
          changed(our_gskd, "target=cdf", Object{{"target", "cdf"}}),
          changed(our_gskd, "three kernels",
                  Object{{"selection", "stop"}, {"max_kernels", 3}, {"polish", "em"}, {"covariance", "diagonal"}}),
          changed(our_gskd, "covariance=diagonal", Object{{"covariance", "diagonal"}})};
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
  static const Method method = changed(paper_methods()[skd], "exact weights", Document::Object{{"weights", "exact"}});
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
