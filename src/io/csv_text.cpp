#include "csv_text.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace condens::csv_text {

namespace {

/// Files that people have instead of CSV: how they begin, what they are, and the way from there.
struct OtherFormat {
  std::string_view begin;
  std::string_view name;
  std::string_view advice;
};
constexpr std::string_view by_name = "name the file, from which Python with pyarrow reads it, or write it as CSV";
constexpr std::string_view by_export = "write it as CSV in UTF-8";
constexpr std::string_view unpacked = "unpack it, or unpack it into a pipe and name '-' as the file";
constexpr OtherFormat other_formats[] = {{"PAR1", "a Parquet file", by_name},
                                         {"ARROW1", "an Arrow file", by_name},
                                         {"\x1f\x8b", "a file packed by gzip", unpacked},
                                         {"\x28\xb5\x2f\xfd", "a file packed by zstd", unpacked},
                                         {"BZh", "a file packed by bzip2", unpacked},
                                         {"PK\x03\x04", "a ZIP archive, as spreadsheets are", by_export},
                                         {"\x89HDF", "an HDF5 file", by_export},
                                         {"SIMPLE  =", "a FITS file", by_export}};

/// Where the first byte is that no text holds.
std::size_t find_no_text(std::string_view text) { return std::min(find_invalid_utf8(text), text.find('\0')); }

}  // namespace

std::string_view trim_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string_view without_blank_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \r\n");
  if (last == std::string_view::npos) return {};
  return text.substr(0, std::min(text.size(), text.find_first_of("\r\n", last)));
}

void require_text(std::string_view text, const std::string& source, Index first_line) {
  const std::size_t bad = find_no_text(text);
  if (bad == std::string_view::npos) return;
  for (const OtherFormat& other : other_formats) {
    require(!text.starts_with(other.begin), source, ": is ", other.name, ", expected CSV; ", other.advice);
  }
  const auto line = first_line + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
  throw std::invalid_argument(message(source, ":", line, ": not a text in UTF-8; save the file as CSV in UTF-8"));
}

void require_texts(std::string_view text, const std::string& source) {
  require(find_no_text(text) == std::string_view::npos, source,
          ": a text in it is not UTF-8, or holds the character 0; correct it, or leave its column out");
}

CsvOptions of_columnar_text(const CsvOptions& options) {
  return {.separator = ',', .comment = 0, .python = options.python};
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

void check_header(const std::vector<std::string_view>& header, const std::string& source, Index line) {
  const bool all_numbers =
      std::all_of(header.begin(), header.end(), [](auto name) { return parse_number(name).has_value(); });
  require(!all_numbers, source, ":", line, ": the first line holds only numbers, expected the names of the columns");
}

void check_fields(std::size_t found, std::size_t expected, const std::string& source, Index line) {
  require(found == expected, source, ":", line, ": ", found, found == 1 ? " field" : " fields", ", expected ", expected,
          " as in the header");
}

}  // namespace condens::csv_text
