#include "selected_rows.hpp"

#include <utility>

#include "condens/model/subset_density.hpp"
#include "table_passes.hpp"

namespace condens {

namespace {

std::vector<Index> groups_of(const RowSums& table, const std::vector<Index>& inputs) {
  return select_inputs({.x = Matrix(table.n_inputs(), 0), .y = Matrix(table.n_targets(), 0), .groups = table.groups()},
                       inputs)
      .groups;
}

}  // namespace

SelectedRows::SelectedRows(RowSums& table, std::vector<Index> inputs)
    : RowSums(std::ssize(inputs), table.n_targets(), groups_of(table, inputs)),
      table_(table),
      inputs_(std::move(inputs)) {}

Document SelectedRows::total(const Document& pass) {
  return table_.total(
      Document::Object{{"pass", "select"}, {"inputs", table_passes::document_of(inputs_)}, {"inside", pass}});
}

Dataset selected_block(const Document& pass, const Dataset& block) {
  return select_inputs(block, table_passes::inputs_of(pass.at("inputs"), block.x.rows()));
}

}  // namespace condens
