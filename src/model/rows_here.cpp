#include "rows_here.hpp"

#include <optional>

#include "condens/core/cancellation.hpp"
#include "condens/core/parallel.hpp"
#include "table_passes.hpp"

namespace condens {

RowsHere::RowsHere(const Dataset& rows, Accumulate accumulate, const Run& run)
    : RowSums(rows.x.rows(), rows.y.rows(), rows.groups),
      rows_(rows),
      accumulate_(accumulate),
      run_{.threads = run.threads, .observer = {}} {}

Document RowsHere::total(const Document& pass) {
  constexpr Index rows_of_block = 65'536;
  Document out;
  for (Index i = 0; i < block_count(rows_.size(), rows_of_block); ++i) {
    const Range range = block_range(rows_.size(), rows_of_block, i);
    const Dataset block = table_passes::neighbours(rows_, range);
    std::optional<Document> state = table_passes::accumulate(pass, block, range.begin);
    if (!state) state = accumulate_(pass, block, range.begin, run_);
    out = out.is_null() ? *std::move(state) : merge_states(out, *state);
    check_cancelled();
  }
  return out;
}

}  // namespace condens
