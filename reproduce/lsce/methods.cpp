#include "methods.hpp"

#include <algorithm>
#include <limits>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/registry.hpp"

namespace condens::reproduce {

namespace {

using plot::LineKind;

constexpr Index n_folds = 5;                              // section 2.4
constexpr Index paper_candidates[] = {1, 2, 3, 4, 6, 8};  // of d_z
constexpr Index more_candidates[] = {12, 16};             // for the robot with nine joints: 27 inputs
constexpr Index many_inputs = 20;
constexpr Index paper_steps = 50;  // from each start: the paper has no stopping rule
const Run one_thread{.threads = 1, .observer = {}};

/// The paper minimises the squared error of the density wherever it chooses something.
bool is_paper(const Method& method) { return method.preset == "paper"; }

std::unique_ptr<ConditionalDensity> fit_estimator(const Method& method, const Dataset& data, Index seed) {
  Document options = method.options;
  options.set("seed", seed);
  if (is_paper(method)) options.set("scoring", "squared");
  if (method.masked) options.set("mask_centers", true);
  return find_model(method.estimator).fit(data, method.preset, options, one_thread);
}

std::vector<double> candidates(const Method& method, const Dataset& data, const std::optional<Matrix>& truth) {
  if (truth) return {static_cast<double>(truth->rows())};
  std::vector<double> out;
  if (!is_paper(method)) return out;
  for (const Index d : paper_candidates)
    if (d <= data.x.rows()) out.push_back(static_cast<double>(d));
  if (data.x.rows() > many_inputs) out.insert(out.end(), std::begin(more_candidates), std::end(more_candidates));
  return out;
}

Document reduction_options(const Method& method, const std::vector<double>& n_components, Index seed) {
  Document out = method.options;
  out.set("seed", seed);
  if (!n_components.empty()) out.set("n_components", Document(n_components));
  const bool sliced = method.scheme == Scheme::sir || method.scheme == Scheme::save;
  if (is_paper(method) && !sliced) out.set("max_steps", paper_steps);
  if (method.masked) out.set("mask_centers", true);
  if (method.scheme == Scheme::lsce) return out;
  if (sliced) out.set("method", method.scheme == Scheme::sir ? "sir" : "save");
  if (is_paper(method)) out.set("scoring", "squared");
  out.set("model", method.estimator).set("model_preset", method.preset);
  Document inner = method.options;
  if (method.masked) inner.set("mask_centers", true);
  return out.set("options", inner);
}

std::unique_ptr<ConditionalDensity> fit_reduction(const Method& method, const Dataset& data,
                                                  const std::vector<double>& n_components, Index seed) {
  const char* model = method.scheme == Scheme::lsce ? "lsce" : method.scheme == Scheme::lsmi ? "lsmi" : "sliced";
  return find_model(model).fit(data, method.preset, reduction_options(method, n_components, seed), one_thread);
}

Matrix components_of(const ConditionalDensity& model) {
  return dynamic_cast<const ProjectedDensity&>(model).components();
}

/// The subspace of LSCE with d components, and another estimator than its own on it.
Fitted other_estimator(const Method& method, const Dataset& data, double d, Index seed) {
  Fitted out;
  out.scale = Standardizer::fit(data.x, data.weights);
  out.components = components_of(*fit_reduction(method, data, {d}, seed));
  out.n_components = out.components.rows();
  out.model = fit_estimator(method, project_inputs(data, out.components, *out.scale), seed);
  return out;
}

/// The candidate of least squared error on held-out rows. Subspaces of the folds come from the search
/// that the library recommends, as twenty starts for each fold and candidate would take hours.
double best_candidate(const Method& method, const Dataset& data, const std::vector<double>& all, Index seed) {
  if (all.size() == 1) return all[0];
  const std::vector<Index> fold = assign_folds(data.size(), n_folds, static_cast<std::uint64_t>(seed));
  Method quick = method;
  quick.preset = "recommended";
  double best = all[0];
  double least = std::numeric_limits<double>::infinity();
  for (const double d : all) {
    double loss = 0;
    for (Index k = 0; k < n_folds; ++k) {
      std::vector<Index> inside;
      std::vector<Index> outside;
      for (Index i = 0; i < data.size(); ++i) (fold[static_cast<std::size_t>(i)] == k ? outside : inside).push_back(i);
      const Dataset train = data.subset(inside);
      const Dataset held = data.subset(outside);
      const Standardizer scale = Standardizer::fit(train.x, train.weights);
      const Matrix w = components_of(*fit_reduction(quick, train, {d}, seed));
      const auto model = fit_estimator(method, project_inputs(train, w, scale), seed);
      loss += model->predict(project(w, scale, held.x)).squared_loss(held.y).mean();
    }
    if (loss < least) {
      least = loss;
      best = d;
    }
  }
  return best;
}

}  // namespace

std::vector<Method> paper_methods() {
  return {{"LSCE/LSCDE", Scheme::lsce, "lscde", "paper", 0, LineKind::solid},
          {"LSCE/eKDE", Scheme::lsce, "ekde", "paper", 0, LineKind::dashed},
          {"LSMI/LSCDE", Scheme::lsmi, "lscde", "paper", 1, LineKind::solid},
          {"LSMI/eKDE", Scheme::lsmi, "ekde", "paper", 1, LineKind::dashed},
          {"None/LSCDE", Scheme::none, "lscde", "paper", 2, LineKind::solid},
          {"None/eKDE", Scheme::none, "ekde", "paper", 2, LineKind::dashed}};
}

std::vector<Method> masked_methods() {
  return {{"LSCE/LSCDE masked", Scheme::lsce, "lscde", "paper", 0, LineKind::dashed, true},
          {"LSMI/LSCDE masked", Scheme::lsmi, "lscde", "paper", 1, LineKind::dashed, true},
          {"None/LSCDE masked", Scheme::none, "lscde", "paper", 2, LineKind::dashed, true}};
}

std::vector<Method> sliced_methods() {
  return {{"SIR/LSCDE", Scheme::sir, "lscde", "paper", 3, LineKind::solid},
          {"SIR/eKDE", Scheme::sir, "ekde", "paper", 3, LineKind::dashed},
          {"SAVE/LSCDE", Scheme::save, "lscde", "paper", 4, LineKind::solid},
          {"SAVE/eKDE", Scheme::save, "ekde", "paper", 4, LineKind::dashed}};
}

std::vector<Method> true_methods() {
  return {{"True/LSCDE", Scheme::truth, "lscde", "paper", 5, LineKind::solid},
          {"True/eKDE", Scheme::truth, "ekde", "paper", 5, LineKind::dashed},
          {"our True", Scheme::truth, "lscde", "recommended", 5, LineKind::dotted}};
}

std::vector<Method> recommended_methods() {
  return {{"our LSCE", Scheme::lsce, "lscde", "recommended", 0, LineKind::dotted},
          {"our LSMI", Scheme::lsmi, "lscde", "recommended", 1, LineKind::dotted},
          {"our None", Scheme::none, "lscde", "recommended", 2, LineKind::dotted},
          {"our SIR", Scheme::sir, "lscde", "recommended", 3, LineKind::dotted},
          {"our SAVE", Scheme::save, "lscde", "recommended", 4, LineKind::dotted}};
}

GaussianMixtures Fitted::laws(const MatrixView& x) const {
  return scale ? model->predict(project(components, *scale, x), one_thread) : model->predict(x, one_thread);
}

Fitted fit(const Method& method, const Dataset& data, const std::optional<Matrix>& truth, Index seed) {
  if (method.scheme == Scheme::none) return {.model = fit_estimator(method, data, seed), .n_components = data.x.rows()};
  if (method.scheme == Scheme::truth) {
    require(truth.has_value(), method.label, ": the true subspace is not known");
    Fitted out{.model = nullptr,
               .scale = Standardizer::fit(data.x, data.weights),
               .components = *truth,
               .n_components = truth->rows()};
    out.model = fit_estimator(method, project_inputs(data, out.components, *out.scale), seed);
    return out;
  }
  const std::vector<double> numbers = candidates(method, data, truth);
  if (method.scheme == Scheme::lsce && method.estimator != "lscde")
    return other_estimator(method, data, best_candidate(method, data, numbers, seed), seed);
  Fitted out{.model = fit_reduction(method, data, numbers, seed)};
  out.components = components_of(*out.model);
  out.n_components = out.components.rows();
  return out;
}

}  // namespace condens::reproduce
