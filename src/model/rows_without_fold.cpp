#include "rows_without_fold.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "condens/data/folds.hpp"
#include "table_passes.hpp"

namespace condens {

RowsWithoutFold::RowsWithoutFold(RowSums& table, const FoldOfPlaces& left_out)
    : RowSums(table.n_inputs(), table.n_targets(), table.groups()),
      table_(table),
      left_out_(left_out),
      weight_factor_(table_passes::extent_of(table).weight_factor()) {}

Document RowsWithoutFold::total(const Document& pass) {
  return table_.total(Document::Object{{"pass", "without fold"},
                                       {"folds", left_out_.folds},
                                       {"seed", left_out_.seed},
                                       {"fold", left_out_.fold},
                                       {"weight_factor", weight_factor_},
                                       {"inside", pass}});
}

BlockWithoutFold block_without_fold(const Document& pass, const Dataset& block, Index first_row) {
  const Index folds = table_passes::count_of(pass, "folds", 2, table_passes::most_folds);
  const Index own = table_passes::count_of(pass, "fold", 0, folds - 1);
  const double factor = table_passes::width_of(pass, "weight_factor");
  // From the first of the neighbours that the block's first row is one of.
  const Index before = first_row % folds;
  const std::vector<Index> fold = folds_of_places(first_row - before, before + block.size(), folds,
                                                  static_cast<std::uint64_t>(pass.at("seed").as_integer()));
  const Index left_out = first_row / folds + std::count(fold.begin(), fold.begin() + before, own);
  std::vector<Index> rows;
  for (Index i = 0; i < block.size(); ++i) {
    if (fold[static_cast<std::size_t>(before + i)] != own) rows.push_back(i);
  }
  BlockWithoutFold out{block.subset(rows), first_row - left_out};
  if (factor != 1 && block.weights.size() == 0) out.rows.weights = Vector::Ones(out.rows.size());
  out.rows.weights *= factor;
  return out;
}

}  // namespace condens
