#pragma once
// A conditional density that looks at some of its inputs only: p(y|x) = p(y|x_S), by any
// model of the inputs S. What chose S is for the classes derived from it to say.

#include <memory>
#include <vector>

#include "condens/data/dataset.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/inner_model.hpp"

namespace condens {

/// The data with these rows of x (of x_unlabeled, too), in that order.
Dataset select_inputs(const Dataset& data, const std::vector<Index>& rows);

/// The inputs, as rows of x, that vary: those that a selection may choose from.
std::vector<std::vector<Index>> varying_inputs(const Dataset& data);

class SubsetDensity : public ConditionalDensity, public SelectsInputs {
 public:
  /// The model of the inputs of the subset.
  const ConditionalDensity& inner() const { return *inner_; }

  /// The rows of x that belong to the subset, rising.
  const std::vector<Index>& rows() const { return rows_; }

  Vector support() const override;

  /// That of the inner model; scale 0 outside of the subset.
  Standardizer input_scale() const override;

 protected:
  struct Parts {
    Index dimension;          ///< of x
    std::vector<Index> rows;  ///< of x that the subset has
    std::shared_ptr<const ConditionalDensity> inner;

    Index n_inputs() const { return dimension; }
    Index n_targets() const { return inner->n_targets(); }
  };
  /// `rows` are among 0, ..., dimension - 1. Throws FormatError unless they are, rise, and `inner`
  /// has as many inputs.
  SubsetDensity(Parts parts, FitReport report);

  GaussianMixtures laws(const MatrixView& x) const override;

  /// What `inner` reports, its inputs numbered as those of x; "input 2 is constant ..." for
  /// every row of `x` that is.
  static FitReport report_of(const ConditionalDensity& inner, const std::vector<Index>& rows, const Dataset& data);

  /// "support" and "inner" of a model's document, and their inverse.
  void write(Document& document) const;
  static Parts read(const Document& document, const InnerLoader& load);

 private:
  std::vector<Index> rows_;
  std::shared_ptr<const ConditionalDensity> inner_;
};

}  // namespace condens
