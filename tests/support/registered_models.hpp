#pragma once
// Every registered model under each of its presets, for promises that all of them keep.

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/registry.hpp"

namespace condens::registered {

/// Two branches over the first input (or none), spread growing with it.
inline Dataset sample_data(Index n, Index d_x, Index d_y, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix x(d_x, n);
  Matrix y(d_y, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d_x; ++k) x(k, i) = random.normal();
    const double first = d_x > 0 ? x(0, i) : 0.0;
    const double branch = random.uniform() < 0.5 ? -1.0 : 1.0;
    for (Index k = 0; k < d_y; ++k) y(k, i) = branch + 0.5 * first + 0.3 * std::exp(0.3 * first) * random.normal();
  }
  return {.x = x, .y = y};
}

struct Case {
  std::string model;
  std::string preset;
};

inline void PrintTo(const Case& c, std::ostream* out) { *out << c.model << " (" << c.preset << ")"; }

inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const ModelInfo& info : models()) {
    for (const std::string& preset : info.presets) cases.push_back({info.name, preset});
  }
  return cases;
}

/// Options that shorten a long procedure; no promise hangs on them.
inline Document quick_options(const Case& c) {
  // The search for directions or inputs is what is long, and the candidates of the model within.
  Document::Object few = {{"bandwidth", Document::Array{0.5, 1.0}}, {"regularization", Document::Array{0.02, 0.1}}};
  if (c.preset != "paper") few.emplace_back("bandwidth_y", Document::Array{0.2, 0.5});  // "paper": those of the inputs
  if (c.model == "lsce" || c.model == "lsmi") {
    Document out = few;
    out.set("random_starts", 2).set("max_steps", 10).set("n_centers", 40);
    return c.model == "lsmi" ? out.set("options", few) : out;
  }
  if (c.model == "sliced" || c.model == "forward" || c.model == "location_scale")
    return Document::Object{{"options", few}};
  if (c.model == "sacde" || c.model == "salscde") {
    const Document::Object grid{{"bandwidth", Document::Array{0.4, 1.0}}, {"bandwidth_y", Document::Array{0.3, 0.8}}};
    return c.model == "sacde" ? grid : Document::Object{{"selection", grid}, {"options", few}};
  }
  if (c.model == "press") {
    const std::vector<double> states = {1, 3};
    return Document::Object{{"n_states", Document(states)}, {"regularization", 1e-3}, {"cv", 2}, {"n_starts", 2}};
  }
  if (c.model == "gskd" && c.preset == "paper")
    return Document::Object{{"population", 8}, {"generations", 2}, {"search_iterations", 30}};
  if (c.model == "gskd") return Document::Object{{"candidates", 20}, {"starts", 2}};
  if (c.model == "pool") return Document::Object{{"models", Document::Array{"parzen", "gp"}}, {"cv", 2}};
  if (c.model == "auto") return Document::Object{{"budget", 0.02}, {"cv", 2}};
  if (c.model == "kqr")
    return Document::Object{{"quantile_levels", Document::Array{0.1, 0.3, 0.5, 0.7, 0.9}},
                            {"bandwidth", Document::Array{0.5, 1.0, 2.0}},
                            {"regularization", Document::Array{0.01, 0.1}}};
  if (c.model == "forest")
    return Document::Object{{"n_trees", 20}, {"min_samples_leaf", Document::Array{3, 10}}, {"max_features", 0.7}};
  if (c.model == "boost") return Document::Object{{"n_rounds", 60}, {"min_samples_leaf", 5}};
  if (c.model == "mdn" && c.preset == "paper") return Document::Object{{"max_iterations", 60}};
  if (c.model == "mdn") return Document::Object{{"max_iterations", 100}, {"n_members", 2}};
  return {};
}

}  // namespace condens::registered
