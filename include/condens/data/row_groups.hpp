#pragma once
// Groups of rows by one input column, told from the inputs as they are encoded: the levels of a category, or the values
// of a number that has few. Rows of no group, of levels without a group of their own or never seen, are together the
// last one, "(other)".

#include <string>
#include <string_view>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/types.hpp"
#include "condens/data/encoder.hpp"

namespace condens {

/// The most values of a number that can be groups; categories of more levels are statistics, unless asked otherwise.
inline constexpr Index most_group_values = 20;

class RowGroups {
 public:
  /// By the column of this name, with the values that it has in x (inputs x n). Throws std::invalid_argument that
  /// begins with `argument` for no input of that name, dates, levels that are statistics, and numbers of more than
  /// most_group_values values.
  static RowGroups of(std::string_view argument, const Encoder& encoder, const std::string& column,
                      const MatrixView& x);

  const std::string& column() const { return column_; }
  /// Of the groups, without "(other)".
  const std::vector<std::string>& names() const { return names_; }
  /// All groups, "(other)" among them.
  Index size() const { return std::ssize(names_) + 1; }
  /// "(other)" for the last.
  std::string name(Index group) const;

  /// The group of every column of x.
  std::vector<Index> groups_of(const MatrixView& x) const;

  /// The groups that are to be kept; the others go to "(other)".
  RowGroups only(const std::vector<bool>& kept) const;

  Document to_document() const;
  /// Throws FormatError for what does not fit a model with so many inputs.
  static RowGroups from_document(const Document& document, Index n_inputs);

 private:
  std::string column_;
  std::vector<Index> rows_;  // of x
  Matrix keys_;              // rows_.size() x groups: the numbers that stand for each
  std::vector<std::string> names_;
};

}  // namespace condens
