#include "components.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numbers>
#include <numeric>
#include <optional>

#include "condens/core/errors.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/projected_density.hpp"
#include "condens/model/subspaces.hpp"
#include "condens/plot/reduction_figures.hpp"
#include "console.hpp"

namespace condens::cli {

namespace {

std::string loading_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value + 0.0);  // no minus before an exact zero
  return text.data();
}

/// How far the subspaces of the folds are from that of all rows, where the fit tells.
std::string changes_text(const FitReport& report) {
  const Document* dimensions = report.details.find("dimensions");
  const Document* change = dimensions == nullptr ? nullptr : dimensions->find("subspace_change");
  if (change == nullptr) return "";
  const Vector count = dimensions->at("n_components").as_vector();
  const Vector of_count = change->as_vector();
  if (of_count.size() != count.size()) throw FormatError("the table of dimensions has columns of unequal length");
  std::vector<std::vector<std::string>> rows{{"components", "change"}};
  for (Index i = 0; i < count.size(); ++i) rows.push_back({brief(count[i]), brief(of_count[i])});
  return "\nHow much the directions change where a fold is left out: 0 not at all, 1 altogether\n" + align(rows);
}

constexpr double level_of_intervals = 0.9;

/// What the replicates say of the subspace; nothing where there are too few.
std::optional<SubspaceIntervals> intervals_of(const Model& model) {
  constexpr Index fewest = 19;  // for this level
  constexpr Index most = 200;   // inputs, whose pairs all have an interval
  if (!model.replicates || model.replicates->size() < fewest || model.density->n_inputs() > most) return std::nullopt;
  if (capability<ProjectedDensity>(*model.density)->n_components() == 0) return std::nullopt;
  return subspace_intervals(*model.density, *model.replicates, level_of_intervals);
}

/// How sure the directions are, where there are replicates.
std::string intervals_text(const Model& model, const std::vector<Index>& order) {
  const std::optional<SubspaceIntervals> found = intervals_of(model);
  if (!found) return "";
  std::string out = message("\nHow sure the directions are, from ", model.replicates->size(),
                            " bootstrap replicates: 90 % of their subspaces lie within\n");
  TextRows bounds{{"distance", brief(found->distance_bound), "of the fitted one: 0 the same, 1 one direction lost"}};
  const Vector degrees = found->angle_bounds * (180 / std::numbers::pi);
  bounds.push_back({"largest angle", brief(degrees[0]), "degrees"});
  out +=
      align(bounds, 2) + "\nShare of each input's axis in the directions, the diagonal of W'W, with 90 % intervals\n";
  TextRows rows{{"input", "share", "low", "high", "loaded"}};
  const std::vector<std::string> names = model.encoder.encoded_names();
  for (const Index j : order) {
    if (rows.size() > most_inputs) break;
    rows.push_back({names[static_cast<std::size_t>(j)], loading_text(found->projection(j, j)),
                    loading_text(found->lower(j, j)), loading_text(found->upper(j, j)), percent(found->loaded[j])});
  }
  return out + align(rows) + rest_text(names.size(), most_inputs, "inputs");
}

/// How many inputs stayed, where they could leave.
std::string elimination_text(const FitReport& report) {
  const Document* table = report.details.find("elimination");
  if (table == nullptr) return "";
  const Vector inputs = table->at("n_inputs").as_vector();
  const Vector score = table->at("score").as_vector();
  const Vector error = table->at("standard_error").as_vector();
  if (score.size() != inputs.size() || error.size() != inputs.size()) {
    throw FormatError("the table of the elimination has columns of unequal length");
  }
  TextRows rows{{"inputs", "score", "std error"}};
  for (Index i = 0; i < inputs.size(); ++i) rows.push_back({brief(inputs[i]), brief(score[i]), brief(error[i])});
  return "\nScores of rows left out as inputs leave the directions; " +
         brief(report.details.at("n_inputs_used").as_number()) + " stayed\n" + align(rows);
}

/// What the numbers of directions scored, or nullptr where nothing was compared.
const Document* dimensions_of(const Model& model) {
  if (capability<ProjectedDensity>(*model.density) == nullptr) return nullptr;
  const Document* candidates = model.density->report().details.find("candidates");
  return candidates == nullptr || candidates->find("n_components") == nullptr ? nullptr : candidates;
}

}  // namespace

bool has_dimensions(const Model& model) { return dimensions_of(model) != nullptr; }

std::string components_text(const Model& model) {
  const auto* density = capability<ProjectedDensity>(*model.density);
  if (density == nullptr || density->n_inputs() == 0) return "";
  const Matrix& w = density->components();
  std::string out = "\nComponents: " + std::to_string(w.rows()) + " of " + std::to_string(w.cols()) +
                    " directions; loadings of the standardised inputs, the largest first\n";
  const std::vector<std::string> names = model.encoder.encoded_names();
  std::vector<std::vector<std::string>> rows{{"input"}};
  for (Index k = 0; k < w.rows(); ++k) rows.front().push_back("z" + std::to_string(k + 1));
  std::vector<Index> order(names.size());
  std::iota(order.begin(), order.end(), Index{0});
  const Vector size = w.colwise().norm();
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return size[a] > size[b]; });
  for (const Index j : order) {
    if (rows.size() > most_inputs) break;
    rows.push_back({names[static_cast<std::size_t>(j)]});
    for (Index k = 0; k < w.rows(); ++k) rows.back().push_back(loading_text(w(k, j)));
  }
  if (w.rows() > 0) out += align(rows) + rest_text(names.size(), most_inputs, "inputs");
  return out + elimination_text(density->report()) + changes_text(density->report()) + intervals_text(model, order);
}

Document components_document(const Model& model) {
  const auto* density = capability<ProjectedDensity>(*model.density);
  if (density == nullptr) return {};
  const Matrix& w = density->components();
  const std::vector<std::string> names = model.encoder.encoded_names();
  Document::Array out;
  for (Index j = 0; j < w.cols(); ++j) {
    const std::vector<double> loadings(w.col(j).begin(), w.col(j).end());
    out.emplace_back(Document::Object{{"input", names[static_cast<std::size_t>(j)]}, {"loadings", Document(loadings)}});
  }
  return out;
}

Document subspace_document(const Model& model) {
  const auto* density = capability<ProjectedDensity>(*model.density);
  if (density == nullptr || density->n_inputs() == 0) return {};
  const std::optional<SubspaceIntervals> found = intervals_of(model);
  if (!found) return {};
  return Document::Object{{"level", found->level},
                          {"angle_bounds", found->angle_bounds},
                          {"distance_bound", found->distance_bound},
                          {"projection", found->projection},
                          {"lower", found->lower},
                          {"upper", found->upper},
                          {"loaded", found->loaded}};
}

std::string summary_figure(const FigureRequest& request, Index target, const Run& run) {
  const Encoder& encoder = request.model.encoder;
  return plot::sufficient_summary(*capability<ProjectedDensity>(*request.model.density), *request.data,
                                  {.inputs = encoder.encoded_names(),
                                   .targets = names_of(encoder.targets()),
                                   .target = target,
                                   .interval = request.interval},
                                  run);
}

std::string dimensions_figure(const Model& model) {
  return plot::dimension_scores(*dimensions_of(model), capability<ProjectedDensity>(*model.density)->n_components());
}

}  // namespace condens::cli
