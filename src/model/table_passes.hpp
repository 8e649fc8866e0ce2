#pragma once
// The passes over a table (condens/model/row_sums.hpp) that a fit by sums begins with, whatever its method: what is
// checked and how large the table is, its standardised scale, a random sample of its rows, all of its rows.
//
// Means and variances are of deviations from the middle of a column's range in half widths, by two passes as
// Standardizer::fit takes over rows in memory: they neither overflow nor cancel.

#include <optional>
#include <string_view>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/run.hpp"
#include "condens/data/dataset.hpp"
#include "condens/data/standardizer.hpp"
#include "condens/model/fit_report.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "condens/model/row_sums.hpp"

namespace condens::table_passes {

/// Numbers of rows, their weights, ranges, and some rows.
struct Extent {
  Index rows = 0;
  double weight = 0;   ///< sum of the rows' weights c
  double squares = 0;  ///< sum of c^2
  Vector low;          ///< d_x + d_y
  Vector high;         ///< d_x + d_y
  Matrix first;        ///< d_x + d_y coordinates of the first rows, three at most

  /// By which a fit takes the weights: counted_weights (data/dataset.hpp).
  double weight_factor() const;

  /// Two rows of the ends of every column, in which those vary that do so in the table.
  Dataset ends(const RowSums& table) const;
};
Extent extent_of(RowSums& table);

/// The standardised scale of a table, and how rows come to it: by differences from one of the table's own rows, which
/// are exact wherever a shift of the data was.
class Scale {
 public:
  /// Throws std::invalid_argument as preparation::standardize does. The report says which inputs are constant.
  static Scale of(RowSums& table, const Extent& extent, std::string_view owner, bool wanted, FitReport& report);

  /// Of a model: rows come to it as they do in prediction.
  static Scale of(const Standardizer& x, const Standardizer& y);

  const Standardizer& x() const { return x_; }
  const Standardizer& y() const { return y_; }

  /// A component of y of this weight, twice as broad as y on the standardised scale (Defensive::fit).
  Defensive defensive(double weight) const { return {weight, spread_.mean(), 2.0 * spread_.scale()}; }

  /// Of weights, those of Extent::weight_factor.
  double weight_factor() const { return weight_factor_; }

  /// By numbers of so many binary digits, which are the same in whatever order sums were added, but for one at an edge:
  /// for searches, which amplify their rounding.
  Scale rounded(int bits) const;

  /// Points z = (x, y) of this scale, in columns, on another one that is of the same table: without a way through the
  /// columns as they are, which may be far from zero.
  Matrix points_on(const Scale& other, const MatrixView& z) const;

  /// Rows as a model works on them, with weights for every one.
  Dataset standardized(const Dataset& rows) const;

  Document to_document() const;
  /// Throws FormatError for what is no scale of so many inputs and targets.
  static Scale from_document(const Document& document, Index n_inputs, Index n_targets);

 private:
  Scale(Standardizer x, Standardizer y, Vector origin_x, Vector origin_y, Standardizer from_x, Standardizer from_y,
        Standardizer spread, double weight_factor);

  Standardizer x_;  // of the columns as they are: those of the model
  Standardizer y_;
  Vector origin_x_;
  Vector origin_y_;
  Standardizer from_x_;  // of the differences from the origin
  Standardizer from_y_;
  Standardizer spread_;  // of y on the standardised scale
  double weight_factor_;
};

/// Rows of a table, and their places in it.
struct Sample {
  Dataset rows;
  std::vector<Index> places;  ///< rising
};

/// Those that data::sample_of_places names.
Sample sample_of(RowSums& table, Index count, Index seed);

/// The first rows of a table: few, in order, with weights of one.
Dataset first_rows(RowSums& table);

/// A sample, and the ends of every column: what an encoder of plain numbers says of its columns, medians as well as so
/// many rows tell.
Dataset typical_rows(RowSums& table);

/// All of them, in their order; without weights where each is one.
Dataset all_rows(RowSums& table);

/// What a block adds to one of these passes; nothing where `pass` is none of them. Throws std::invalid_argument for
/// rows that no fit takes. Rows of weight zero are none: they are left out before, or folds and samples, which follow
/// from places, would not be those of the rows that count.
std::optional<Document> accumulate(const Document& pass, const Dataset& block, Index first_row);

/// Of rows that count, so that their squares are numbers. Throws std::invalid_argument that names the row.
void check_weights(const Vector& weights, std::string_view owner);

/// Neighbouring rows of a block in memory, which outlives them.
Dataset neighbours(const Dataset& block, Range rows);

/// The states of several passes, which the table is asked for together.
std::vector<Document> totals_of(RowSums& table, const std::vector<Document>& passes);

/// A number of a state's part "sum".
double number_of(const Document& state, std::string_view name);

// Parts of passes and states, which come from elsewhere and may be damaged. Throw FormatError that names the part, what
// it is and what was expected.

/// A matrix of this shape; any_size allows any number, but none.
inline constexpr Index any_size = -1;
const Matrix& matrix_of(const Document& document, std::string_view name, Index rows, Index cols);
/// A column of so many numbers.
Vector vector_of(const Document& document, std::string_view name, Index size);
/// A whole number, low to high.
Index count_of(const Document& document, std::string_view name, Index low, Index high);
/// What document_of has written, under "defensive".
Defensive defensive_of(const Document& pass, Index n_targets);
Document document_of(const Defensive& defensive);
/// A number, or numbers, that kernels can have as widths: positive.
double width_of(const Document& document, std::string_view name);
Vector widths_of(const Document& document, std::string_view name, Index size);

/// The option `cv` of a fit by sums, whose folds follow from the places of rows (data/folds.hpp). Throw
/// std::invalid_argument: for a fold of every row, and for a number that is none of folds of so many rows.
void check_cv(std::string_view owner, const std::vector<double>& cv);
Index number_of_folds(std::string_view owner, const std::vector<double>& cv, Index rows);

/// Rows of x that a pass names, and what names them.
std::vector<Index> inputs_of(const Document& written, Index n_inputs);
Document document_of(const std::vector<Index>& inputs);

/// The folds of a block's rows by their places: of a pass that says "folds" and "seed".
std::vector<Index> folds_of_block(const Document& pass, const Dataset& block, Index first_row);

/// The first `count` of matrices of equal shape side by side, and apart again.
Matrix side_by_side(const std::vector<Matrix>& parts, std::size_t count);
std::vector<Matrix> apart(const Matrix& joined, Index count);

/// The most folds, of which each has sums of its own, and the most rows of a sample that a pass may ask for.
inline constexpr Index most_folds = 10'000;
inline constexpr Index most_sampled = 100'000'000;

}  // namespace condens::table_passes
