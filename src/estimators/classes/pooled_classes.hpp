#pragma once
// The probabilities of a few classes given x, by boosted trees, logistic regression and, where one is given, a density:
//
//   p_k(x) = sum_m w_m p_mk(x),   w the mixing weights of the best log score of rows that each member has not seen.
//
// A density, whose fit may take long, is fitted to 12,500 rows at most, and without the first fold alone where that has
// no use for it.
//
// Source: Y. Yao, A. Vehtari, D. Simpson and A. Gelman, Using stacking to average Bayesian predictive distributions,
// Bayesian Analysis 13, 2018.

#include <memory>
#include <optional>

#include "class_rows.hpp"
#include "density_classes.hpp"
#include "model/input_gain.hpp"

namespace condens {

class PooledClasses final : public ClassModel {
 public:
  /// Throws FormatError for members and weights that do not fit together.
  PooledClasses(std::vector<std::shared_ptr<const ClassModel>> members, Vector weights);

  Index n_inputs() const override { return members_.front()->n_inputs(); }
  Matrix log_probabilities(const MatrixView& x, const Run& run) const override;
  Document to_document() const override;
  std::string description() const override;

 private:
  std::vector<std::shared_ptr<const ClassModel>> members_;
  Vector weights_;
};

struct ClassFit {
  std::shared_ptr<const ClassModel> model;
  /// What the inputs are worth: log p_k(x) of rows left out less the logarithm of the share of the row's class k.
  /// Nothing without inputs, or where there are too few rows to leave any out.
  std::optional<InputGain> gain;
};

/// The one target of `data` is the class: 0, 1, 2, ..., each at least once. A pool, or the one member that has all
/// weight; a density that cannot be fitted is no member. Cost: that of `boost` with as many targets, and one fit of
/// the density or six.
ClassFit fit_classes(const Dataset& data, std::uint64_t seed, const Run& run, const DensityClasses::Fit& density = {});

/// Throws FormatError for parts that do not fit together.
std::shared_ptr<const ClassModel> load_classes(const Document& document, const InnerLoader& load_density);

}  // namespace condens
