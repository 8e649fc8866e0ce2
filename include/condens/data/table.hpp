#pragma once
// Named columns of numbers or texts, as a file or a data frame holds them.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "condens/core/types.hpp"

namespace condens {

/// The number that a field holds, whatever the locale: "1", "+1.5", " 1e5 ". Nothing
/// when it is not a number from end to end. "inf" and what overflows are infinite.
std::optional<double> parse_number(std::string_view field);

/// The shortest decimal that reads back as the same double.
std::string format_number(double value);

/// What marks a missing value: an empty field, NA, NaN, nan, null, ?.
bool is_missing_mark(std::string_view field);

/// One column. A missing number is NaN, a missing text is empty.
struct Column {
  std::string name;
  std::variant<std::vector<double>, std::vector<std::string>> values;

  bool is_numeric() const { return values.index() == 0; }
  Index size() const;
  const std::vector<double>& numbers() const { return std::get<0>(values); }
  const std::vector<std::string>& texts() const { return std::get<1>(values); }
  bool is_missing(Index row) const;

  /// The value as text. A number, and a text that holds one, is written in its shortest
  /// form, so that a level means the same in a column of numbers and in one of texts.
  std::string level(Index row) const;
};

class Table {
 public:
  /// `source` names the file in messages; empty for data that come from memory.
  explicit Table(std::string source = "") : source_(std::move(source)) {}

  /// Throws std::invalid_argument for a name that is empty or taken, or another length.
  void add(Column column);

  /// The line of the source where each row begins, counting from 1.
  void set_lines(std::vector<Index> lines) { set_places(std::move(lines), true); }

  /// Of a source without lines, such as a Parquet file: which of its rows each one is, counting from 1.
  void set_row_numbers(std::vector<Index> numbers) { set_places(std::move(numbers), false); }

  /// The rows are where those of `from` are, from row `first` of it on.
  void take_places(const Table& from, Index first = 0);

  Index rows() const { return columns_.empty() ? 0 : columns_.front().size(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::string& source() const { return source_; }

  const Column* find(std::string_view name) const;

  /// Throws std::invalid_argument that lists the columns and suggests the nearest
  /// name. `role` ("target", "input", ...) says what the column was wanted for.
  const Column& at(std::string_view name, std::string_view role) const;

  /// "train.csv:7", "train.parquet, row 6", or "row 6 (counting from 1)" for data from memory.
  std::string place(Index row) const;

  /// The line in the source, or the row counting from 1, and which of the two: "line" or "row".
  Index line(Index row) const;
  std::string_view unit_of_places() const { return source_.empty() || !has_lines_ ? "row" : "line"; }

 private:
  void set_places(std::vector<Index> places, bool are_lines) {
    places_ = std::move(places);
    has_lines_ = are_lines;
  }

  std::string source_;
  std::vector<Column> columns_;
  std::map<std::string, std::size_t, std::less<>> place_of_;  // of every name in columns_
  std::vector<Index> places_;
  bool has_lines_ = true;
};

}  // namespace condens
