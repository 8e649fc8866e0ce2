#pragma once
// Replicates of a fit by the bootstrap over rows, for error bars of what the model says.
//
// Replicate r is the model fitted again to rows drawn with replacement, as many as there are, each with the weight
//
//   w_i c_ri,   (c_r1, ..., c_rn) ~ Multinomial(n; 1/n, ..., 1/n),
//
// with the tuning that was chosen on all rows. The spread over r of a functional of the replicates' distributions is
// that of its sampling distribution (bands.hpp).
//
// A model whose fit to reweighted rows is a few numbers (capabilities.hpp: Reweighs) keeps these numbers, a column a
// replicate; others keep what the replicates have that the model has not.
//
// Source: B. Efron, Bootstrap methods: another look at the jackknife, Ann. Statist. 7, 1979.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/options.hpp"
#include "condens/core/types.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/inner_model.hpp"
#include "condens/model/target_kind.hpp"

namespace condens {

class Replicates {
 public:
  /// Numbers of the replicates of a model that Reweighs, one column each. `classes`: the atoms' probabilities in each,
  /// empty where there are none.
  explicit Replicates(Matrix numbers, std::vector<std::shared_ptr<const ClassModel>> classes = {});
  /// Models of their own.
  explicit Replicates(std::vector<std::shared_ptr<ConditionalDensity>> models,
                      std::vector<std::shared_ptr<const ClassModel>> classes = {});

  /// What stands in for missing inputs, as in the model; before they are shared.
  void set_imputer(const std::shared_ptr<const InputImputer>& imputer);
  /// The map that calibrates them, as in the model; likewise.
  void set_calibration(const std::shared_ptr<const PitMap>& calibration);

  Index size() const { return models_.empty() ? numbers_.cols() : std::ssize(models_); }

  /// Replicate r of the model, and of what its target is told from.
  std::shared_ptr<const ConditionalDensity> density(const ConditionalDensity& model, Index r) const;
  std::optional<TargetDecoder> target(const std::optional<TargetDecoder>& model, Index r) const;

  /// As parts of a file that has the model.
  Document to_document(const ConditionalDensity& model) const;
  /// Throws FormatError for what does not fit together.
  static Replicates from_document(const Document& document, const ConditionalDensity& model,
                                  const std::optional<TargetDecoder>& target, const InnerLoader& load,
                                  const LoadClasses& load_classes);

 private:
  Matrix numbers_;
  std::vector<std::shared_ptr<ConditionalDensity>> models_;
  std::shared_ptr<const InputImputer> imputer_;
  std::shared_ptr<const PitMap> calibration_;
  std::vector<std::shared_ptr<const ClassModel>> classes_;
};

/// How a replicate comes from its draw of rows: by a fit, or by first derivatives at the fit to all rows.
enum class ReplicateMethod { refit, delta };
template <>
inline constexpr auto choice_names<ReplicateMethod> = std::array<std::string_view, 2>{"refit", "delta"};

/// The most that a fit can be asked for.
inline constexpr Index most_replicates = 10'000;

}  // namespace condens
