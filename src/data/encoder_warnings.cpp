// What to know of columns before a fit.

#include <algorithm>
#include <string_view>

#include "column_roles.hpp"
#include "condens/core/errors.hpp"
#include "condens/data/encoder.hpp"

namespace condens {

namespace {

constexpr std::size_t many_levels = 50;
constexpr std::size_t few_levels = 10;
constexpr double rows_for_a_level = 5;
constexpr double most_dates = 0.9;
constexpr double most_own_rows = 0.9;

/// "2024-01-31", "31.1.24", "1/31/2024", and the same with a time behind it.
bool is_date(std::string_view text) {
  const std::size_t mark = text.find_first_not_of("0123456789");
  if (mark == std::string_view::npos || std::string_view("-/.").find(text[mark]) == std::string_view::npos)
    return false;
  std::vector<std::string_view> parts;
  std::string_view rest = text.substr(0, text.find_first_of(" T"));
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = rest.find(text[mark]);
    parts.push_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  const auto has_digits = [](std::string_view part, std::size_t least, std::size_t most) {
    return part.size() >= least && part.size() <= most &&
           part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (parts.size() != 3 || !has_digits(parts[1], 1, 2)) return false;
  return (has_digits(parts[0], 4, 4) && has_digits(parts[2], 1, 2)) ||
         (has_digits(parts[0], 1, 2) && (has_digits(parts[2], 2, 2) || has_digits(parts[2], 4, 4)));
}

/// What to know of a categorical input of many levels; empty for others.
std::string warning_of(const EncodedColumn& input, Index rows) {
  const auto levels = static_cast<double>(input.levels.size());
  const double each = static_cast<double>(rows) / std::max(levels, 1.0);
  const bool rare = rows > 0 && input.levels.size() > few_levels && each < rows_for_a_level;
  if (input.levels.size() <= many_levels && !rare) return "";
  const std::string head =
      message("input '", input.name, "' has ", levels, " levels", rows > 0 ? message(" in ", rows, " rows") : "",
              input.has_statistics() ? ": " : ", each a column of its own: ");
  const auto dates = static_cast<double>(std::count_if(input.levels.begin(), input.levels.end(), is_date));
  if (dates >= most_dates * levels) {
    return head +
           "they are dates; split them into year, month and day of the week, or give days since some date as a "
           "number";
  }
  if (rows > 0 && levels >= most_own_rows * static_cast<double>(rows)) {
    return head +
           "nearly every row has its own, as names and identifiers do, which tell nothing of new rows; leave "
           "the column out";
  }
  if (input.has_statistics()) return "";
  return head + "this takes time, and rare levels tell little; group the rare ones, or leave the column out";
}

}  // namespace

std::vector<std::string> Encoder::warnings(Index rows) const {
  Names out;
  for (const EncodedColumn& input : inputs_) {
    if (const std::string text = warning_of(input, rows); !text.empty()) out.push_back(text);
  }
  out.insert(out.end(), same_inputs_.begin(), same_inputs_.end());
  return out;
}

std::vector<std::string> Encoder::notes() const {
  Names out;
  for (const EncodedColumn& input : inputs_) {
    if (!input.merged.empty()) {
      out.push_back(message("input '", input.name, "': ", input.merged.size(), " levels of few rows are one, (other)"));
    }
    if (input.has_statistics()) {
      const std::vector<bool> equal = input.equal_statistics();
      Names given;
      Names same;
      for (std::size_t i = 0; i < equal.size(); ++i) (equal[i] ? same : given).push_back(input.statistics[i]);
      out.push_back(message("input '", input.name, "': ", input.levels.size(), " levels",
                            given.empty() ? "" : message(", each given by ", join(given), " (out of fold in the fit)"),
                            same.empty() ? "" : message("; no more than chance differs in ", join(same))));
    }
    if (input.is_date()) out.push_back(message("input '", input.name, "': dates, given by ", join(input.calendar)));
  }
  return out;
}

}  // namespace condens
