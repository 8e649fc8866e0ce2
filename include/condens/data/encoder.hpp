#pragma once
// From the named columns of a table to the numbers of a Dataset, the same way in
// training and in prediction.
//
// A numeric input is itself. A categorical input with two levels is one indicator of
// the second level; with k > 2 levels it is k indicators. Levels are in sorted order.
//
// Missing inputs are refused, or
//   marked    a number that is missing becomes the median, and an input of its own, "age missing", says yes; a missing
//             level is a level, "(missing)"
//   modelled  NaN, for models that know what to do with it (model/input_imputer.hpp, joint_density.hpp)
//   at ends   for trees, which split by order alone: an input twice, where missing is less, and more, than all
//             numbers, so that a split may send what is missing to either side, or apart; levels as marked ones

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/data/dataset.hpp"
#include "condens/data/table.hpp"

namespace condens {

/// What becomes of rows whose inputs have missing values.
enum class MissingInputs { error, indicator, model, ends };

struct EncoderOptions {
  std::vector<std::string> targets = {};  ///< one or more numeric columns
  /// Absent: every other column. Empty: none, for a density of the targets.
  std::optional<std::vector<std::string>> inputs = std::nullopt;
  std::string weight = {};                    ///< column of weights >= 0; empty: all one
  std::vector<std::string> categorical = {};  ///< inputs to read as levels although they hold numbers
  bool drop_missing = false;                  ///< leave out rows with missing values instead of refusing them
  MissingInputs missing = MissingInputs::error;
};

/// What the encoder knows of one column of the training data.
struct EncodedColumn {
  std::string name;
  std::vector<std::string> levels = {};   ///< sorted; empty for a numeric column
  std::string typical_level = {};         ///< the most frequent level (the first of equals)
  double low = 0, typical = 0, high = 0;  ///< minimum, median and maximum of a numeric column

  std::string missing_of = {};  ///< the input of which this one says whether it is missing; empty for others
  bool at_ends = false;         ///< a number that was missing in some rows, of a model of trees

  bool is_categorical() const { return !levels.empty(); }
  Index width() const { return levels.size() > 2 ? static_cast<Index>(levels.size()) : at_ends ? 2 : 1; }
};

std::vector<std::string> names_of(const std::vector<EncodedColumn>& columns);

/// Which rows of a table have a value in every column that is needed, and only levels that the training data had.
struct EncodableRows {
  std::vector<Index> rows;
  Index missing = 0;         ///< others: with a missing value
  Index unknown_levels = 0;  ///< others: complete, with a level that the training data did not have
  /// What is wrong with the others, with places; empty when there are none.
  std::string trouble;
};

class Encoder {
 public:
  /// Learns columns, levels and ranges. Throws std::invalid_argument, with file, line and
  /// column, for a column that is unknown, used twice or empty; for text where numbers are
  /// needed; for an input column that mixes numbers and texts and is not named in
  /// `categorical`; for missing or infinite values, and weights that are negative or all zero.
  static Encoder fit(const Table& table, const EncoderOptions& options);

  /// Names for plain arrays: x1, x2, ... and y, or y1, y2, ... Ranges are all zero, as if constant.
  static Encoder generic(Index d_x, Index d_y);
  /// The same, with the ranges of the data and, where given, names of its rows. Throws
  /// std::invalid_argument for a number of names that does not fit, empty or equal ones.
  static Encoder generic(const Dataset& data, const std::vector<std::string>& inputs = {},
                         const std::vector<std::string>& targets = {});

  /// Of the inputs and, `with_targets`, of targets and of weights where the table has their column. Throws
  /// std::invalid_argument for a column that is not there and a table without rows.
  EncodableRows encodable_rows(const Table& table, bool with_targets) const;

  /// Inputs, targets, and weights where the table has their column, of all rows, of the encodable ones alone
  /// (`drop_missing`) or of `rows`, which must be among these. Throws as `fit` does, and for a level that the training
  /// data did not have.
  Dataset encode(const Table& table, bool drop_missing = false) const;
  Dataset encode(const Table& table, const std::vector<Index>& rows) const;

  /// The inputs alone (encoded_names().size() x rows); other columns are not needed.
  Matrix encode_inputs(const Table& table) const;
  Matrix encode_inputs(const Table& table, const std::vector<Index>& rows) const;

  const std::vector<EncodedColumn>& input_columns() const { return inputs_; }
  const std::vector<EncodedColumn>& targets() const { return targets_; }
  const std::string& weight() const { return weight_; }

  /// One name per row of Dataset::x: "age", "sex=M".
  std::vector<std::string> encoded_names() const;

  /// The rows of Dataset::x that belong to each input column.
  std::vector<std::vector<Index>> groups() const;

  /// The input column of each row of Dataset::x.
  std::vector<Index> group_of_rows() const;

  /// What to know before a fit to `rows` rows (0: unknown): categorical inputs of so many levels that they take time
  /// and tell little. Above 50 levels, or above 10 with fewer than five rows each on average; dates written as texts
  /// and identifiers of rows are called so. Each names the column, and what to do.
  std::vector<std::string> warnings(Index rows) const;

  MissingInputs missing() const { return missing_; }

  /// Inputs with missing values of which there were none in training, and where they are first: they are filled by what
  /// is typical, without a mark. Complete sentences; empty where missing values are refused.
  std::vector<std::string> filled_without_mark(const Table& table) const;

  /// For each row of Dataset::x the place of its column in the table of the fit, among the inputs: marks are of the
  /// column that they are of.
  std::vector<Index> column_of_rows() const;

  /// Names of the inputs that had one value in all of the training data.
  std::vector<std::string> constant_inputs() const;

  Document to_document() const;
  static Encoder from_document(const Document& document);

 private:
  std::vector<const Column*> columns_needed(const Table& table, bool with_targets) const;
  /// The table with marks, and without missing inputs but those that are told as such.
  Table completed(const Table& table) const;
  void encode_numbers(const Table& table, const EncodedColumn& input, const std::vector<Index>& rows,
                      Eigen::Ref<Matrix> out) const;

  std::vector<EncodedColumn> inputs_;
  std::vector<EncodedColumn> targets_;
  std::string weight_;
  MissingInputs missing_ = MissingInputs::error;
};

}  // namespace condens
