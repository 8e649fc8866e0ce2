#include "condens/io/csv.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "columnar_text.hpp"
#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "csv_text.hpp"
#include "files.hpp"

namespace condens {

Column column_of_fields(std::string_view name, const std::vector<std::string_view>& fields, std::size_t first,
                        std::size_t step) {
  check_cancelled();
  std::vector<double> numbers;
  numbers.reserve(fields.size() / step);
  bool numeric = true;
  for (std::size_t k = first; k < fields.size() && numeric; k += step) {
    if (is_missing_mark(fields[k])) {
      numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    } else if (const auto number = parse_number(fields[k])) {
      numbers.push_back(*number);
    } else {
      numeric = false;
    }
  }
  if (numeric) return {std::string(name), std::move(numbers)};

  std::vector<std::string> texts;
  texts.reserve(fields.size() / step);
  for (std::size_t k = first; k < fields.size(); k += step) {
    const auto number = parse_number(fields[k]);
    const bool missing = is_missing_mark(fields[k]) || (number && std::isnan(*number));
    texts.emplace_back(missing ? std::string_view() : fields[k]);
  }
  return {std::string(name), std::move(texts)};
}

namespace {

/// `columnar`: the text was made of a Parquet or Arrow file.
Table table_of_text(std::string_view text, const std::string& source, const CsvOptions& options, bool columnar) {
  using namespace csv_text;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text = without_blank_end(text);
  if (columnar)
    require_texts(text, source);
  else
    require_text(text, source);
  Scanner scanner(text, source, options);
  require(!scanner.at_end(), source, ": the file is empty, expected a header and rows");

  const Index header_line = scanner.line();
  std::vector<std::string_view> header;
  scanner.record(header);
  if (!columnar) check_header(header, source, header_line);
  require(!scanner.at_end(), source, ": no rows after the header");

  std::vector<std::string_view> fields;
  std::vector<Index> lines;
  while (!scanner.at_end()) {
    const Index line = scanner.line();
    const std::size_t before = fields.size();
    scanner.record(fields);
    const std::size_t found = fields.size() - before;
    if (lines.size() % 1024 == 0) check_cancelled();
    check_fields(found, header.size(), source, line);
    lines.push_back(columnar ? std::ssize(lines) + 1 : line);
  }

  return table_of_fields(source, header, fields, std::move(lines), columnar);
}

}  // namespace

Table parse_csv(std::string_view text, const std::string& source, const CsvOptions& options) {
  return table_of_text(text, source, options, false);
}

Table read_csv(const std::string& path, const CsvOptions& options) {
  if (!is_columnar(path)) return parse_csv(read_file(path), path == "-" ? "standard input" : path, options);
  constexpr std::size_t part = 1 << 24;
  ColumnarText file(path, options.python);
  std::string text;
  while (file.read(text, part)) check_cancelled();
  return table_of_text(text, path, csv_text::of_columnar_text(options), true);
}

void CsvWriter::separate() {
  if (!first_) out_.put(separator_);
  first_ = false;
}

CsvWriter& CsvWriter::field(double value) {
  separate();
  out_ << format_number(value);
  return *this;
}

CsvWriter& CsvWriter::field(Index value) {
  separate();
  out_ << std::to_string(value);
  return *this;
}

CsvWriter& CsvWriter::field(std::string_view text) {
  separate();
  // A byte order mark at the beginning of a file would be taken for that of the file.
  const bool plain =
      !text.empty() && text.front() != ' ' && text.back() != ' ' && !text.starts_with(csv_text::byte_order_mark) &&
      text.find_first_of("\"\r\n") == std::string_view::npos && text.find(separator_) == std::string_view::npos;
  if (plain) {
    out_ << text;
    return *this;
  }
  out_.put('"');
  for (const char c : text) {
    if (c == '"') out_.put('"');
    out_.put(c);
  }
  out_.put('"');
  return *this;
}

void CsvWriter::end_row() {
  out_.put('\n');
  first_ = true;
}

void CsvWriter::row(const std::vector<std::string>& fields) {
  for (const std::string& text : fields) field(text);
  end_row();
}

void write_csv(std::ostream& out, const Table& table, char separator) {
  CsvWriter writer(out, separator);
  for (const Column& column : table.columns()) writer.field(column.name);
  writer.end_row();
  for (Index row = 0; row < table.rows(); ++row) {
    for (const Column& column : table.columns()) {
      const auto i = static_cast<std::size_t>(row);
      if (column.is_numeric()) {
        writer.field(column.numbers()[i]);
      } else {
        writer.field(column.texts()[i]);
      }
    }
    writer.end_row();
  }
}

}  // namespace condens
