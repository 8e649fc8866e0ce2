#pragma once
// Gradient-boosted trees for the probabilities of a few classes given x:
//
//   p_k(x) = e^F_k(x) / sum_j e^F_j(x),   F_0 = 0,
//
// each F_k the logarithm of the classes' odds in the data plus a sum of trees. A round adds a tree to every F_k, k > 0,
// by a Newton step of the log likelihood: of row i the derivative is 1{y_i = k} - p_k(x_i), the information
// p_k (1 - p_k). The number of rounds is that of the best log score of rows left out, each by a model of its own that
// has not seen them; predictions average F over the models.
//
// Source: J. H. Friedman, Greedy function approximation: a gradient boosting machine, Ann. Statist. 29, 2001, section
// 4.6, with the Newton steps of J. Friedman, T. Hastie and R. Tibshirani, Additive logistic regression, Ann. Statist.
// 28, 2000, section 5.

#include <memory>

#include "class_rows.hpp"
#include "estimators/boost/ensemble.hpp"
#include "estimators/trees/saved_trees.hpp"

namespace condens {

class BoostedClasses final : public ClassModel {
 public:
  /// Cost: that of `boost` with as many targets.
  static FittedClasses fit(const ClassRows& data, std::uint64_t seed, const Run& run);

  Index n_inputs() const override { return n_inputs_; }
  Matrix log_probabilities(const MatrixView& x, const Run& run) const override;
  Document to_document() const override;
  std::string description() const override { return "boosted trees"; }
  /// Throws FormatError for parts that do not fit together.
  static std::shared_ptr<const BoostedClasses> from_document(const Document& document);

 private:
  BoostedClasses(Index n_inputs, Vector start, Index n_models, BoostState trees);

  Index n_inputs_;
  Vector start_;  // F_k before the first round, k > 0
  Index n_models_;
  BoostState state_;  // its trees; "targets" are classes less one
  std::unique_ptr<const trees::SavedTrees> trees_;
};

}  // namespace condens
