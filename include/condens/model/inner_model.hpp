#pragma once
// A model inside another one - of the inputs that a selection keeps, of the directions that a
// reduction finds - as the outer one sees it, which knows none by name.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "condens/core/options.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/row_sums.hpp"

namespace condens {

struct InnerModel {
  std::vector<OptionInfo> options;
  std::function<std::unique_ptr<ConditionalDensity>(const Dataset&, const Document& options, const Run&)> fit;
  bool joint = false;  ///< the score that it reports is that of inputs and targets together
  /// The same fit of rows that are elsewhere; empty where the model is no sum over rows.
  std::function<std::unique_ptr<ConditionalDensity>(RowSums&, const Document& options, const Run&)> fit_by_sums = {};
};

/// {"model": name, "parameters": ...}.
inline Document inner_document(const ConditionalDensity& inner) {
  return Document::Object{{"model", inner.model_name()}, {"parameters", inner.to_document()}};
}

/// Makes an inner model from such a document.
using InnerLoader = std::function<std::unique_ptr<ConditionalDensity>(const Document&)>;

/// Finds a member by its name, with the preset of all members. Throws std::invalid_argument for none.
using MemberFinder = std::function<InnerModel(const std::string& name)>;

}  // namespace condens
