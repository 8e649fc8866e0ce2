#pragma once
// From the named columns of a table to the numbers of a Dataset, the same way in
// training and in prediction.
//
// A numeric input is itself. A categorical input with two levels is one indicator of
// the second level; with k > 2 levels it is k indicators, and with more than 20 statistics of the targets among the
// rows of a level (Micci-Barreca 2001; src/data/level_statistics.hpp). Levels are in sorted order. A column of ISO
// dates is read off the calendar (src/data/dates.hpp).
//
// Missing inputs are refused, or
//   marked    a number that is missing becomes the median, and an input of its own, "age missing", says yes; a missing
//             level is a level, "(missing)"
//   modelled  NaN, for models that average over what may be there (model/input_imputer.hpp, joint_density.hpp)

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/data/dataset.hpp"
#include "condens/data/table.hpp"

namespace condens {

/// What becomes of rows whose inputs have missing values.
enum class MissingInputs { error, indicator, model };

/// What a categorical input of more than 20 levels becomes.
enum class ManyLevels { statistics, indicators };

/// What becomes of a level that the training data did not have. `automatic`: where there is a level "(other)" it is
/// that one, where levels are statistics it has those of all rows, else it is refused. `other`: as `automatic`, and
/// where that refuses, the most frequent level stands in.
enum class UnseenLevels { automatic, error, other };

/// "error", "indicator", "model"; "statistics", "indicators"; and "automatic", "error", "other". Throws
/// std::invalid_argument that begins with `argument`.
MissingInputs missing_inputs_of(std::string_view argument, std::string_view text);
ManyLevels many_levels_of(std::string_view argument, std::string_view text);
UnseenLevels unseen_of(std::string_view argument, std::string_view text);

struct EncoderOptions {
  std::vector<std::string> targets = {};  ///< one or more numeric columns
  /// Absent: every other column. Empty: none, for a density of the targets.
  std::optional<std::vector<std::string>> inputs = std::nullopt;
  std::vector<std::string> excluded = {};     ///< columns that are no inputs, such as identifiers
  std::string weight = {};                    ///< column of weights >= 0; empty: all one
  std::vector<std::string> categorical = {};  ///< inputs to read as levels although they hold numbers
  bool drop_missing = false;                  ///< leave out rows with missing values instead of refusing them
  MissingInputs missing = MissingInputs::error;
  ManyLevels many_levels = ManyLevels::statistics;
  /// Indicators: levels of fewer rows become one, "(other)", where there are two such levels or more, and two others.
  /// Absent: of fewer than 5 rows, in inputs of more than 10 levels.
  std::optional<Index> rare_levels = std::nullopt;
  UnseenLevels unseen = UnseenLevels::automatic;
  Vector row_weights = {};  ///< of statistics, where the weights are no column; empty or one for each row
  std::uint64_t seed = 0;   ///< of the folds of `encode_training`
};

/// What the encoder knows of one column of the training data.
struct EncodedColumn {
  std::string name;
  std::vector<std::string> levels = {};   ///< sorted; empty for a numeric column
  std::string typical_level = {};         ///< the most frequent level (the first of equals)
  double low = 0, typical = 0, high = 0;  ///< minimum, median and maximum of a numeric column

  std::string missing_of = {};  ///< the input of which this one says whether it is missing; empty for others

  std::vector<std::string> merged = {};      ///< levels that are "(other)"
  std::vector<std::string> statistics = {};  ///< names of the numbers that stand for a level; empty: indicators
  Matrix codes = {};                         ///< statistics x (levels + 1); the last of a level not seen
  std::vector<std::string> calendar = {};    ///< parts of a date; low, typical and high are days since 1970-01-01

  bool is_categorical() const { return !levels.empty(); }
  bool is_date() const { return !calendar.empty(); }
  bool is_number() const { return !is_categorical() && !is_date(); }
  bool has_statistics() const { return !statistics.empty(); }
  Index width() const;

  /// Of each statistic, whether it is the same for every level: none differs by more than chance.
  std::vector<bool> equal_statistics() const;

  /// What Dataset::x holds (width x n) at each level or, of numbers and dates, at low, typical and high.
  Matrix values() const;
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

/// Where something stands in for an input, as it does without a word in the numbers.
struct StandIns {
  Index unseen = 0;            ///< rows of a level that the training data did not have
  std::string first_unseen;    ///< the place of the first of them, the input, and the level
  std::string first_unmarked;  ///< place and input of the first missing value where training had none

