#pragma once
// What kind of number a target is, and how a conditional density of real numbers becomes one of that kind.
//
//   real              any number
//   positive          y > 0: fitted as x(y), the map of target_support.hpp with lower end 0
//   bounded:LOW,HIGH  LOW <= y <= HIGH: the same with two ends; values at an end are atoms
//   count             0, 1, 2, ...: fitted to points drawn evenly from intervals around them, by the same map
//   ordinal           a few values in order, as grades or rounded numbers: the same without a map
//   with-atoms        some values come again and again, as zero claims or a cap: boosted trees say how likely
//                     each is given x; a density is for the rest, and ends at an atom that nothing goes beyond
//   auto              one of these, by what the values look like
//
// The reach of the map is that of five which gives rows left out the highest likelihood under a simple model.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "condens/data/dataset.hpp"
#include "condens/distributions/target_distributions.hpp"
#include "condens/model/conditional_density.hpp"

namespace condens {

enum class TargetName { automatic, real, positive, bounded, count, ordinal, with_atoms };

struct TargetKind {
  TargetName name = TargetName::real;
  double lower = -infinity;  ///< of bounded
  double upper = infinity;

  /// Reads "positive", "bounded:0,1", ... Throws std::invalid_argument that lists the kinds.
  static TargetKind parse(std::string_view text);
  std::string text() const;

  /// What the values look like: never automatic.
  static TargetKind of(const VectorView& y);
  /// This kind or, of automatic, what the one target looks like; several are real.
  TargetKind of_targets(const MatrixView& y) const;
};

/// Why the values look like this kind, as part of a sentence.
std::string reason_for(const TargetKind& kind, const VectorView& y);

/// Throws std::invalid_argument, with the place, for the first value that a target of this support cannot take.
void require_possible(const TargetSupport& support, const VectorView& y, const PlaceOfRow& place);

/// The probabilities of classes 0, 1, 2, ... given x.
class ClassModel {
 public:
  virtual ~ClassModel() = default;
  virtual Index n_inputs() const = 0;
  /// Their logarithms at every column of x, classes x n.
  virtual Matrix log_probabilities(const MatrixView& x, const Run& run) const = 0;
  virtual Document to_document() const = 0;
  /// What it is, in words: "boosted trees".
  virtual std::string description() const = 0;
};
using LoadClasses = std::function<std::shared_ptr<const ClassModel>(const Document&)>;

/// From distributions of the coded target to those of the target.
class TargetDecoder {
 public:
  /// A reach that was tried and its mean log score of rows left out.
  struct Trial {
    double reach;  ///< infinite: a logarithm; 0: no map
    double score;
  };

  TargetDecoder(TargetKind kind, TargetSupport support) : kind_(kind), support_(std::move(support)) {}

  const TargetKind& kind() const { return kind_; }
  const TargetSupport& support() const { return support_; }
  const std::vector<Trial>& trials() const { return trials_; }
  /// The model of the atoms' numbers: 0 for no atom, 1, 2, ... for each; or nullptr.
  const ClassModel* atom_model() const { return atom_model_.get(); }
  /// The same with other probabilities of the atoms. Throws FormatError where these do not fit.
  TargetDecoder with_atom_model(std::shared_ptr<const ClassModel> atom_model, Index n_inputs) const;

  /// The distributions of the target at every column of x.
  TargetDistributions predict(const ConditionalDensity& coded, const MatrixView& x, const Run& run = {}) const;

  /// Of every pair of columns, without keeping the distributions.
  Vector log_density(const ConditionalDensity& coded, const MatrixView& x, const MatrixView& y,
                     const Run& run = {}) const;

  Document to_document() const;
  /// Throws FormatError for what does not fit together.
  static TargetDecoder from_document(const Document& document, Index n_inputs, const LoadClasses& load);

 private:
  friend class TargetEncoder;
  Matrix atom_log_probabilities(const InputImputer* imputer, const MatrixView& x, const Run& run) const;

  TargetKind kind_;
  TargetSupport support_;
  std::vector<Trial> trials_;
  std::shared_ptr<const ClassModel> atom_model_;
};

/// Makes the data that densities are fitted to.
class TargetEncoder {
 public:
  using Fit = std::function<std::unique_ptr<ConditionalDensity>(const Dataset&, const Run&)>;

  /// Throws std::invalid_argument, with the place of the row, for a value that is not of the kind, and for rows that
  /// leave nothing to fit.
  TargetEncoder(const Dataset& data, TargetKind kind, std::uint64_t seed, const PlaceOfRow& place);

  const TargetKind& kind() const { return kind_; }
  const TargetSupport& support() const { return support_; }

  /// Tries reaches of the map with models by `fit`, of 2,000 rows at most.
  void choose_map(const Fit& fit, const Run& run);

  /// The rows that are no atoms, and their places among all.
  const std::vector<Index>& rest() const { return rest_; }
  Dataset coded() const;
  bool has_atoms() const { return !support_.atoms.empty(); }
  /// All rows; the target the atom's number.
  Dataset atom_numbers() const;

  TargetDecoder decoder(std::shared_ptr<const ClassModel> atom_model) const;

 private:
  Dataset coded(const std::vector<Index>& rows, const TargetSupport& support) const;

  const Dataset& data_;
  TargetKind kind_;
  std::uint64_t seed_;
  TargetSupport support_;
  std::vector<Index> rest_;
  std::vector<TargetDecoder::Trial> trials_;
};

}  // namespace condens
