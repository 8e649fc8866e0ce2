#pragma once
// Models in the making (rounds.hpp) whose rows are elsewhere: the driver of the passes of table_rows.hpp. A round takes
// a pass for every level of its trees, of all models at once.

#include <vector>

#include "condens/model/row_sums.hpp"
#include "rounds.hpp"
#include "table_documents.hpp"

namespace condens::boosting {

class ModelsOfTable final : public Models {
 public:
  /// Of a table of n_rows rows; borrows what it is given.
  ModelsOfTable(RowSums& table, const TableSetup& setup, const BoostOptions& options, Index n_rows, Task& task);
  ~ModelsOfTable() override;

  Index n_targets() const override { return table_.n_targets(); }
  void rounds(Index first, Index count, const Residuals& residuals,
              const std::vector<Information>& information) override;
  void add_to_log_scale(const Vector& offset) override;
  Matrix some_left_over() override;
  const Vector& weights_of_some() const override { return some_.weights; }
  Checkpoint look(Index done, const Residuals& residuals) override;
  void keep() override { kept_events_ = events_.size(); }
  std::vector<std::vector<GrownTree>> take_trees() override { return std::move(trees_); }

  /// Sums of the losses of the rows left out, by the rounds that were kept. Nothing can be asked after that.
  Vector score(const Residuals& residuals, const Defensive& defensive);

 private:
  Document ask(Document pass, std::size_t events);
  void grow(const Residuals& residuals, const std::vector<Information>& information, Index round, Index target);

  RowSums& table_;
  const TableSetup& setup_;
  const BoostOptions& options_;
  Task& task_;
  Document setup_document_;
  Index fit_;  // its number, by which workers know it
  double share_;
  std::vector<RandomStream> random_;  // of every model
  std::vector<TreeGrowth> growing_;
  std::vector<std::vector<GrownTree>> trees_;
  Document::Array events_;
  std::size_t kept_events_ = 0;
  std::size_t told_ = 4;  // events that every pass tells, at least

  Dataset some_;  // rows to which the distribution of what is left is fitted, standardised
  Vector places_;
  bool known_ = false;  // whether these are of all events
  Matrix location_;
  Matrix log_scale_;
};

}  // namespace condens::boosting
