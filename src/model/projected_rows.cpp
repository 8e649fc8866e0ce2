#include "projected_rows.hpp"

#include <utility>

namespace condens {

ProjectedRows::ProjectedRows(RowSums& table, const table_passes::Scale& scale, Matrix components, double factor)
    : RowSums(components.rows(), table.n_targets()),
      table_(table),
      scale_(scale.to_document()),
      components_(std::move(components)),
      factor_(factor) {}

Document ProjectedRows::total(const Document& pass) {
  return table_.total(projected_pass(scale_, components_, factor_, pass));
}

Document projected_pass(Document scale, Matrix components, double factor, Document inside) {
  return Document::Object{{"pass", "project"},
                          {"scale", std::move(scale)},
                          {"components", std::move(components)},
                          {"factor", factor},
                          {"inside", std::move(inside)}};
}

Dataset projected_block(const Document& pass, const Dataset& block) {
  const auto scale = table_passes::Scale::from_document(pass.at("scale"), block.x.rows(), block.y.rows());
  const Matrix& components = pass.at("components").as_matrix();
  // Without components there may be no matrix of so many columns.
  if (components.rows() > 0) table_passes::matrix_of(pass, "components", table_passes::any_size, block.x.rows());
  return projected_rows(scale.standardized(block), components, table_passes::width_of(pass, "factor"));
}

Dataset projected_rows(const Dataset& standardized, const Matrix& components, double factor) {
  Matrix z(components.rows(), standardized.size());
  if (z.rows() > 0) z = components * standardized.x / factor;
  return {.x = std::move(z), .y = standardized.y, .weights = standardized.weights};
}

}  // namespace condens
