#pragma once
// The rows of a table that is elsewhere (condens/model/row_sums.hpp) as a model of few directions sees them: z = W x /
// f for x, and y, on the standardised scale. A pass over them is a pass over the table, named "project", which has
// theirs inside.

#include "condens/core/document.hpp"
#include "condens/data/dataset.hpp"
#include "model/table_passes.hpp"

namespace condens {

class ProjectedRows final : public RowSums {
 public:
  /// `components` W: d_z x n_inputs. `factor` f > 0. The table outlives this.
  ProjectedRows(RowSums& table, const table_passes::Scale& scale, Matrix components, double factor);
  Document total(const Document& pass) override;

 private:
  RowSums& table_;
  Document scale_;
  Matrix components_;
  double factor_;
};

/// The pass over the table that asks for `inside` of z and y; `scale` as a document.
Document projected_pass(Document scale, Matrix components, double factor, Document inside);

/// A block as the pass inside `pass`, which is named "project", sees it. Throws FormatError for parts that do not fit.
Dataset projected_block(const Document& pass, const Dataset& block);

/// W x / f of standardised rows, with their y and their weights.
Dataset projected_rows(const Dataset& standardized, const Matrix& components, double factor);

}  // namespace condens
