#pragma once
// The encoder of a table whose rows are read in blocks, in several readings: what each block adds to a reading merges
// in the order of the rows and goes as a document to wherever the rows are.

#include <string>
#include <vector>

#include "column_counts.hpp"
#include "condens/core/document.hpp"
#include "condens/data/encoder.hpp"

namespace condens {

class TableColumns {
 public:
  /// `header`: the columns, without rows. Throws std::invalid_argument as Encoder::fit does for columns that are not
  /// there or play two parts, and for missing = model.
  TableColumns(const Table& header, const EncoderOptions& options);

  /// The options, with the names of all inputs.
  const EncoderOptions& options() const { return options_; }

  /// While false, another reading is needed.
  bool is_complete() const;

  /// These rows of a block, which have all values but inputs that are to be marked.
  void add(const Table& block, const std::vector<Index>& rows);

  /// What another has added in the same reading, to rows that follow. Throws FormatError for one of another table.
  void merge(const TableColumns& later);

  /// Throws std::invalid_argument for columns that no encoder takes, and where the table has changed.
  void end_reading();

  /// Of a complete one: without statistics of levels, which `many_levels` are to have.
  Encoder encoder() const;
  std::vector<std::string> many_levels() const;

  Document to_document() const;
  /// Throws FormatError.
  static TableColumns from_document(const Document& document);

 private:
  TableColumns() = default;

  EncoderOptions options_;
  std::vector<std::string> names_;  // of all columns, in the order of the table
  std::vector<ColumnCounts> inputs_;
  std::vector<ColumnCounts> targets_;
};

}  // namespace condens
