#pragma once
// What an encoder needs to know of one column of a table that is read in blocks (EncodedBlocks): numbers, dates or
// levels, their range and median, how often there is each level.

#include <array>
#include <string>
#include <vector>

#include "categories.hpp"
#include "condens/data/encoder.hpp"
#include "middle_numbers.hpp"

namespace condens {

class ColumnCounts {
 public:
  enum class Kind { numbers, dates, levels };

  ColumnCounts(std::string name, bool has_levels) : name_(std::move(name)), has_levels_(has_levels) {}

  /// The first reading: these rows of a block. Throws std::invalid_argument, with the place, for an infinite number.
  void add(const Table& block, const std::vector<Index>& rows);
  /// Of a column that must be of numbers.
  void add_numbers(const Table& block, const std::vector<Index>& rows);

  /// What the column is, after the first reading. Throws std::invalid_argument as Encoder::fit does for one that mixes
  /// numbers, dates and texts.
  Kind kind() const;

  /// Whether another reading is needed: for medians, or for levels that looked like dates in some block.
  bool is_complete() const;
  /// Ends a reading, and what the next one adds.
  void end_reading();
  void add_again(const Table& block, const std::vector<Index>& rows);

  Index there() const { return there_; }
  Index missing() const { return missing_; }
  const LevelCounts& levels() const { return levels_; }

  /// The column as it is without missing values.
  EncodedColumn summary() const;

 private:
  struct Place {
    std::string place;  // empty: nowhere
    std::string text;
  };

  void add_text(const Table& block, const Column& column, Index row);
  void add_number(double value);
  void add_date(double date);
  void count_level(const Column& column, Index row);

  std::string name_;
  bool has_levels_;
  Index there_ = 0;
  Index missing_ = 0;
  Index numbers_ = 0;
  Index dates_ = 0;
  Index commas_ = 0;     // texts of numbers with a decimal comma
  Index uncounted_ = 0;  // levels in blocks in which all are dates
  Place no_number_;      // the first
  Place no_date_;
  double low_ = 0;
  double high_ = 0;
  std::vector<std::array<double, 2>> calendar_;  // of the parts of dates the smallest and largest share
  LevelCounts levels_;
  MiddleNumbers middle_;
  int readings_ = 0;
};

}  // namespace condens
