#include "censoring.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "arguments.hpp"
#include "completion.hpp"
#include "condens/core/errors.hpp"
#include "console.hpp"

namespace condens::cli {

namespace {

constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();

/// The numbers of a column, NaN where they are missing.
Vector numbers_of(const Table& table, const Column& column) {
  Vector out(column.size());
  for (Index i = 0; i < out.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (column.is_numeric() || column.is_missing(i)) {
      out[i] = column.is_numeric() ? column.numbers()[k] : missing_number;
      continue;
    }
    const std::optional<double> number = parse_number(column.texts()[k]);
    require(number.has_value(), table.place(i), ": column '", column.name, "' is '", column.texts()[k],
            "', expected a number");
    out[i] = *number;
  }
  return out;
}

enum class Known { exact, right, left };

Known known_as(const Table& table, const Column& column, Index row) {
  std::string word = column.is_missing(row) ? "" : column.level(row);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  for (const char* exact : {"0", "no", "false", "exact"}) {
    if (word == exact) return Known::exact;
  }
  for (const char* right : {"1", "yes", "true", "right"}) {
    if (word == right) return Known::right;
  }
  require(word == "left", table.place(row), ": column '", column.name, "' is '", word,
          "', expected 0, no or exact where the target is exact, 1, yes or right where it is more than the value, left "
          "where it is less");
  return Known::left;
}

void censor(const Table& table, const Column& column, Censoring& rows) {
  for (Index i = 0; i < rows.size(); ++i) {
    if (std::isnan(rows.low[i])) continue;  // refused as missing, or left out
    const Known known = known_as(table, column, i);
    if (known == Known::right) rows.high[i] = infinity;
    if (known == Known::left) rows.low[i] = -infinity;
  }
}

/// The target column has the lower ends; missing ends are open.
void add_upper(const Table& table, const std::string& target, const Column& column, Censoring& rows) {
  rows.high = numbers_of(table, column);
  for (Index i = 0; i < rows.size(); ++i) {
    const bool neither = std::isnan(rows.low[i]) && std::isnan(rows.high[i]);
    if (neither) continue;
    if (std::isnan(rows.low[i])) rows.low[i] = -infinity;
    if (std::isnan(rows.high[i])) rows.high[i] = infinity;
    require(rows.low[i] <= rows.high[i], table.place(i), ": column '", column.name, "' is ", rows.high[i],
            ", below the lower end ", rows.low[i], " in column '", target, "'; expected the upper end of the target");
  }
}

void add_entry(const Table& table, const std::string& target, const Column& column, Censoring& rows) {
  rows.entry = numbers_of(table, column);
  for (Index i = 0; i < rows.size(); ++i) {
    if (std::isnan(rows.entry[i])) rows.entry[i] = -infinity;
    require(rows.entry[i] < infinity, table.place(i), ": column '", column.name,
            "' is infinite, expected a number, or nothing where there was no entry");
    require(std::isnan(rows.high[i]) || rows.high[i] > rows.entry[i], table.place(i), ": column '", column.name,
            "' is ", rows.entry[i], ", and the target in column '", target, "' at most ", rows.high[i],
            ", so that the row could not have been seen; expected an entry below the target");
  }
}

}  // namespace

void CensoringFlags::add_to(CLI::App& verb, const std::string& group) {
  add_option(verb, "--censored", censored, "COLUMN",
             "How the target of each row is known: 0, no or exact; 1, yes or right: more than that; left: less", group);
  add_option(verb, "--target-upper", upper, "COLUMN",
             "The upper end of the target, which has the lower one: equal where exact, missing where open", group);
  add_option(verb, "--entry", entry, "COLUMN",
             "The row is there only because its target is above this (delayed entry); missing where that is not so",
             group);
  offer(verb, "--censored", columns_before);
  offer(verb, "--target-upper", columns_before);
  offer(verb, "--entry", columns_before);
}

void CensoringFlags::remind(const std::string& verb, const FitReport& told) const {
  if (given() || told.details.find("censoring") == nullptr) return;
  say(verb,
      "note: the model was fitted to a target that is known by limits; here all rows count as exact, unless "
      "--censored, --target-upper or --entry names a column");
}

CensoredTable CensoringFlags::read(Table table, const std::vector<std::string>& targets,
                                   const std::vector<std::string>& others) const {
  if (!given()) return {std::move(table), {}};
  require(censored.empty() || upper.empty(), "--censored ", censored, " and --target-upper ", upper,
          " both say how the target is known, expected one of them");
  require(targets.size() == 1, "--",
          !censored.empty() ? "censored"
          : !upper.empty()  ? "target-upper"
                            : "entry",
          ": there are ", targets.size(), " targets, expected one");
  const std::string& target = targets.front();
  for (const std::string& name : {censored, upper, entry}) {
    if (name.empty()) continue;
    require(name != target, "column '", name, "' is the target, and says how that is known; expected another column");
    require(std::find(others.begin(), others.end(), name) == others.end(), "column '", name,
            "' says how the target is known, and is an input or the weight; expected one of these");
  }
  const Column& values = table.at(target, "target");
  Censoring rows{numbers_of(table, values), {}, {}};
  rows.high = rows.low;
  if (!censored.empty()) censor(table, table.at(censored, "censoring"), rows);
  if (!upper.empty()) add_upper(table, target, table.at(upper, "upper end"), rows);
  if (!entry.empty()) add_entry(table, target, table.at(entry, "entry"), rows);

  const Vector shown = rows.representatives();
  Table out(table.source());
  for (const Column& column : table.columns()) {
    if (column.name == censored || column.name == upper || column.name == entry) continue;
    if (column.name == target)
      out.add({target, std::vector<double>(shown.begin(), shown.end())});
    else
      out.add(column);
  }
  out.take_places(table);
  return {std::move(out), std::move(rows)};
}

}  // namespace condens::cli
