#pragma once
// The estimators that are compared, as rows of one table: a label, and the model of the registry, the preset and
// the options that stand for it.

#include <memory>
#include <string>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/model/conditional_density.hpp"
#include "printed.hpp"

namespace condens::reproduce {

struct Method {
  std::string label;  ///< without commas
  std::string model;
  std::string preset;
  Document (*options)(const PrintedTable&);         ///< what the paper sets for a table
  Document changes = Document(Document::Object{});  ///< of these options
};

/// The five of the paper with the settings that it prints, on the scale of the data.
const std::vector<Method>& paper_methods();

/// SKD as the paper, but with the minimiser of (39) for weights where the multiplicative updates may end elsewhere.
const Method& exact_method();

/// GSKD as the paper, but for the search of a kernel: by gradients from several starts.
const Method& gradient_method();

/// What the library recommends; nothing is told.
const std::vector<Method>& recommended_methods();

/// The paper's SKD, RSDE and GSKD, and each with another reading of something that the paper does not print.
const std::vector<Method>& reading_methods();

/// Those that the registry has.
std::vector<Method> available(std::vector<Method> methods);

/// All methods of the tables that the registry has.
std::vector<Method> available_methods();

/// Names of models that the registry lacks.
std::vector<std::string> missing_models();

/// The density of the columns of `samples`; one thread; `seed` rules all that is random.
std::unique_ptr<ConditionalDensity> fit(const Method& method, const PrintedTable& table, const Matrix& samples,
                                        Index seed);

}  // namespace condens::reproduce
