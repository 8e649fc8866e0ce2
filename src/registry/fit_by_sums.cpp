// Fits of rows that are elsewhere (condens/model/row_sums.hpp), for every model that can.

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/data/folds.hpp"
#include "condens/registry.hpp"
#include "core/names.hpp"
#include "model/projected_rows.hpp"
#include "model/rows_without_fold.hpp"
#include "model/selected_rows.hpp"
#include "model/table_passes.hpp"

namespace condens {

namespace {

/// Without those of weight zero. Those of weights below zero would be left out as well, without a word.
const Dataset& counted_rows(const Dataset& data, Dataset& storage) {
  const Vector& weights = data.weights;
  const bool fit = weights.size() == 0 || (weights.size() == data.size() && (weights.array() >= 0).all());
  require(fit, "BlocksInMemory: weights: there are ", weights.size(), " for ", data.size(),
          " rows, or some are below zero or NaN; expected a weight >= 0 for every row, or none");
  return rows_that_count(data, storage);
}

}  // namespace

Document accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run) {
  require(first_row >= 0, "accumulate: first_row = ", first_row, ", expected the place of the block's first row, >= 0");
  if (std::optional<Document> state = table_passes::accumulate(pass, block, first_row)) return *std::move(state);
  const std::string& name = pass.at("pass").as_string();
  if (name == "several") {
    Document::Array states;
    for (const Document& own : pass.at("passes").as_array()) states.push_back(accumulate(own, block, first_row, run));
    return Document::Object{{"each", std::move(states)}};
  }
  if (name == "project") return accumulate(pass.at("inside"), projected_block(pass, block), first_row, run);
  if (name == "select") return accumulate(pass.at("inside"), selected_block(pass, block), first_row, run);
  if (name == "without fold") {
    const BlockWithoutFold left = block_without_fold(pass, block, first_row);
    if (left.rows.size() == 0) return Document::Object{};
    return accumulate(pass.at("inside"), left.rows, left.first_row, run);
  }
  for (const ModelInfo& info : models()) {
    if (info.name == name && info.accumulate) return info.accumulate(pass, block, first_row, run);
  }
  throw FormatError(message("accumulate: unknown pass '", name, "'; it may come from a newer condens"));
}

namespace {

std::unique_ptr<ConditionalDensity> whole_fit_by_sums(const ModelInfo& info, RowSums& table, std::string_view preset,
                                                      const Document& options, const Run& run) {
  return detail::whole_fit(info.class_name, table_passes::first_rows(table), run,
                           [&](const Run& inside) { return info.fit_by_sums(table, preset, options, inside); });
}

}  // namespace

std::unique_ptr<ConditionalDensity> detail::fit_table(const ModelInfo& info, RowSums& table, std::string_view preset,
                                                      const Document& options, const Run& run) {
  if (table_passes::extent_of(table).rows <= most_rows_at_once)
    return info.fit(table_passes::all_rows(table), preset, options, run);
  return whole_fit_by_sums(info, table, preset, options, run);
}

std::unique_ptr<ConditionalDensity> fit_by_sums(const ModelInfo& info, RowSums& table, std::string_view preset,
                                                const Document& options, Index gather_rows, const Run& run) {
  const Index rows = table_passes::extent_of(table).rows;
  if (rows <= gather_rows) return fit_model(info, table_passes::all_rows(table), preset, options, run);
  require(static_cast<bool>(info.fit_by_sums), info.class_name, ": is no sum over rows and needs all ", rows,
          " of them in memory; expected one of ", list_names(models_that("sums_over_rows")),
          ", or a sample of the rows");
  return whole_fit_by_sums(info, table, preset, options, run);
}

BlocksInMemory::BlocksInMemory(const Dataset& data, Index rows_of_block, const Run& run)
    : RowSums(data.x.rows(), data.y.rows(), data.groups),
      data_(counted_rows(data, storage_)),
      rows_of_block_(rows_of_block),
      run_(run) {}

Document BlocksInMemory::total(const Document& pass) {
  Document out;
  for (Index i = 0; i < block_count(data_.size(), rows_of_block_); ++i) {
    const Range rows = block_range(data_.size(), rows_of_block_, i);
    Document state =
        accumulate(pass, table_passes::neighbours(data_, rows), rows.begin, {.threads = run_.threads, .observer = {}});
    out = out.is_null() ? std::move(state) : merge_states(out, state);
  }
  return out;
}

BlocksOfTable::BlocksOfTable(EncodedBlocks& rows, std::size_t memory, const Run& run)
    : RowSums(std::ssize(rows.encoder().group_of_rows()), std::ssize(rows.encoder().targets()),
              rows.encoder().group_of_rows()),
      rows_(rows),
      memory_(memory),
      run_(run) {}

Document BlocksOfTable::total(const Document& pass) {
  Task task(run_, message("reading the table, time ", ++passes_), static_cast<double>(rows_.size()));
  Document out;
  Index first = 0;
  const auto add = [&](const Dataset& block) {
    Document state = accumulate(pass, block, first, {.threads = run_.threads, .observer = {}});
    first += block.size();
    out = out.is_null() ? std::move(state) : merge_states(out, state);
    task.advance(static_cast<double>(block.size()));
    task.poll();
  };
  const auto numbers = static_cast<std::size_t>(n_inputs() + n_targets() + 1);
  if (static_cast<std::size_t>(rows_.size()) > memory_ / (numbers * sizeof(double))) {
    rows_.read(add);
  } else {
    if (kept_.empty()) rows_.read([&](const Dataset& block) { kept_.push_back(block); });
    for (const Dataset& block : kept_) add(block);
  }
  require(!out.is_null(), "the table has no row of a weight above zero");
  return out;
}

}  // namespace condens
