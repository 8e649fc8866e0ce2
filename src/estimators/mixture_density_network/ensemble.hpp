#pragma once
// The networks of a mixture density network side by side, and the cross-validation of their size.

#include <vector>

#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "training.hpp"

namespace condens::mdn {

struct Ensemble {
  Training training;
  Index n_members = 1;
  Index n_starts = 1;
  double validation_fraction = 0;
  std::uint64_t seed = 0;
  /// Of each row, where these say which ones a network holds out: the first network fold 0, the second fold 1, ..., and
  /// after the last of `folds` fold 0 again. Else the rows are drawn.
  std::vector<Index> fold = {};
  Index folds = 0;
};

struct Member {
  Trained best;
  Vector train_losses;       ///< of every start
  Vector validation_losses;  ///< of every start; empty without validation rows
};

/// `rows` with weights. The bits do not depend on the threads.
std::vector<Member> train_ensemble(const Ensemble& ensemble, const Dataset& rows, const Run& run);

/// Rows that stop the training of a network when `n` are there: none when they would be fewer than 3.
Index n_validation_rows(double fraction, Index n);

struct Candidate {
  double n_components;
  double units;
  double regularization;
  double score = 0;  ///< mean over folds of the mean held-out -log p
  double standard_error = 0;
  Vector folds = {};  ///< the mean held-out -log p of each
};

/// One network for each candidate and fold; `adam_rows`: with more training rows, Adam.
void score_candidates(std::vector<Candidate>& candidates, const Ensemble& ensemble, const Dataset& rows,
                      const std::vector<Index>& fold, const Defensive& defensive, const Run& run);

/// Where inputs may lie: the range of the training rows and a quarter of it on either side. A network knows
/// nothing of what lies further out; its linear part would go on for ever.
struct InputRange {
  Vector low;
  Vector high;

  static InputRange of(const MatrixView& x);
  Matrix clip(const MatrixView& x) const;
};

}  // namespace condens::mdn
