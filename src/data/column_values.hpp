#pragma once
// The values of columns as numbers, and the rows that have them; what is none is named with its place.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/data/encoder.hpp"

namespace condens {

/// "t.csv: ", or nothing for data from memory.
std::string begin_of(const Table& table);

/// Built for the bad cell only: naming the place of every cell would cost more than reading it.
template <class... Parts>
[[noreturn]] void fail_at(const Table& table, Index row, const Parts&... parts) {
  throw std::invalid_argument(message(table.place(row), ": ", parts...));
}

/// Those of the rows that have a value.
std::vector<Index> rows_with(const Column& column, const std::vector<Index>& rows);

/// Values of a numeric column; NaN and infinity do not pass.
Vector read_numbers(const Table& table, const Column& column, const std::vector<Index>& rows);

/// The same of the targets, targets x rows.
Matrix read_targets(const Table& table, const std::vector<EncodedColumn>& targets, const std::vector<Index>& rows);

/// What is said of a text where a number is needed.
std::string no_number(const std::string& column, const std::string& text, std::string_view hint = "");
inline constexpr std::string_view hint_as_in_others =
    " as in other rows; correct it, or name the column as categorical";
inline constexpr std::string_view hint_of_commas = "; correct the column, or name it as categorical";

/// "1,5"
bool has_decimal_comma(std::string text);

/// Weights >= 0 of a block of rows, which may all be zero.
Vector read_block_weights(const Table& table, const std::string& name, const std::vector<Index>& rows);
/// The same of all rows, of which one at least is above zero.
Vector read_weights(const Table& table, const std::string& name, const std::vector<Index>& rows);

/// Minimum, median and maximum.
EncodedColumn summarize(std::string name, Vector values);

/// The rows where all of the columns have a value.
EncodableRows complete_rows(const Table& table, const std::vector<const Column*>& columns);

/// Those rows; unless they are all or may be dropped, throws what is wrong with the others. `may_keep`: what is missing
/// are inputs, which may be, if that is asked for.
std::vector<Index> usable(const Table& table, EncodableRows found, bool drop_missing, bool may_keep = false);

/// Refuses a column in which numbers and texts are mixed, most often a slip among numbers, and a column of numbers with
/// decimal commas: as levels every number would be one of its own.
void refuse_mixed(const Table& table, const Column& column);

}  // namespace condens
