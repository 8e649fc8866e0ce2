#include "column_values.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "column_roles.hpp"

namespace condens {

namespace {

/// Refuses a column of texts where numbers are needed, at its first text.
void require_numeric(const Table& table, const Column& column, std::string_view hint = "") {
  if (column.is_numeric()) return;
  for (Index row = 0; row < column.size(); ++row) {
    const std::string& text = column.texts()[static_cast<std::size_t>(row)];
    if (text.empty() || parse_number(text)) continue;
    fail_at(table, row, no_number(column.name, text, hint));
  }
}

/// "t.csv: 2 rows have missing values: line 3, 7 (the first in column 'x')"
std::string missing_values(const Table& table, const std::vector<const Column*>& columns,
                           const std::vector<Index>& missing) {
  constexpr std::size_t most = 5;
  const auto first =
      std::find_if(columns.begin(), columns.end(), [&](const Column* c) { return c->is_missing(missing[0]); });
  Names lines;
  for (std::size_t i = 0; i < std::min(most, missing.size()); ++i) lines.push_back(message(table.line(missing[i])));
  return message(begin_of(table), missing.size(), missing.size() == 1 ? " row has" : " rows have",
                 " missing values: ", table.unit_of_places(), " ", join(lines), missing.size() > most ? ", ..." : "",
                 " (the first in column '", (*first)->name, "')");
}

}  // namespace

std::string begin_of(const Table& table) { return table.source().empty() ? "" : table.source() + ": "; }

bool has_decimal_comma(std::string text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) return false;
  text[comma] = '.';
  return parse_number(text).has_value();
}

std::vector<Index> rows_with(const Column& column, const std::vector<Index>& rows) {
  std::vector<Index> out;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(out), [&](Index row) { return !column.is_missing(row); });
  return out;
}

std::string no_number(const std::string& column, const std::string& text, std::string_view hint) {
  return message("column '", column, "' is '", text, "', expected a number",
                 has_decimal_comma(text) ? " with a decimal point" : "", hint);
}

Vector read_numbers(const Table& table, const Column& column, const std::vector<Index>& rows) {
  require_numeric(table, column);
  Vector out(static_cast<Index>(rows.size()));
  for (Index i = 0; i < out.size(); ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    const auto k = static_cast<std::size_t>(row);
    out[i] = column.is_numeric() ? column.numbers()[k] : *parse_number(column.texts()[k]);
    if (std::isfinite(out[i])) continue;
    fail_at(table, row, "column '", column.name, "' is ", out[i], ", expected a finite number");
  }
  return out;
}

Matrix read_targets(const Table& table, const std::vector<EncodedColumn>& targets, const std::vector<Index>& rows) {
  Matrix out(std::ssize(targets), std::ssize(rows));
  for (Index t = 0; t < out.rows(); ++t) {
    out.row(t) = read_numbers(table, table.at(targets[static_cast<std::size_t>(t)].name, "target"), rows);
  }
  return out;
}

Vector read_block_weights(const Table& table, const std::string& name, const std::vector<Index>& rows) {
  Vector weights = read_numbers(table, table.at(name, "weight"), rows);
  for (Index i = 0; i < weights.size(); ++i) {
    if (weights[i] >= 0) continue;
    fail_at(table, rows[static_cast<std::size_t>(i)], "weight '", name, "' is ", weights[i],
            ", expected a number >= 0");
  }
  return weights;
}

Vector read_weights(const Table& table, const std::string& name, const std::vector<Index>& rows) {
  Vector weights = read_block_weights(table, name, rows);
  require((weights.array() > 0).any(), begin_of(table), "the weights in column '", name,
          "' are all zero, expected a positive one");
  return weights;
}

EncodedColumn summarize(std::string name, Vector values) {
  std::sort(values.begin(), values.end());
  const Index n = values.size();
  const double median = std::midpoint(values[(n - 1) / 2], values[n / 2]);
  return {.name = std::move(name), .low = values[0], .typical = median, .high = values[n - 1]};
}

EncodableRows complete_rows(const Table& table, const std::vector<const Column*>& columns) {
  require(table.rows() > 0, begin_of(table), "no rows, expected at least one");
  EncodableRows out;
  std::vector<Index> missing;
  for (Index row = 0; row < table.rows(); ++row) {
    const bool bad = std::any_of(columns.begin(), columns.end(), [&](const Column* c) { return c->is_missing(row); });
    (bad ? missing : out.rows).push_back(row);
  }
  out.missing = std::ssize(missing);
  if (!missing.empty()) out.trouble = missing_values(table, columns, missing);
  return out;
}

std::vector<Index> usable(const Table& table, EncodableRows found, bool drop_missing, bool may_keep) {
  const bool command = !table.source().empty();
  require(drop_missing || found.trouble.empty(), found.trouble, found.missing > 0 ? "; fill them in" : "; correct it",
          may_keep ? ", " : ", or ", "drop such rows", command ? " (--drop-missing)" : "",
          may_keep ? ", or keep them" : "", may_keep && command ? " (--missing model or --missing indicator)" : "");
  require(!found.rows.empty(), begin_of(table), "every row has missing values",
          found.unknown_levels > 0 ? " or levels that the training data did not have" : "", ", so none is left");
  return std::move(found.rows);
}

void refuse_mixed(const Table& table, const Column& column) {
  const auto& texts = column.texts();
  const bool mixed =
      std::any_of(texts.begin(), texts.end(), [](const auto& text) { return parse_number(text).has_value(); });
  if (mixed) require_numeric(table, column, hint_as_in_others);
  const auto is_comma_or_missing = [](const auto& text) { return text.empty() || has_decimal_comma(text); };
  if (std::all_of(texts.begin(), texts.end(), is_comma_or_missing)) {
    require_numeric(table, column, hint_of_commas);
  }
}

}  // namespace condens
