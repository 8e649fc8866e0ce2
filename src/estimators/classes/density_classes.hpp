#pragma once
// The probabilities of a few classes given x by any conditional density: the classes' numbers 0, 1, 2, ... are its
// target, spread evenly over their intervals as the values of grades are (condens/model/target_kind.hpp), and
//
//   p_k(x) = P(k - 1/2 < Y <= k + 1/2 | x),   the first and the last interval without end.

#include <functional>
#include <memory>

#include "class_rows.hpp"
#include "condens/model/inner_model.hpp"

namespace condens {

class DensityClasses final : public ClassModel {
 public:
  using Fit = std::function<std::unique_ptr<ConditionalDensity>(const Dataset&, const Run&)>;

  /// Throws FormatError for a density of several targets, for less than two classes, and for more than 1,000.
  DensityClasses(std::shared_ptr<const ConditionalDensity> density, Index n_classes);

  /// To some of the rows of `data`. Cost: that of `density`. Throws what it throws.
  static std::shared_ptr<const DensityClasses> fit(const ClassRows& data, const std::vector<Index>& rows,
                                                   std::uint64_t seed, const Fit& density, const Run& run);

  Index n_inputs() const override { return density_->n_inputs(); }
  Matrix log_probabilities(const MatrixView& x, const Run& run) const override;
  Document to_document() const override;
  std::string description() const override { return std::string(density_->model_name()); }
  /// Throws FormatError for parts that do not fit together.
  static std::shared_ptr<const DensityClasses> from_document(const Document& document, const InnerLoader& load);

 private:
  std::shared_ptr<const ConditionalDensity> density_;
  TargetSupport support_;
};

}  // namespace condens
