#include "condens/io/csv.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "core/text.hpp"
#include "files.hpp"

namespace condens {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view trim_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Blank lines at the end belong to no row.
std::string_view without_blank_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \r\n");
  if (last == std::string_view::npos) return {};
  return text.substr(0, std::min(text.size(), text.find_first_of("\r\n", last)));
}

/// Files that people have instead of CSV: how they begin, what they are, and the way from there.
struct OtherFormat {
  std::string_view begin;
  std::string_view name;
  std::string_view advice;
};
constexpr std::string_view in_python = "condens.disk of the Python package fits such files, or write it as CSV";
constexpr std::string_view by_export = "write it as CSV in UTF-8";
constexpr std::string_view unpacked = "unpack it, or unpack it into a pipe and name '-' as the file";
constexpr OtherFormat other_formats[] = {
    {"PAR1", "a Parquet file", in_python},           {"ARROW1", "an Arrow file", in_python},
    {"\x1f\x8b", "a file packed by gzip", unpacked}, {"\x28\xb5\x2f\xfd", "a file packed by zstd", unpacked},
    {"BZh", "a file packed by bzip2", unpacked},     {"PK\x03\x04", "a ZIP archive, as spreadsheets are", by_export},
    {"\x89HDF", "an HDF5 file", by_export},          {"SIMPLE  =", "a FITS file", by_export}};

void require_text(std::string_view text, const std::string& source) {
  const std::size_t bad = std::min(find_invalid_utf8(text), text.find('\0'));
  if (bad == std::string_view::npos) return;
  for (const OtherFormat& other : other_formats) {
    require(!text.starts_with(other.begin), source, ": is ", other.name, ", expected CSV; ", other.advice);
  }
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
  throw std::invalid_argument(message(source, ":", line, ": not a text in UTF-8; save the file as CSV in UTF-8"));
}

char detect_separator(std::string_view text) {
  bool quoted = false;
  Index commas = 0, semicolons = 0, tabs = 0;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n' || c == '\r') break;
    commas += c == ',';
    semicolons += c == ';';
    tabs += c == '\t';
  }
  if (semicolons > commas && semicolons >= tabs) return ';';
  return tabs > commas ? '\t' : ',';
}

/// Cuts the text into records of fields, one pass.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& source, const CsvOptions& options)
      : text_(text), source_(source), comment_(options.comment) {
    skip_comments();
    separator_ = options.separator != 0 ? options.separator : detect_separator(text_.substr(at_));
  }

  bool at_end() const { return at_ >= text_.size(); }
  Index line() const { return line_; }

  /// Appends the fields of the record that begins here and moves on to the next.
  void record(std::vector<std::string_view>& fields) {
    do {
      fields.push_back(field());
    } while (consume(separator_));
    end_line();
    skip_comments();
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\n'; }

  bool consume(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void end_line() {
    consume('\r');
    consume('\n');
    ++line_;
  }

  void skip_comments() {
    while (comment_ != 0 && !at_end() && text_[at_] == comment_) {
      at_ = std::min(text_.size(), text_.find_first_of("\r\n", at_));
      end_line();
    }
  }

  std::string_view field() {
    while (peek() == ' ' && separator_ != ' ') ++at_;
    if (peek() == '"') return quoted_field();
    const std::size_t begin = at_;
    while (!at_end() && text_[at_] != separator_ && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
    return trim_spaces(text_.substr(begin, at_ - begin));
  }

  std::string_view quoted_field() {
    const Index begin_line = line_;
    const std::size_t begin = ++at_;
    bool doubled = false;
    while (true) {
      const std::size_t quote = text_.find('"', at_);
      require(quote != std::string_view::npos, source_, ":", begin_line,
              ": a quoted field begins here and does not end");
      line_ += std::count(text_.begin() + at_, text_.begin() + quote, '\n');
      at_ = quote + 1;
      if (!consume('"')) break;
      doubled = true;
    }
    const std::string_view inside = text_.substr(begin, at_ - 1 - begin);
    while (peek() == ' ' && separator_ != ' ') ++at_;
    require(at_end() || text_[at_] == separator_ || text_[at_] == '\n' || text_[at_] == '\r', source_, ":", line_,
            ": text after the closing quote of a field; double the quotes inside a quoted field");
    return doubled ? undouble(inside) : inside;
  }

  std::string_view undouble(std::string_view inside) {
    std::string& out = unescaped_.emplace_back();
    for (std::size_t i = 0; i < inside.size(); ++i) {
      out += inside[i];
      if (inside[i] == '"') ++i;
    }
    return out;
  }

  std::string_view text_;
  const std::string& source_;
  char comment_;
  char separator_ = ',';
  std::size_t at_ = 0;
  Index line_ = 1;
  std::deque<std::string> unescaped_;  // owns the fields that differ from the text; a deque keeps them in place
};

void check_header(const std::vector<std::string_view>& header, const std::string& source, Index line) {
  const bool all_numbers =
      std::all_of(header.begin(), header.end(), [](auto name) { return parse_number(name).has_value(); });
  require(!all_numbers, source, ":", line, ": the first line holds only numbers, expected the names of the columns");
}

}  // namespace

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

Table parse_csv(std::string_view text, const std::string& source, const CsvOptions& options) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text = without_blank_end(text);
  require_text(text, source);
  Scanner scanner(text, source, options);
  require(!scanner.at_end(), source, ": the file is empty, expected a header and rows");

  const Index header_line = scanner.line();
  std::vector<std::string_view> header;
  scanner.record(header);
  check_header(header, source, header_line);
  require(!scanner.at_end(), source, ": no rows after the header");

  std::vector<std::string_view> fields;
  std::vector<Index> lines;
  while (!scanner.at_end()) {
    const Index line = scanner.line();
    const std::size_t before = fields.size();
    scanner.record(fields);
    const std::size_t found = fields.size() - before;
    if (lines.size() % 1024 == 0) check_cancelled();
    require(found == header.size(), source, ":", line, ": ", found, found == 1 ? " field" : " fields", ", expected ",
            header.size(), " as in the header");
    lines.push_back(line);
  }

  Table table(source);
  for (std::size_t j = 0; j < header.size(); ++j) table.add(column_of_fields(header[j], fields, j, header.size()));
  table.set_lines(std::move(lines));
  return table;
}

Table read_csv(const std::string& path, const CsvOptions& options) {
  return parse_csv(read_file(path), path == "-" ? "standard input" : path, options);
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
  const bool plain = !text.empty() && text.front() != ' ' && text.back() != ' ' && !text.starts_with(byte_order_mark) &&
                     text.find_first_of("\"\r\n") == std::string_view::npos &&
                     text.find(separator_) == std::string_view::npos;
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
