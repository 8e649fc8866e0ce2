#include "rows_here.hpp"

#include <optional>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/parallel.hpp"
#include "table_passes.hpp"

namespace condens {

RowsHere::RowsHere(const Dataset& rows, Accumulate accumulate, const Run& run)
    : RowSums(rows.x.rows(), rows.y.rows(), rows.groups),
      rows_(rows),
      accumulate_(accumulate),
      run_{.threads = run.threads, .observer = {}} {}

Document RowsHere::state_of(const Document& pass, const Dataset& block, Index first_row) const {
  if (pass.at("pass").as_string() == "several") {
    Document::Array each;
    for (const Document& own : pass.at("passes").as_array()) each.push_back(state_of(own, block, first_row));
    return Document::Object{{"each", std::move(each)}};
  }
  std::optional<Document> state = table_passes::accumulate(pass, block, first_row);
  return state ? *std::move(state) : accumulate_(pass, block, first_row, run_);
}

Document RowsHere::total(const Document& pass) {
  constexpr Index rows_of_block = 65'536;
  Document out;
  for (Index i = 0; i < block_count(rows_.size(), rows_of_block); ++i) {
    const Range range = block_range(rows_.size(), rows_of_block, i);
    const Dataset block = table_passes::neighbours(rows_, range);
    Document state = state_of(pass, block, range.begin);
    out = out.is_null() ? std::move(state) : merge_states(out, state);
    check_cancelled();
  }
  return out;
}

}  // namespace condens
