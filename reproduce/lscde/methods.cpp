#include "methods.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "condens/estimators/ratio_kde.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/registry.hpp"

namespace condens::reproduce {

namespace {

const Document no_options(Document::Object{});

Document one(const char* name, Document value) {
  Document out;
  out.set(name, std::move(value));
  return out;
}

/// The paper chooses the decay and names no candidates (section 3.2, errata L17): the range of section 2.6.
const std::vector<double> decays = {0.01, 0.1, 1, 10};

}  // namespace

std::vector<Method> table_methods() {
  return {
      {"LS-CDE", "lscde", "paper", no_options, Origin::paper, 0},
      {"eKDE", "ekde", "paper", one("radius_of", "distance"), Origin::paper, 1},
      {"MDN", "mdn", "paper", one("regularization", Document(decays)), Origin::paper, 2},
      {"KQR", "kqr", "paper", one("scoring", "nll"), Origin::paper, 3},
      {"RKDE", "rkde", "paper", no_options, Origin::paper, 4},
      {"MDN without decay", "mdn", "paper", no_options, Origin::reading},
      {"RKDE equal widths", "rkde", "paper", one("widths", "equal"), Origin::reading},
      {"RKDE as a ratio", "rkde", "paper", no_options, Origin::reading, 0, true},
      {"our LSCDE", "lscde", "recommended", no_options, Origin::recommended},
      {"our NW", "nw", "recommended", no_options, Origin::recommended},
      {"our MDN", "mdn", "recommended", no_options, Origin::recommended},
      {"our GP", "gp", "recommended", no_options, Origin::recommended},
      {auto_label, "auto", "recommended", no_options, Origin::recommended},
  };
}

std::vector<Method> weakened_methods() {
  // The candidates of section 2.6, which the paper gives for its own method.
  const Document grid(std::vector<double>{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10});
  Document coarse = one("radius_of", "distance");
  coarse.set("radius", grid);
  coarse.set("bandwidth_y", grid);
  coarse.set("empty_neighborhood", "all");
  return {
      {"LS-CDE", "lscde", "paper", no_options, Origin::paper, 0},
      {"eKDE coarse", "ekde", "paper", coarse, Origin::paper, 1},
      {"MDN without decay", "mdn", "paper", no_options, Origin::paper, 2},
      {.label = "KQR by differences",
       .model = "kqr",
       .preset = "paper",
       .options = one("scoring", "nll"),
       .origin = Origin::paper,
       .column = 3,
       .steps = true},
      {"RKDE as a ratio", "rkde", "paper", no_options, Origin::paper, 4, true},
  };
}

const std::vector<std::string>& pooled_labels() {
  static const std::vector<std::string> out = {"our LSCDE", "our NW", "our MDN", "our GP"};
  return out;
}

bool takes_several_targets(const Method& method) { return !find_model(method.model).can("takes_one_target"); }

namespace {

/// log of the share of every test row between its two neighbours among the estimated quantiles, over their distance.
Vector log_steps(const HasQuantiles& model, const Dataset& test, const Run& run) {
  constexpr double least_step = 1e-12;  // quantiles may coincide
  const std::vector<double>& levels = model.quantile_levels();
  const Matrix quantiles = model.quantiles(test.x, run);
  Vector out = Vector::Constant(test.size(), -std::numeric_limits<double>::infinity());
  for (Index i = 0; i < test.size(); ++i) {
    for (Index k = 1; k < quantiles.rows(); ++k) {
      const double low = quantiles(k - 1, i);
      const double high = quantiles(k, i);
      if (test.y(0, i) < low || test.y(0, i) >= high) continue;
      const auto at = static_cast<std::size_t>(k);
      out[i] = std::log((levels[at] - levels[at - 1]) / std::max(high - low, least_step));
    }
  }
  return out;
}

}  // namespace

Vector log_density(const Method& method, const ConditionalDensity& model, const Dataset& test) {
  const Run one_thread{.threads = 1, .observer = {}};
  if (method.steps) return log_steps(dynamic_cast<const HasQuantiles&>(model), test, one_thread);
  const Vector out = model.log_density(test.x, test.y, one_thread);
  return method.ratio ? out + dynamic_cast<const RatioKde&>(model).log_mass(test.x, one_thread) : out;
}

std::unique_ptr<ConditionalDensity> fit(const Method& method, const Dataset& data, Index seed) {
  const Contestant own = contestant(method.label, find_model(method.model), method.preset, method.options);
  return own.fit(data, seed, {.threads = 1, .observer = {}}).density;
}

}  // namespace condens::reproduce
