#pragma once
// Fits of an inner model (inner_model.hpp) with what the outer one decides for it: the score,
// the folds, the seed, and what becomes of given centres; scores on held-out rows; fits side by side.

#include <functional>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/model/inner_model.hpp"
#include "condens/model/scoring.hpp"

namespace condens {

class InnerFits {
 public:
  /// `given` are the user's options of the inner model. Throws std::invalid_argument where they
  /// name what is the outer model's to set, or centres [x, y] that do not fit `data`.
  InnerFits(std::string_view owner, const InnerModel& inner, const Document& given, Scoring scoring, Index seed,
            const Dataset& data);

  /// The model of `data`; `move` takes given centres of all inputs to those of `data`.
  std::unique_ptr<ConditionalDensity> fit(const Dataset& data, const std::vector<double>& cv,
                                          const std::function<Matrix(const Matrix&)>& move, const Run& run) const;

  /// Whether the model compares its own candidates by the folds that it is given.
  bool takes_folds() const { return has_cv_; }

  /// The mean score of the rows of `data`, for y in standard deviations of all data.
  double score(const ConditionalDensity& model, const Dataset& data, const Run& run) const;

 private:
  const InnerModel& inner_;
  Scoring scoring_;
  double log_scale_;  // of y: held-out scores are those of y in standard deviations, as reported ones
  Document given_ = Document(Document::Object{});
  bool has_cv_ = false;
};

/// body(0, run), ..., body(count - 1, run) side by side: what one fit shares out over threads is
/// little. Each advances the task by one; all stop with it. One `at_once` is on the calling thread, with all threads to
/// itself.
inline constexpr Index all_at_once = std::numeric_limits<Index>::max();
void fit_side_by_side(Index count, const Run& run, Task& task, const std::function<void(Index, const Run&)>& body,
                      Index at_once = all_at_once);

/// The mean of the scores of folds, and its standard error.
struct FoldScore {
  double mean;
  double standard_error;
};
FoldScore fold_score(const Vector& scores);

}  // namespace condens
