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

void ColumnCounts::count_level(const std::string& level, Index rows) {
  levels_[level] += rows;
  require(levels_.size() <= most_levels, "column '", name_, "' has more than ", most_levels,
          " levels, as names of rows do; leave it out");
}

void ColumnCounts::add_number(double value) {
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
  ++numbers_;
  middle_.add(value);
}

void ColumnCounts::add_date(double date) {
  const auto parts = std::ssize(calendar_parts());
  Vector values(parts);
  for (Index i = 0; i < parts; ++i) values[i] = calendar_value(calendar_parts()[static_cast<std::size_t>(i)], date);
  widen(values, values);
  ++dates_;
  middle_.add(date);
}

void ColumnCounts::widen(const Vector& low, const Vector& high) {
  if (low.size() == 0) return;
  calendar_low_ = calendar_low_.size() == 0 ? low : calendar_low_.cwiseMin(low);
  calendar_high_ = calendar_high_.size() == 0 ? high : calendar_high_.cwiseMax(high);
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

void ColumnCounts::add(const Table& block, const std::vector<Index>& rows) {
  const Column& column = block.at(name_, "input");
  const std::vector<Index> here = rows_with(column, rows);
  if (readings_ > 0) return add_again(block, column, here);
  missing_ += std::ssize(rows) - std::ssize(here);
  there_ += std::ssize(here);
  add_first(block, column, here);
}

void ColumnCounts::add_first(const Table& block, const Column& column, const std::vector<Index>& rows) {
  if (as_ == As::numbers || (as_ == As::found && column.is_numeric())) {
    for (const double value : read_numbers(block, column, rows)) add_number(value);
    if (no_date_.place.empty() && !rows.empty()) no_date_ = {block.place(rows.front()), column.level(rows.front())};
    return;
  }
  const Index before = dates_;
  for (const Index row : rows) {
    if (as_ == As::found) add_text(block, column, row);
  }
  if (as_ == As::found && dates_ - before == std::ssize(rows)) {
    uncounted_ += std::ssize(rows);
  } else {
    for (const Index row : rows) count_level(column.level(row), 1);
  }
}

void ColumnCounts::add_again(const Table& block, const Column& column, const std::vector<Index>& rows) {
  if (is_complete()) return;
  switch (kind()) {
    case Kind::levels:
      for (const Index row : rows) count_level(column.level(row), 1);
      return;
    case Kind::dates:
      for (const double date : read_dates(block, column, rows)) middle_.add(date);
      return;
    case Kind::numbers:
      for (const double value : read_numbers(block, column, rows)) middle_.add(value);
  }
}

void ColumnCounts::merge(const ColumnCounts& later) {
  if (readings_ == 0) {
    there_ += later.there_;
    missing_ += later.missing_;
    numbers_ += later.numbers_;
    dates_ += later.dates_;
    commas_ += later.commas_;
    uncounted_ += later.uncounted_;
    if (no_number_.place.empty()) no_number_ = later.no_number_;
    if (no_date_.place.empty()) no_date_ = later.no_date_;
    low_ = std::min(low_, later.low_);
    high_ = std::max(high_, later.high_);
    widen(later.calendar_low_, later.calendar_high_);
  }
  if (readings_ == 0 || !is_complete()) {
    for (const auto& [level, rows] : later.levels_) count_level(level, rows);
  }
  middle_.merge(later.middle_);
}

ColumnCounts::Kind ColumnCounts::kind() const {
  require(there_ > 0, "input '", name_, "' is missing in every row, expected a value in some; leave it out");
  if (as_ == As::levels) return Kind::levels;
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
  if (is_complete()) return;
  const bool first = readings_++ == 0;
  if (kind() != Kind::levels) return middle_.end_reading();
  middle_ = {};
  if (!first) uncounted_ = 0;
  if (first && uncounted_ > 0) levels_.clear();
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
      for (Index i = 0; i < calendar_low_.size(); ++i) {
        const std::string& part = calendar_parts()[static_cast<std::size_t>(i)];
        if (part == "days" || calendar_low_[i] < calendar_high_[i]) out.calendar.push_back(part);
      }
      out.low = calendar_low_[0];  // "days" come first
      out.typical = middle_.lower();
      out.high = calendar_high_[0];
      out.typical_level = format_date(out.typical);
  }
  return out;
}

Document ColumnCounts::to_document() const {
  std::vector<std::string> names;
  Vector counts(std::ssize(levels_));
  for (const auto& [level, rows] : levels_) {
    counts[std::ssize(names)] = static_cast<double>(rows);
    names.push_back(level);
  }
  Document out;
  out.set("name", name_).set("as", static_cast<int>(as_)).set("readings", readings_);
  out.set("there", there_).set("missing", missing_).set("numbers", numbers_).set("dates", dates_);
  out.set("commas", commas_).set("uncounted", uncounted_);
  out.set("no_number", Document(std::vector{no_number_.place, no_number_.text}));
  out.set("no_date", Document(std::vector{no_date_.place, no_date_.text}));
  out.set("range", numbers_ > 0 ? Vector{{low_, high_}} : Vector())
      .set("calendar_low", calendar_low_)
      .set("calendar_high", calendar_high_);
  out.set("levels", Document(names)).set("level_rows", counts);
  return out.set("middle", middle_.to_document());
}

ColumnCounts ColumnCounts::from_document(const Document& document) {
  const Index as = document.at("as").as_integer();
  if (as < 0 || as > static_cast<Index>(As::numbers))
    throw FormatError(message("columns: 'as' is ", as, ", expected 0, 1 or 2"));
  ColumnCounts out(document.at("name").as_string(), static_cast<As>(as));
  const auto count = [&](std::string_view name) {
    const Index value = document.at(name).as_integer();
    if (value < 0) throw FormatError(message("columns: '", name, "' is ", value, ", expected a number >= 0"));
    return value;
  };
  const auto place = [&](std::string_view name) {
    const std::vector<std::string> parts = document.at(name).as_strings();
    if (parts.size() != 2) throw FormatError(message("columns: '", name, "' needs a place and a text"));
    return Place{parts[0], parts[1]};
  };
  const auto numbers = [&](std::string_view name, Index size) {
    Vector values = document.at(name).as_vector();
    if (values.size() != size) {
      throw FormatError(message("columns: '", name, "' has ", values.size(), " numbers, expected ", size));
    }
    return values;
  };
  out.readings_ = static_cast<int>(std::min<Index>(count("readings"), MiddleNumbers::readings));
  out.there_ = count("there");
  out.missing_ = count("missing");
  out.numbers_ = count("numbers");
  out.dates_ = count("dates");
  out.commas_ = count("commas");
  out.uncounted_ = count("uncounted");
  out.no_number_ = place("no_number");
  out.no_date_ = place("no_date");
  if (const Vector range = numbers("range", out.numbers_ > 0 ? 2 : 0); range.size() > 0) {
    out.low_ = range[0];
    out.high_ = range[1];
  }
  const Index parts = out.dates_ > 0 ? std::ssize(calendar_parts()) : 0;
  out.calendar_low_ = numbers("calendar_low", parts);
  out.calendar_high_ = numbers("calendar_high", parts);
  const std::vector<std::string> levels = document.at("levels").as_strings();
  const Vector rows = numbers("level_rows", std::ssize(levels));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    out.levels_[levels[i]] = static_cast<Index>(rows[static_cast<Index>(i)]);
  }
  out.middle_ = MiddleNumbers::from_document(document.at("middle"));
  return out;
}

}  // namespace condens
