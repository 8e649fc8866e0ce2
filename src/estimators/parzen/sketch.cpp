#include "sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "condens/core/errors.hpp"
#include "model/cells.hpp"
#include "model/kernel_rows.hpp"

namespace condens {

namespace {

constexpr int bits_of_scale = 30;   // so that rows fall into the same cells in whatever order sums were added
constexpr int usual_level = -3;     // edges of an eighth of a width: a bound of 0.0003 in each dimension
constexpr int digits_of_keys = 50;  // of the largest, in the finest cells

/// log2 of an edge in widths, that of the finest cells: those of a table that keeps its rows tell all numbers apart.
int finest_level(const Vector& range, const Vector& widths, bool keep_rows) {
  double largest = -std::numeric_limits<double>::infinity();  // log2 of a range in widths, which may be no number
  for (Index k = 0; k < range.size(); ++k) {
    if (range[k] > 0) largest = std::max(largest, std::log2(range[k]) - std::log2(widths[k]));
  }
  if (!std::isfinite(largest)) return usual_level;  // all rows are equal
  const int least = static_cast<int>(std::ceil(largest)) - digits_of_keys;
  return keep_rows ? least : std::max(least, usual_level);
}

Vector edges_of(const Vector& widths, int level) {
  constexpr double least = std::numeric_limits<double>::min();
  constexpr double most = std::numeric_limits<double>::max();
  Vector out(widths.size());
  for (Index k = 0; k < out.size(); ++k) out[k] = std::clamp(std::ldexp(widths[k], level), least, most);
  return out;
}

/// At most one, which any two densities keep.
double bound_of(const Cells& cells, double edge) {
  const double mean_square = cells.squares.sum() / cells.weights.sum();
  if (mean_square == 0) return 0;
  const double phi = std::exp(-0.5) / std::sqrt(2 * std::numbers::pi);
  return std::min(1.0, phi * mean_square * edge * edge);
}

}  // namespace

ParzenSketch parzen_sketch(RowSums& table, const table_passes::Extent& extent, const table_passes::Scale& scale,
                           const Vector& widths, Index most_cells) {
  const table_passes::Scale lattice = scale.rounded(bits_of_scale);
  const Matrix ends = stacked(lattice.standardized(extent.ends(table)));
  const Vector low = ends.col(0);
  const int level = finest_level(ends.col(1) - low, widths, extent.rows <= most_cells);
  const Vector edges = edges_of(widths, level);
  const Document state = table.total(Document::Object{{"pass", "parzen"},
                                                      {"scale", lattice.to_document()},
                                                      {"low", low},
                                                      {"edges", edges},
                                                      {"limit", std::min(most_cells, table_passes::most_sampled)}});
  const Cells cells = Cells::from_document(state.at("cells"));
  if (cells.keys.rows() != widths.size()) {
    throw FormatError(
        message("a pass over the rows: 'cells' are of ", cells.keys.rows(), " columns, expected ", widths.size()));
  }
  const Matrix places = (edges.asDiagonal() * cells.places()).colwise() + low;
  const double edge =
      std::min(std::ldexp(1.0, level + static_cast<int>(cells.level)), std::numeric_limits<double>::max());
  return {lattice.points_on(scale, places), cells.weights, edge, bound_of(cells, edge)};
}

Document parzen_sketch_state(const Document& pass, const Dataset& block) {
  const Index d = block.x.rows() + block.y.rows();
  const auto scale = table_passes::Scale::from_document(pass.at("scale"), block.x.rows(), block.y.rows());
  const Vector low = table_passes::vector_of(pass, "low", d);
  const Vector edges = table_passes::widths_of(pass, "edges", d);
  const Index limit = table_passes::count_of(pass, "limit", 1, table_passes::most_sampled);
  const Dataset rows = scale.standardized(block);
  const Matrix points = (stacked(rows).colwise() - low).array().colwise() / edges.array();
  return Document::Object{{"cells", Cells::of(points, rows.weights, limit).to_document()}};
}

}  // namespace condens
