#pragma once
// Boosting itself: models that leave a part of the rows out each, round by round, and the distribution of what is left
// between the rounds (boost.hpp), wherever the rows are.

#include <cstdint>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/estimators/boost.hpp"
#include "residuals.hpp"
#include "tree_growth.hpp"

namespace condens::boosting {

/// Rounds between two looks at the rows left out.
inline constexpr Index rounds_between = 5;

/// Rows, at most, to which the distribution of what is left is fitted, and the random numbers that choose them.
inline constexpr Index rows_of_mixture = 20'000;
inline constexpr std::uint64_t stream_of_mixture = 1;

/// Random numbers of model k, and of rows that are drawn for a round.
inline constexpr std::uint64_t stream_of_models = 1'000;
inline constexpr std::uint64_t stream_of_rounds = 1'000'000;

inline constexpr double beta = 0.5;  ///< power of s^2 that weighs rows where m is fitted

/// I_m and I_s of a target.
struct Information {
  double location = 1;
  double scale = 2;
};

/// A score of the rows left out after some rounds: the mean negative log likelihood.
struct Checkpoint {
  Index rounds;
  double score;
  double standard_error;

  /// Of sums_of_losses.
  static Checkpoint of(Index rounds, const Vector& sums);
};

/// Over rows of weights v and losses l: v, v l, v^2, v^2 l, v^2 l^2. A loss above 1e100 counts as this.
Vector sums_of_losses(const Vector& weights, const Vector& losses);

/// Models in the making, each of the rows of all folds but its own, and what they leave of the rows left out (without
/// folds one model, of all rows): m and log s of every row, wherever the rows are.
class Models {
 public:
  Models() = default;
  Models(const Models&) = delete;
  Models& operator=(const Models&) = delete;
  virtual ~Models() = default;

  virtual Index n_targets() const = 0;
  /// So many rounds from round `first` on. Throws Cancelled.
  virtual void rounds(Index first, Index count, const Residuals& residuals,
                      const std::vector<Information>& information) = 0;
  /// To log s of all rows.
  virtual void add_to_log_scale(const Vector& offset) = 0;

  /// e of some rows left out, d_y x rows_of_mixture at most, always the same ones, and their weights.
  virtual Matrix some_left_over() = 0;
  virtual const Vector& weights_of_some() const = 0;

  virtual Checkpoint look(Index done, const Residuals& residuals) = 0;
  /// The rounds so far are the best ones yet.
  virtual void keep() {}
  virtual std::vector<std::vector<GrownTree>> take_trees() = 0;
};

/// Its steps as they are added to m and log s.
void shrink(GrownTree& tree, double learning_rate);

struct Boosted {
  std::vector<std::vector<GrownTree>> trees;  ///< of every model, as many for each target, with steps as they are added
  std::vector<Index> targets;                 ///< of the trees of a model
  Residuals residuals;
  Vector first_log_scale = {};  ///< d_y: log s before the first round, in the unit of `residuals`
  Index rounds = 0;
  std::vector<Checkpoint> checkpoints = {};
};

/// From log s = `log_scale` before the first round; `folds`: whether rows are left out. Throws Cancelled. The task
/// advances by one a round.
Boosted boost(Models& models, const Vector& log_scale, bool folds, const BoostOptions& options, Task& task);

}  // namespace condens::boosting
