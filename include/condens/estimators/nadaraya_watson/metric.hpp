#pragma once
// A metric in x that the leave-one-out likelihood of the Nadaraya-Watson conditional
// density chooses (leave_one_out.hpp): how far apart two inputs count as far. A model
// of kernels in x works on T x instead of x.

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/options.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"
#include "condens/model/kernel_mixture.hpp"
#include "condens/optim/lbfgs.hpp"

namespace condens {

/// One width for all inputs, one for each, or a matrix.
enum class NwShape { isotropic, diagonal, full };

/// T = diag(1 / widths), or `matrix` where that is not empty.
struct NwMetric {
  Vector widths;       ///< d, > 0
  Matrix matrix = {};  ///< empty, or d x d
  /// d shares of 1 / width on the standardised scale (for a matrix: of the length of its
  /// columns); 0 for an input that plays no part.
  Vector importances = {};

  Matrix apply(const MatrixView& x) const;  ///< T x for every column

  Document to_document() const;
  /// Throws FormatError unless the document holds a metric of d inputs.
  static NwMetric from_document(const Document& document, Index d);
};

struct NwSearch {
  NwShape shape = NwShape::diagonal;
  Vector widths = {};               ///< given widths (d); empty: learned
  double bandwidth_y = 0;           ///< given width in y; 0: learned
  double bandwidth_y_floor = 0.01;  ///< lowest learned width in y, in standard deviations of y
  Defensive defensive = {};
  Index starts = 1;  ///< the best of so many searches from different points
  Index seed = 0;
};

struct NwSearchResult {
  NwMetric metric;
  double bandwidth_y;
  double score;           ///< mean of -log p_{-i}(y_i|x_i)
  double standard_error;  ///< of the score, as if the rows were independent
  Vector rows;            ///< log p_{-i}(y_i|x_i)
  bool at_floor;          ///< the width in y wants to be smaller than its floor
  LbfgsStatus status;
  Index iterations;
  double projected_gradient;
};

/// diag(1 / widths), with the importances that the spread of data gives them.
NwMetric metric_of_widths(const Vector& widths, const Dataset& data);

/// Rows of one place, with the sum of their weights, and at most `most` of them, drawn at
/// random. Weights are there for every row.
Dataset rows_to_compare(const Dataset& data, bool merge_copies, Index most, Index seed);

/// At most `most` rows for a search over d columns of x, fewer where these are hundreds - the levels of a category -
/// since an evaluation takes rows^2 d operations.
Index rows_of_search(Index most, Index d);

/// Searches by quasi-Newton steps over log h_k (inputs of several columns have one width)
/// or W, and log h_y. Data with weights; not scaled by this function, but searched over
/// widths between 0.01 and 20 standard deviations of each input. A width at the upper end
/// belongs to an input that plays no part.
NwSearchResult search_nw_metric(const Dataset& data, const NwSearch& search, const Run& run);

/// What one width for each input is worth: the mean over held-out rows of log p with a width for each input, less log p
/// with one for all.
struct NwComparison {
  double gain = 0;
  double standard_error = 0;
  Index rows = 0;        ///< that were read
  bool all_rows = true;  ///< compared; not a random sample of them

  /// What is less than 1e-9 is rounding: of inputs that are copies both are one.
  bool is_worth_it() const { return gain > std::max(standard_error, 1e-9); }
};

/// By five folds of at most 1,000 rows, fewer where inputs are hundreds. Without gain where there is one input or fewer
/// than ten rows.
NwComparison compare_nw_shapes(const Dataset& data, const NwSearch& search, const Run& run);

/// By widths learned from four fifths of the rows, at most 3,000, and at most 6,000 of the other rows: of many rows
/// more than five folds of 1,000 show.
NwComparison compare_nw_shapes_of_many(const Dataset& data, const NwSearch& search, const Run& run);

}  // namespace condens
