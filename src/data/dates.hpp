#pragma once
// Dates of ISO 8601 (2024-03-01, 2024-03-01T12:30:00, with a space for T, seconds and Z optional) and what is read off
// the calendar: days since the first date, and as pairs (sine, cosine) of an angle the day of the year, the day of the
// week from Monday, and the time of the day.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "condens/data/table.hpp"

namespace condens {

/// Days since 1970-01-01, with the time as a fraction; nothing for what is no date of the calendar.
std::optional<double> parse_date(std::string_view text);

/// The date, with its time unless that is midnight.
std::string format_date(double days);

/// Whether every text that is there is a date. Throws std::invalid_argument that names the first other one where more
/// than nine in ten are.
bool holds_dates(const Table& table, const Column& column);

/// Whether so many dates among so many values make one that is none a slip, and what is said of it.
bool are_mostly_dates(Index dates, Index values);
std::string no_date(const std::string& column, const std::string& text);

/// Throws std::invalid_argument, with the place, for a text that is no date.
std::vector<double> read_dates(const Table& table, const Column& column, const std::vector<Index>& rows);

/// The parts of the calendar that differ among dates, of "days", "year", "week", "day"; "days" where none does.
std::vector<std::string> varying_parts(const std::vector<double>& dates);

/// "days" is the date itself; of the other parts it is the share of their circle, in [0, 1).
double calendar_value(const std::string& part, double date);

/// "sold: days", "sold: sin of year", ...
std::vector<std::string> calendar_names(const std::string& column, const std::vector<std::string>& parts);

/// One row for "days", two for each other part.
Matrix calendar_of(const std::vector<double>& dates, const std::vector<std::string>& parts, double first);

/// The parts that there are.
const std::vector<std::string>& calendar_parts();

}  // namespace condens
