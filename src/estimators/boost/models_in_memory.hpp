#pragma once
// Models in the making (rounds.hpp) whose rows are in memory.

#include <vector>

#include "growing.hpp"
#include "rounds.hpp"

namespace condens::boosting {

/// Where m and log s start, and bounds of log s wherever it is used; d_y each.
struct StartingPoint {
  Vector location;
  Vector log_scale;
  Vector least_log_scale;
  Vector greatest_log_scale;
};

/// What all models share.
struct BoostingData {
  std::vector<trees::BinnedInput> inputs;
  Matrix y;                 ///< d_y x n, standardised
  Vector weights;           ///< n, > 0; mean at least 1
  std::vector<Index> fold;  ///< of every row; empty: one model of all rows
  Index n_models;
  StartingPoint start;
};

/// Share of the rows of a model, of n rows and as many models, of which a tree is made; at least 1 of all.
double share_drawn(const BoostOptions& options, Index n, Index n_models);

/// Whether a row is drawn for model `number` of as many by the row's key of a round: for tables of more than
/// most_rows_at_once rows (data/folds.hpp), whose random numbers follow from places.
inline bool is_drawn(double key, double share, Index number, Index n_models) {
  const double own = key + static_cast<double>(number) / static_cast<double>(n_models);
  return (own < 1 ? own : own - 1) < share;
}

/// Keys of so many rows from a place on, for a round.
std::vector<double> keys_of_round(Index seed, Index round, Index first_row, Index count);

/// One of them: m and log s of all rows, be they left out or not.
class Model {
 public:
  Model(const BoostingData& data, const BoostOptions& options, Index number, int threads);

  /// `keys` of all rows, where those that are drawn follow from them; else empty.
  void round(const Residuals& residuals, const std::vector<Information>& information, const std::vector<double>& keys);

  /// Adds to log s of all rows.
  void add_to_log_scale(const Vector& offset) { log_scale_.colwise() += offset; }

  std::vector<GrownTree> take_trees() { return std::move(trees_); }

  /// e and log s of the rows left out, into columns of matrices of all rows.
  void tell(Matrix& left_over, Matrix& log_scale) const;

 private:
  double bounded(Index target, Index row) const;
  std::vector<Index> draw(const std::vector<double>& keys);
  template <class Body>
  void by_blocks(const std::vector<Index>& drawn, const Body& body) const;
  Matrix left_over(const std::vector<Index>& drawn, const Range& range) const;
  double mean_log_scale(const std::vector<Index>& drawn, Index target) const;
  GrownTree grow(const std::vector<Index>& drawn, const Residuals& residuals, const Information& information,
                 Index target);
  GrownTree grow_natural(const std::vector<Index>& drawn, Index target, bool of_location);
  void step(GrownTree tree, Index target);
  void natural_step(const std::vector<Index>& drawn, Index target);

  const BoostingData& data_;
  const BoostOptions& options_;
  Index number_;
  int threads_;
  RandomStream random_;
  Grower grower_;
  std::vector<Index> rows_;
  std::vector<Index> left_out_;
  Matrix location_;   // d_y x n
  Matrix log_scale_;  // sums of steps: bounds hold where they are used
  std::vector<GrownTree> trees_;
};

class ModelsInMemory final : public Models {
 public:
  /// Borrows what it is given.
  ModelsInMemory(const BoostingData& data, const BoostOptions& options, Task& task);

  Index n_targets() const override { return data_.y.rows(); }
  void rounds(Index first, Index count, const Residuals& residuals,
              const std::vector<Information>& information) override;
  void add_to_log_scale(const Vector& offset) override;
  Matrix some_left_over() override { return left_over_(Eigen::all, some_); }
  const Vector& weights_of_some() const override { return weights_of_some_; }
  Checkpoint look(Index done, const Residuals& residuals) override;
  void keep() override;
  std::vector<std::vector<GrownTree>> take_trees() override;

  /// m and log s of every row by the rounds that were kept, by the model that left it out.
  Matrix location() const;
  const Matrix& log_scale() const { return kept_log_scale_; }

 private:
  template <class Body>
  void for_models(const Body& body);

  const BoostingData& data_;
  const BoostOptions& options_;
  Task& task_;
  int side_by_side_;
  std::vector<Model> models_;
  std::vector<Index> some_;
  Vector weights_of_some_;
  Matrix left_over_;  // d_y x n: e of every row by the model that left it out (without folds, of the one model)
  Matrix log_scale_;  // d_y x n, likewise
  Matrix kept_left_over_;
  Matrix kept_log_scale_;
};

}  // namespace condens::boosting
