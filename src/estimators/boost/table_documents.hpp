#pragma once
// What the passes of boosted trees over a table hold (table_rows.hpp), written and read. They come from elsewhere and
// may be damaged: all that reads them throws FormatError for what is none.

#include <string_view>
#include <vector>

#include "condens/core/document.hpp"
#include "model/table_passes.hpp"
#include "models_in_memory.hpp"

namespace condens::boosting {

/// What a worker must know of a fit to begin.
struct TableSetup {
  table_passes::Scale scale;
  std::vector<trees::BinnedInput> inputs;  ///< in the units of the user, without codes
  Index folds;                             ///< 1: one model of all rows
  Index seed;
  double weight_unit;  ///< what weights are divided by
  StartingPoint start;

  Document to_document() const;
  static TableSetup from_document(const Document& document, Index n_inputs, Index n_targets);
};

/// The most numbers that the sums of a level may have.
inline constexpr double most_sums = 5e7;

[[noreturn]] void refuse_pass(std::string_view part, std::string_view expected);

/// A tree over `inputs` whose leaves have numbers below n_leaves; with steps one that is added to m and log s.
Document document_of(const GrownTree& tree);
GrownTree tree_of(const Document& document, const std::vector<trees::BinnedInput>& inputs, Index n_leaves);
GrownTree added_tree(const Document& document, const std::vector<trees::BinnedInput>& inputs);

/// Those of a document, one of every model.
const Document::Array& trees_of(const Document& document, Index n_models);

Document document_of(const Residuals& residuals);
Residuals residuals_of(const Document& document, Index n_targets);

/// What has happened: trees of all models for a target, and an offset of log s.
Document event_of(const std::vector<GrownTree>& trees, Index target);
Document event_of(const Vector& offset);

/// Of all inputs.
std::size_t bins_of(const std::vector<trees::BinnedInput>& inputs);

}  // namespace condens::boosting
