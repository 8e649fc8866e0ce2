#include "dates.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "column_values.hpp"
#include "condens/core/errors.hpp"

namespace condens {

namespace {

constexpr double seconds_of_day = 86400.0;

/// The whole number in `length` digits from `at`; -1 where there are others.
int digits_at(std::string_view text, std::size_t at, std::size_t length) {
  if (text.size() < at + length) return -1;
  int out = 0;
  for (const char c : text.substr(at, length)) {
    if (c < '0' || c > '9') return -1;
    out = 10 * out + (c - '0');
  }
  return out;
}

/// "12:30", "12:30:00", "12:30:00.25", each with or without Z, in seconds.
std::optional<double> parse_time(std::string_view text) {
  if (text.ends_with('Z')) text.remove_suffix(1);
  const int hour = digits_at(text, 0, 2);
  const int minute = digits_at(text, 3, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || text[2] != ':') return std::nullopt;
  double seconds = 0.0;
  if (text.size() > 5) {
    const int whole = digits_at(text, 6, 2);
    if (text[5] != ':' || whole < 0 || whole > 59) return std::nullopt;
    seconds = whole;
    const std::string_view rest = text.substr(8);
    if (!rest.empty()) {
      if (rest[0] != '.' || rest.size() < 2 || rest.find_first_not_of("0123456789", 1) != std::string_view::npos)
        return std::nullopt;
      seconds += *parse_number(std::string("0") + std::string(rest));
    }
  }
  return 3600.0 * hour + 60.0 * minute + seconds;
}

std::chrono::year_month_day day_of(double date) {
  return std::chrono::sys_days(std::chrono::days(static_cast<int>(std::floor(date))));
}

}  // namespace

std::optional<double> parse_date(std::string_view text) {
  using namespace std::chrono;
  const int y = digits_at(text, 0, 4);
  const int m = digits_at(text, 5, 2);
  const int d = digits_at(text, 8, 2);
  if (y < 0 || m < 0 || d < 0 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const year_month_day day{year(y), month(static_cast<unsigned>(m)), std::chrono::day(static_cast<unsigned>(d))};
  if (!day.ok()) return std::nullopt;
  const auto whole = static_cast<double>(sys_days(day).time_since_epoch().count());
  if (text.size() == 10) return whole;
  if (text[10] != 'T' && text[10] != ' ') return std::nullopt;
  const std::optional<double> time = parse_time(text.substr(11));
  if (!time) return std::nullopt;
  return whole + *time / seconds_of_day;
}

std::string format_date(double days) {
  const double seconds = std::round(days * seconds_of_day);
  const double whole = std::floor(seconds / seconds_of_day);
  const auto rest = static_cast<int>(seconds - whole * seconds_of_day);
  const auto day = day_of(whole);
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%04d-%02u-%02u", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
  std::string text(out.data());
  if (rest == 0) return text;
  std::snprintf(out.data(), out.size(), "T%02d:%02d:%02d", rest / 3600, rest / 60 % 60, rest % 60);
  return text + out.data();
}

bool are_mostly_dates(Index dates, Index values) {
  constexpr double most = 0.9;
  return static_cast<double>(dates) > most * static_cast<double>(values);
}

std::string no_date(const std::string& column, const std::string& text) {
  return message("column '", column, "' is '", text,
                 "', expected a date as in most rows, such as 2024-03-01 or 2024-03-01T12:30:00; correct it, or name "
                 "the column as categorical");
}

bool holds_dates(const Table& table, const Column& column) {
  if (column.is_numeric()) return false;
  Index there = 0;
  Index dates = 0;
  Index other = -1;
  for (Index row = 0; row < column.size(); ++row) {
    if (column.is_missing(row)) continue;
    ++there;
    if (parse_date(column.texts()[static_cast<std::size_t>(row)]))
      ++dates;
    else if (other < 0)
      other = row;
  }
  if (other >= 0 && are_mostly_dates(dates, there)) {
    fail_at(table, other, no_date(column.name, column.texts()[static_cast<std::size_t>(other)]));
  }
  return there > 0 && dates == there;
}

std::vector<double> read_dates(const Table& table, const Column& column, const std::vector<Index>& rows) {
  std::vector<double> out;
  for (const Index row : rows) {
    const std::string text = column.level(row);
    const std::optional<double> date = parse_date(text);
    if (!date) {
      fail_at(table, row, "column '", column.name, "' is '", text,
              "', expected a date such as 2024-03-01 or 2024-03-01T12:30:00");
    }
    out.push_back(*date);
  }
  return out;
}

const std::vector<std::string>& calendar_parts() {
  static const std::vector<std::string> parts{"days", "year", "week", "day"};
  return parts;
}

double calendar_value(const std::string& part, double date) {
  using namespace std::chrono;
  if (part == "days") return date;
  if (part == "day") return date - std::floor(date);
  const sys_days day(days(static_cast<int>(std::floor(date))));
  if (part == "week") return (static_cast<double>(weekday(day).iso_encoding()) - 1.0) / 7.0;
  const year_month_day parts(day);
  const sys_days first = parts.year() / January / 1;
  return static_cast<double>((day - first).count()) / (parts.year().is_leap() ? 366.0 : 365.0);
}

std::vector<std::string> varying_parts(const std::vector<double>& dates) {
  std::vector<std::string> out;
  for (const std::string& part : calendar_parts()) {
    const bool varies = std::any_of(dates.begin(), dates.end(), [&](double date) {
      return calendar_value(part, date) != calendar_value(part, dates.front());
    });
    if (varies || part == "days") out.push_back(part);
  }
  return out;
}

std::vector<std::string> calendar_names(const std::string& column, const std::vector<std::string>& parts) {
  std::vector<std::string> out;
  for (const std::string& part : parts) {
    if (part == "days") {
      out.push_back(column + ": days");
      continue;
    }
    out.push_back(column + ": sin of " + part);
    out.push_back(column + ": cos of " + part);
  }
  return out;
}

Matrix calendar_of(const std::vector<double>& dates, const std::vector<std::string>& parts, double first) {
  Matrix out(std::ssize(calendar_names("", parts)), std::ssize(dates));
  for (Index j = 0; j < out.cols(); ++j) {
    const double date = dates[static_cast<std::size_t>(j)];
    Index at = 0;
    for (const std::string& part : parts) {
      if (part == "days") {
        out(at++, j) = date - first;
        continue;
      }
      const double angle = 2.0 * std::numbers::pi * calendar_value(part, date);
      out(at++, j) = std::sin(angle);
      out(at++, j) = std::cos(angle);
    }
  }
  return out;
}

}  // namespace condens
