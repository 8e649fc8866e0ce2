#pragma once
// What a fitted model of some inputs leaves unexplained, on rows held out: scores of location and spread that do not
// depend on the inputs where the model is right, and tests of whether they depend on an input that it does not have.

#include "condens/estimators/lscde.hpp"

namespace condens::salscde {

/// u = P(y_k below its value | x) and v^2, v the mass of the smallest region of the law that holds it, for every target
/// k, n x 2 d_y: of every fold by a fit with `options` to the other rows, at the widths and the penalty of `model`.
/// `data` has the inputs of the model, and rows of positive weight.
Matrix held_out_scores(const Dataset& data, const LscdeOptions& options, const Lscde& model,
                       const std::vector<Index>& fold, const Run& run);

/// The inputs on which these scores depend given the rows `known` of x, at a family-wise level (Bonferroni).
struct Found {
  std::vector<double> inputs;    ///< by their place among data.inputs(), rising
  std::vector<double> p_values;  ///< times the number of inputs tested
};
Found test_inputs(const Dataset& data, const Matrix& scores, const std::vector<Index>& known, double level,
                  const Run& run);

}  // namespace condens::salscde