  /// Those of the rows that follow.
  void add(const StandIns& later);
};

struct LevelRows;

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
  /// The same of a part of a table, where all weights may be zero.
  Dataset encode_block(const Table& block, const std::vector<Index>& rows) const;

  /// The same for the rows of the fit: where levels are statistics, those without the row's own targets, out of ten
  /// folds. `row_weights` as in the options.
  Dataset encode_training(const Table& table, bool drop_missing = false, const Vector& row_weights = {}) const;
  Dataset encode_training(const Table& table, const std::vector<Index>& rows, const Vector& row_weights = {}) const;

  /// The weights of `rows`; empty where the table has no such column.
  Vector weights_of(const Table& table, const std::vector<Index>& rows) const;

  /// The inputs alone (encoded_names().size() x rows); other columns are not needed.
  Matrix encode_inputs(const Table& table) const;
  Matrix encode_inputs(const Table& table, const std::vector<Index>& rows) const;

  /// Statistics in place of indicators for the levels of an input, made elsewhere: EncodedColumn::codes. Throws
  /// std::invalid_argument where there is no such input, or its levels are not as many.
  void set_codes(std::string_view input, Matrix codes);

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
  /// and identifiers of rows are called so. After a fit also pairs of inputs that are the same, or of which either one
  /// tells the other. Each names the column, and what to do.
  std::vector<std::string> warnings(Index rows) const;

  UnseenLevels unseen() const { return unseen_; }
  MissingInputs missing() const { return missing_; }

  /// Inputs with missing values of which there were none in training, and where they are first: they are filled by what
  /// is typical, without a mark. Complete sentences; empty where missing values are refused.
  std::vector<std::string> filled_without_mark(const Table& table) const;
  std::vector<std::string> filled_without_mark(const std::vector<StandIns>& found) const;

  /// What stands in for levels that the training data did not have, with a count and the first place. Complete
  /// sentences; empty where such levels are refused.
  std::vector<std::string> unseen_levels(const Table& table) const;
  std::vector<std::string> unseen_levels(const std::vector<StandIns>& found) const;

  /// What both tell of, for each input; of a table that comes in blocks these are brought together by StandIns::add.
  std::vector<StandIns> stand_ins(const Table& table) const;

  /// What was made of inputs: merged levels, statistics, dates. Complete sentences.
  std::vector<std::string> notes() const;

  /// For each row of Dataset::x the place of its column in the table of the fit, among the inputs: marks are of the
  /// column that they are of.
  std::vector<Index> column_of_rows() const;

  /// Names of the inputs that had one value in all of the training data.
  std::vector<std::string> constant_inputs() const;

  /// Whether a file needs the second version of the format: missing inputs, merged levels, statistics, dates.
  bool has_new_parts() const;
  Document to_document() const;
  static Encoder from_document(const Document& document);

 private:
  friend class TableColumns;  // makes one of a table that is read in blocks
  friend class EncodedBlocks;

  std::vector<const Column*> columns_needed(const Table& table, bool with_targets) const;
  LevelRows level_rows(const Table& table, const EncodedColumn& input, const std::vector<Index>& rows,
                       const Vector& row_weights) const;
  /// Makes statistics, or "(other)", of an input's levels.
  void code_levels(const Table& table, EncodedColumn& input, const std::vector<Index>& rows,
                   const EncoderOptions& options) const;
  /// Whether a level that the training data did not have has a code.
  bool takes_unseen(const EncodedColumn& input) const;
  Index code_of(const Table& table, const Column& column, Index row, const EncodedColumn& input) const;
  /// The table itself or, where missing inputs are marked, with marks and without gaps, kept in `storage`.
  const Table& completed(const Table& table, Table& storage) const;

  std::vector<EncodedColumn> inputs_;
  std::vector<EncodedColumn> targets_;
  std::string weight_;
  MissingInputs missing_ = MissingInputs::error;
  UnseenLevels unseen_ = UnseenLevels::automatic;
  std::uint64_t seed_ = 0;                // of the folds of statistics
  std::vector<std::string> same_inputs_;  // of a fit, as warnings
};

}  // namespace condens
