#pragma once
// The methods of Tables 1 and 2 as rows of one table: a label, and the model of the registry, the preset and the
// options that stand for it.

#include <memory>
#include <string>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/conditional_density.hpp"

namespace condens::reproduce {

enum class Origin {
  paper,       ///< a column of the tables
  reading,     ///< another reading of a column
  recommended  ///< what this library recommends
};

struct Method {
  std::string label;  ///< without commas
  std::string model;
  std::string preset;
  Document options;
  Origin origin;
  std::size_t column = 0;  ///< of the printed tables, for Origin::paper
  bool ratio = false;      ///< of `rkde`: scored as p(x, y) / p(x), whose integral over y is not one
  bool steps = false;      ///< of `kqr`: scored as the finite differences of its quantiles, zero outside of these
};

/// All, in the order of the tables.
std::vector<Method> table_methods();

/// The paper's methods, the rivals made as weak as its words allow: coarse candidates, no decay, finite differences, no
/// normalisation.
std::vector<Method> weakened_methods();

/// The models that `auto` pools where data are small, as labels.
const std::vector<std::string>& pooled_labels();
inline constexpr const char* auto_label = "auto";

bool takes_several_targets(const Method& method);

/// Of the test rows, on the user's scale.
Vector log_density(const Method& method, const ConditionalDensity& model, const Dataset& test);

/// One thread; `seed` rules all that is random.
std::unique_ptr<ConditionalDensity> fit(const Method& method, const Dataset& data, Index seed);

}  // namespace condens::reproduce
