#include "column_counts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "column_values.hpp"
#include "condens/core/errors.hpp"
#include "dates.hpp"

namespace condens {

namespace {

constexpr std::size_t most_levels = 100'000;

}  // namespace

void ColumnCounts::count_level(const Column& column, Index row) {
  ++levels_[column.level(row)];
  require(levels_.size() <= most_levels, "column '", name_, "' has more than ", most_levels,
          " levels, as names of rows do; leave it out");
}

void ColumnCounts::add_number(double value) {
  low_ = numbers_ == 0 ? value : std::min(low_, value);
  high_ = numbers_ == 0 ? value : std::max(high_, value);
  ++numbers_;
  middle_.add(value);
}

void ColumnCounts::add_date(double date) {
  calendar_.resize(calendar_parts().size());
  for (std::size_t i = 0; i < calendar_.size(); ++i) {
    const double value = calendar_value(calendar_parts()[i], date);
    auto& [low, high] = calendar_[i];
    low = dates_ == 0 ? value : std::min(low, value);
    high = dates_ == 0 ? value : std::max(high, value);
  }
  ++dates_;
  middle_.add(date);
}

void ColumnCounts::add_text(const Table& block, const Column& column, Index row) {
  const std::string& text = column.texts()[static_cast<std::size_t>(row)];
  const std::optional<double> number = parse_number(text);
  const std::optional<double> date = number ? std::nullopt : parse_date(text);
  if (number) {
    add_number(*number);
  } else if (no_number_.place.empty()) {
    no_number_ = {block.place(row), text};
  }
  if (date) {
    add_date(*date);
  } else if (no_date_.place.empty()) {
    no_date_ = {block.place(row), text};
  }
  commas_ += !number && has_decimal_comma(text) ? 1 : 0;
}

void ColumnCounts::add_numbers(const Table& block, const std::vector<Index>& rows) {
  for (const double value : read_numbers(block, block.at(name_, "column"), rows)) add_number(value);
  there_ += std::ssize(rows);
}

void ColumnCounts::add(const Table& block, const std::vector<Index>& rows) {
  const Column& column = block.at(name_, "input");
  std::vector<Index> here;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(here), [&](Index row) { return !column.is_missing(row); });
  missing_ += std::ssize(rows) - std::ssize(here);
  if (!has_levels_ && column.is_numeric()) {
    if (no_date_.place.empty() && !here.empty()) no_date_ = {block.place(here.front()), column.level(here.front())};
    return add_numbers(block, here);
  }
  there_ += std::ssize(here);
  const Index before = dates_;
  for (const Index row : here) {
    if (!has_levels_) add_text(block, column, row);
  }
  if (dates_ - before == std::ssize(here) && !has_levels_) {
    uncounted_ += std::ssize(here);
  } else {
    for (const Index row : here) count_level(column, row);
  }
}

ColumnCounts::Kind ColumnCounts::kind() const {
  require(there_ > 0, "input '", name_, "' is missing in every row, expected a value in some; leave it out");
  if (has_levels_) return Kind::levels;
  if (numbers_ == there_) return Kind::numbers;
  if (dates_ == there_) return Kind::dates;
  require(!are_mostly_dates(dates_, there_), no_date_.place, ": ", no_date(name_, no_date_.text));
  require(numbers_ == 0, no_number_.place, ": ", no_number(name_, no_number_.text, hint_as_in_others));
  require(commas_ < there_, no_number_.place, ": ", no_number(name_, no_number_.text, hint_of_commas));
  return Kind::levels;
}

bool ColumnCounts::is_complete() const {
  if (readings_ == 0) return false;
  return kind() == Kind::levels ? uncounted_ == 0 : readings_ == MiddleNumbers::readings;
}

void ColumnCounts::end_reading() {
  if (++readings_ == 1 && kind() == Kind::levels) {
    if (uncounted_ > 0) levels_.clear();
    return;
  }
  if (kind() == Kind::levels) {
    uncounted_ = 0;
  } else {
    middle_.end_reading();
  }
}

void ColumnCounts::add_again(const Table& block, const std::vector<Index>& rows) {
  const Column& column = block.at(name_, "column");
  std::vector<Index> here;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(here), [&](Index row) { return !column.is_missing(row); });
  switch (kind()) {
    case Kind::levels:
      for (const Index row : here) count_level(column, row);
      return;
    case Kind::dates:
      for (const double date : read_dates(block, column, here)) middle_.add(date);
      return;
    case Kind::numbers:
      for (const double value : read_numbers(block, column, here)) middle_.add(value);
  }
}

EncodedColumn ColumnCounts::summary() const {
  EncodedColumn out{.name = name_};
  switch (kind()) {
    case Kind::levels:
      return collect_levels(name_, levels_);
    case Kind::numbers:
      out.low = low_;
      out.typical = std::midpoint(middle_.lower(), middle_.upper());
      out.high = high_;
      return out;
    case Kind::dates:
      for (std::size_t i = 0; i < calendar_.size(); ++i) {
        const std::string& part = calendar_parts()[i];
        if (part == "days" || calendar_[i][0] < calendar_[i][1]) out.calendar.push_back(part);
      }
      out.low = calendar_.front()[0];
      out.typical = middle_.lower();
      out.high = calendar_.front()[1];
      out.typical_level = format_date(out.typical);
  }
  return out;
}

}  // namespace condens
