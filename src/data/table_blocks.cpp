#include "condens/data/table_blocks.hpp"

#include <algorithm>
#include <utility>

#include "categories.hpp"
#include "column_values.hpp"
#include "condens/core/errors.hpp"
#include "level_statistics.hpp"
#include "missing_inputs.hpp"
#include "table_columns.hpp"

namespace condens {

namespace {

/// As of a table in memory.
std::string begin_of(const TableBlocks& table) { return condens::begin_of(table.header()); }

}  // namespace

EncodedBlocks::EncodedBlocks(TableBlocks& table, const EncoderOptions& options, const Run& run)
    : table_(table), options_(options) {
  constexpr double readings = MiddleNumbers::readings + 1;
  Task task(run, "reading columns", readings);
  learn_columns(task);
  learn_statistics(task);
}

void EncodedBlocks::read_rows(Task& task,
                              const std::function<void(const Table& block, const std::vector<Index>& rows)>& visit) {
  table_.read([&](const Table& block) {
    visit(block, usable_rows(block));
    task.poll();
  });
  task.advance(1);
}

std::vector<Index> EncodedBlocks::usable_rows(const Table& block) const {
  std::vector<const Column*> needed;
  bool may_keep = false;
  for (const std::string& name : *options_.inputs) {
    const Column& column = block.at(name, "input");
    if (options_.missing == MissingInputs::indicator) continue;
    needed.push_back(&column);
    may_keep = may_keep || has_missing(column);
  }
  for (const std::string& name : options_.targets) needed.push_back(&block.at(name, "target"));
  if (!options_.weight.empty()) needed.push_back(&block.at(options_.weight, "weight"));
  EncodableRows found = complete_rows(block, needed);
  return options_.drop_missing ? std::move(found.rows) : usable(block, std::move(found), false, may_keep);
}

void EncodedBlocks::learn_columns(Task& task) {
  TableColumns columns(table_.header(), options_);
  options_ = columns.options();
  double weight = options_.weight.empty() ? 1.0 : 0.0;
  read_rows(task, [&](const Table& block, const std::vector<Index>& rows) {
    rows_ += std::ssize(rows);
    dropped_ += block.rows() - std::ssize(rows);
    columns.add(block, rows);
    if (options_.weight.empty() || rows.empty()) return;
    weight = std::max(weight, read_block_weights(block, options_.weight, rows).maxCoeff());
  });
  require(rows_ > 0, begin_of(table_), "every row has missing values, so none is left");
  require(weight > 0, begin_of(table_), "the weights in column '", options_.weight,
          "' are all zero, expected a positive one");
  columns.end_reading();
  while (!columns.is_complete()) {
    read_rows(task, [&](const Table& block, const std::vector<Index>& rows) { columns.add(block, rows); });
    columns.end_reading();
  }
  encoder_ = columns.encoder();
}

void EncodedBlocks::learn_statistics(Task& task) {
  std::vector<EncodedColumn*> many;
  for (EncodedColumn& input : encoder_.inputs_) {
    if (has_many_levels(input, options_)) many.push_back(&input);
  }
  if (many.empty()) return;
  LevelRows all{Matrix(std::ssize(encoder_.targets_), rows_), Vector::Ones(rows_), {}, 0};
  std::vector<std::vector<Index>> levels(many.size());
  Index first = 0;
  read_rows(task, [&](const Table& block, const std::vector<Index>& rows) {
    const Index count = std::ssize(rows);
    require(first + count <= rows_, table_has_changed);
    all.y.middleCols(first, count) = read_targets(block, encoder_.targets_, rows);
    if (!options_.weight.empty()) {
      all.weights.segment(first, count) = read_block_weights(block, options_.weight, rows);
    }
    Table storage;
    const Table& marked = encoder_.completed(block, storage);
    for (std::size_t i = 0; i < many.size(); ++i) {
      const Column& column = marked.at(many[i]->name, "input");
      for (const Index row : rows) {
        levels[i].push_back(find_level(column, row, many[i]->levels));
        require(levels[i].back() >= 0, table_has_changed);
      }
    }
    first += count;
  });
  require(first == rows_, table_has_changed);
  all.weights = counted_weights(all.weights);
  for (std::size_t i = 0; i < many.size(); ++i) {
    EncodedColumn& input = *many[i];
    all.level = std::move(levels[i]);
    all.n_levels = std::ssize(input.levels);
    input.statistics = statistic_names(names_of(encoder_.targets_));
    input.codes = level_codes(all);
    codes_of_fold_[input.name] = level_codes_by_fold(all, options_.seed);
  }
}

void EncodedBlocks::encode_levels(const Table& block, const std::vector<Index>& rows, Index first, Matrix& x) const {
  if (codes_of_fold_.empty()) return;
  Table storage;
  const Table& marked = encoder_.completed(block, storage);
  const std::vector<Index> fold = folds_of_codes(rows_, first, std::ssize(rows), options_.seed);
  Index at = 0;
  for (const EncodedColumn& input : encoder_.inputs_) {
    const auto codes = codes_of_fold_.find(input.name);
    for (std::size_t j = 0; codes != codes_of_fold_.end() && j < rows.size(); ++j) {
      const Index level = find_level(marked.at(input.name, "input"), rows[j], input.levels);
      x.block(at, static_cast<Index>(j), input.width(), 1) =
          codes->second[static_cast<std::size_t>(fold[j])].col(level);
    }
    at += input.width();
  }
}

void EncodedBlocks::read(const std::function<void(const Dataset& block)>& visit) {
  Index first = 0;
  table_.read([&](const Table& block) {
    const std::vector<Index> rows = usable_rows(block);
    const Index count = std::ssize(rows);
    require(first + count <= rows_, table_has_changed);
    if (count == 0) return;
    Matrix x = encoder_.encode_inputs(block, rows);
    encode_levels(block, rows, first, x);
    first += count;
    Dataset data{.x = std::move(x), .y = read_targets(block, encoder_.targets_, rows)};
    data.groups = encoder_.group_of_rows();
    if (!options_.weight.empty()) data.weights = read_block_weights(block, options_.weight, rows);
    std::vector<Index> counted;
    for (Index i = 0; i < data.weights.size(); ++i) {
      if (data.weights[i] > 0) counted.push_back(i);
    }
    if (std::ssize(counted) == data.weights.size()) {
      visit(data);
    } else if (!counted.empty()) {
      visit(data.subset(counted));
    }
  });
  require(first == rows_, table_has_changed);
}

}  // namespace condens
