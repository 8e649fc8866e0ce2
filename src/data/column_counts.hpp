#pragma once
// What an encoder needs to know of one column of a table that is read in blocks (EncodedBlocks): numbers, dates or
// levels, their range and median, how often there is each level.

#include <string>
#include <vector>

#include "categories.hpp"
#include "condens/core/document.hpp"
#include "condens/data/encoder.hpp"
#include "middle_numbers.hpp"

namespace condens {

class ColumnCounts {
 public:
  enum class Kind { numbers, dates, levels };

  /// What a column is to be taken for, whatever it holds; a target is of numbers.
  enum class As { found, levels, numbers };

  ColumnCounts(std::string name, As as) : name_(std::move(name)), as_(as) {}

  const std::string& name() const { return name_; }

  /// These rows of a block, in this reading. Throws std::invalid_argument, with the place, for an infinite number.
  void add(const Table& block, const std::vector<Index>& rows);

  /// What another has added in this reading, to rows that follow.
  void merge(const ColumnCounts& later);

  /// Ends a reading. Throws std::invalid_argument where the column has changed since the one before.
  void end_reading();

  /// Whether all is known: medians take several readings, and so do levels that looked like dates in some block.
  bool is_complete() const;

  /// What the column is, after the first reading. Throws std::invalid_argument as Encoder::fit does for one that mixes
  /// numbers, dates and texts.
  Kind kind() const;

  Index there() const { return there_; }
  Index missing() const { return missing_; }
  const LevelCounts& levels() const { return levels_; }

  /// The column as it is without missing values.
  EncodedColumn summary() const;

  Document to_document() const;
  /// Throws FormatError.
  static ColumnCounts from_document(const Document& document);

 private:
  /// Where a value is, and its text; of none the place is empty.
  struct Place {
    std::string place;
    std::string text;
  };

  void add_first(const Table& block, const Column& column, const std::vector<Index>& rows);
  void add_again(const Table& block, const Column& column, const std::vector<Index>& rows);
  void add_text(const Table& block, const Column& column, Index row);
  void add_number(double value);
  void add_date(double date);
  void widen(const Vector& low, const Vector& high);
  void count_level(const std::string& level, Index rows);

  std::string name_;
  As as_;
  int readings_ = 0;     // that have ended
  Index there_ = 0;      // rows that have a value
  Index missing_ = 0;    // rows that have none
  Index numbers_ = 0;    // values that are numbers
  Index dates_ = 0;      // values that are dates
  Index commas_ = 0;     // values that are numbers with a decimal comma
  Index uncounted_ = 0;  // values in blocks in which all are dates, whose levels are not counted
  Place no_number_;      // the first
  Place no_date_;        // the first
  double low_ = infinity;
  double high_ = -infinity;
  Vector calendar_low_;  // of the parts of dates (dates.hpp); empty without dates
  Vector calendar_high_;
  LevelCounts levels_;
  MiddleNumbers middle_;
};

}  // namespace condens
