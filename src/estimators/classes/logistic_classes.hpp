#pragma once
// Multinomial logistic regression for the probabilities of a few classes given x:
//
//   log p_k(x) - log p_0(x) = a_k + b_k'z,   k > 0,   z the standardised inputs,
//
//   min  -sum_i w_i log p_{y_i}(x_i) + (ridge / 2) sum_k |b_k|^2.
//
// The ridge is that of the best log score of rows left out, by fits to at most 50,000 of the others. An input beyond
// the range of the rows of the fit counts as at its end, since no row has told that the line goes on.
//
// Source: S. le Cessie and J. C. van Houwelingen, Ridge estimators in logistic regression, Applied Statistics 41, 1992.

#include "class_rows.hpp"
#include "condens/data/standardizer.hpp"

namespace condens {

class LogisticClasses final : public ClassModel {
 public:
  /// Cost: some hundred passes over at most 50,000 rows for each fold, and some twenty over all.
  static FittedClasses fit(const ClassRows& data, std::uint64_t seed, const Run& run);

  Index n_inputs() const override { return scaling_.dimension(); }
  Matrix log_probabilities(const MatrixView& x, const Run& run) const override;
  Document to_document() const override;
  std::string description() const override { return "logistic regression"; }
  /// Throws FormatError for parts that do not fit together.
  static std::shared_ptr<const LogisticClasses> from_document(const Document& document);

 private:
  LogisticClasses(Standardizer scaling, Vector low, Vector high, Matrix coefficients, double ridge);

  Standardizer scaling_;
  Vector low_;  // ends of the inputs' ranges
  Vector high_;
  Matrix coefficients_;  // a_k and then b_k, a row for each k > 0
  double ridge_;
};

}  // namespace condens
