#pragma once
// The methods that are compared: a scheme of reduction and the estimator of y given z = W x
// after it, as models of the registry.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/plot/line_chart.hpp"

namespace condens::reproduce {

enum class Scheme { none, truth, lsce, lsmi, sir, save };

struct Method {
  std::string label;  ///< without commas
  Scheme scheme;
  std::string estimator;  ///< "lscde" or "ekde"
  std::string preset;     ///< of every model in it
  std::size_t color;      ///< of plot::line_color: the scheme
  plot::LineKind line;    ///< solid: LSCDE; dashed: eKDE, or `masked`; dotted: ours, not in the paper
  bool masked = false;    ///< cross-validation without the centres that are rows held out
  Document options = Document(Document::Object{});  ///< of the search and the estimator, instead of the preset's
};

/// The six of section 3.1, in the order of Table 1.
std::vector<Method> paper_methods();

/// LSCE, LSMI and None with LSCDE, and "all samples except S_j" (section 2.4) read as: the centres, too.
std::vector<Method> masked_methods();

/// SIR and SAVE before the paper's estimators.
std::vector<Method> sliced_methods();

/// LSCDE and eKDE on the true subspace.
std::vector<Method> true_methods();

/// What the library recommends in place of LSCE, LSMI, SIR and SAVE with LSCDE, and of LSCDE on all inputs.
std::vector<Method> recommended_methods();

struct Fitted {
  std::unique_ptr<ConditionalDensity> model;  ///< of x, or of z = `components` (x - mean) / scale
  std::optional<Standardizer> scale = {};     ///< of x, where the model is of z
  Matrix components = {};                     ///< W; empty where nothing was reduced
  Index n_components = 0;

  GaussianMixtures laws(const MatrixView& x) const;
};

/// One thread; `seed` rules all that is random. `truth` is W* where it is known: then there are as
/// many components as it has rows; else they are chosen by cross-validation.
/// Throws std::invalid_argument for Scheme::truth without it, what the models throw.
Fitted fit(const Method& method, const Dataset& data, const std::optional<Matrix>& truth, Index seed);

}  // namespace condens::reproduce
