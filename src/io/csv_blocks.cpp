#include "condens/io/csv_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <utility>

#include "columnar_text.hpp"
#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "csv_text.hpp"
#include "data/middle_numbers.hpp"
#include "files.hpp"

namespace condens {

namespace {

constexpr std::size_t longest_row = 1 << 28;
constexpr std::size_t usual_header = 1 << 16;  // bytes in which it is found

std::unique_ptr<ByteSource> open_table(const std::string& path, bool columnar, const CsvOptions& options) {
  if (columnar) return std::make_unique<ColumnarText>(path, options.python);
  return std::make_unique<InputFile>(path);
}

/// The text without the part of a character at its end, if it ends with one.
std::string_view whole_characters(std::string_view text) {
  constexpr std::size_t longest = 4;
  for (std::size_t back = 1; back <= std::min(longest, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;  // one that continues a character
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return length > back ? text.substr(0, text.size() - back) : text;
  }
  return text;
}

}  // namespace

CsvBlocks::CsvBlocks(std::string path, const CsvOptions& options, std::size_t bytes)
    : path_(std::move(path)),
      columnar_(is_columnar(path_)),
      options_(columnar_ ? csv_text::of_columnar_text(options) : options),
      bytes_(std::max<std::size_t>(bytes, 1)) {
  if (path_ == "-") throw std::runtime_error("standard input can be read once only; expected a file");
  scan([](const auto&, const auto&) { return false; }, std::min(bytes_, usual_header));
}

Table CsvBlocks::table_of(const std::vector<std::string_view>& fields, std::vector<Index> lines) const {
  return csv_text::table_of_fields(path_, names_, fields, std::move(lines), columnar_);
}

Table CsvBlocks::header() const { return table_of({}, {}); }

void CsvBlocks::read(const std::function<void(const Table& block)>& visit) {
  read_fields([&](const std::vector<std::string_view>& fields, const std::vector<Index>& lines) {
    visit(table_of(fields, lines));
  });
}

void CsvBlocks::read_fields(const Visit& visit) {
  scan(
      [&](const auto& fields, const auto& lines) {
        visit(fields, lines);
        return true;
      },
      bytes_);
}

void CsvBlocks::scan(const std::function<bool(const std::vector<std::string_view>&, const std::vector<Index>&)>& visit,
                     std::size_t bytes) {
  using namespace csv_text;
  const std::unique_ptr<ByteSource> file = open_table(path_, columnar_, options_);
  CsvOptions options = options_;
  std::string text;
  std::vector<std::string_view> fields;
  std::vector<Index> lines;
  Index line = 1;
  Index row = 0;
  bool has_header = false;
  bool has_rows = false;
  for (bool continues = true; continues;) {
    check_cancelled();
    require(text.size() <= longest_row, path_, ":", line, ": a row of more than ", longest_row >> 20,
            " MiB begins here; a quote may be missing");
    continues = file->read(text, std::max(bytes, text.size()));
    const bool marked = !has_header && text.starts_with(byte_order_mark);
    const std::size_t begin = marked ? byte_order_mark.size() : 0;
    std::string_view rest = std::string_view(text).substr(begin);
    rest = without_blank_end(continues ? whole_characters(rest) : rest);
    if (columnar_)
      require_texts(rest, path_);
    else
      require_text(rest, path_, line);
    const TextPart part{.first_line = line, .continues = continues};
    Scanner scanner(rest, path_, options, part);
    if (!has_header) {
      require(continues || !scanner.at_end(), path_, ": the file is empty, expected a header and rows");
      const Index header_line = scanner.line();
      fields.clear();
      if (!scanner.record(fields)) continue;
      if (!columnar_) check_header(fields, path_, header_line);
      names_.assign(fields.begin(), fields.end());
      header();  // refuses empty and equal names
      options.separator = scanner.separator();
      has_header = true;
    }
    fields.clear();
    lines.clear();
    while (!scanner.at_end()) {
      const Index here = scanner.line();
      const std::size_t before = fields.size();
      if (!scanner.record(fields)) break;
      check_fields(fields.size() - before, names_.size(), path_, here);
      if (lines.size() % 1024 == 0) check_cancelled();
      lines.push_back(columnar_ ? ++row : here);
    }
    has_rows = has_rows || !lines.empty();
    if (!lines.empty() && !visit(fields, lines)) return;
    line = scanner.line();
    text.erase(0, begin + scanner.at());
  }
  require(has_rows, path_, ": no rows after the header");
}

SampledTable sample_csv(CsvBlocks& file, std::string_view column, Index count, std::uint64_t seed) {
  require(count >= 1, "count = ", count, ", expected a number of rows >= 1");
  const Table header = file.header();
  header.at(column, "target");
  std::vector<std::string> names;
  for (const Column& own : header.columns()) names.push_back(own.name);
  const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), column) - names.begin());
  const auto stratum_of = [](std::string_view field) -> std::size_t {
    const double value = is_missing_mark(field) ? 0.0 : parse_number(field).value_or(0.0);
    return ordered_bits(std::isnan(value) ? 0.0 : value) >> 48;
  };

  std::vector<Index> rows(1 << 16);  // of each stratum
  Index total = 0;
  file.read_fields([&](const auto& fields, const auto& lines) {
    for (std::size_t k = place; k < fields.size(); k += names.size()) ++rows[stratum_of(fields[k])];
    total += std::ssize(lines);
  });
  RandomStream random(seed);
  std::vector<Index> wanted = rows;
  if (total > count) {
    const double step = static_cast<double>(total) / static_cast<double>(count);
    const double start = random.uniform();
    Index end = 0;
    Index taken = 0;
    for (std::size_t s = 0; s < rows.size(); ++s) {
      end += rows[s];
      const Index before = taken;
      while (taken < count && (static_cast<double>(taken) + start) * step < static_cast<double>(end)) ++taken;
      wanted[s] = taken - before;
    }
  }

  std::deque<std::string> kept;
  std::vector<Index> kept_lines;
  file.read_fields([&](const auto& fields, const auto& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto record = fields.begin() + static_cast<std::ptrdiff_t>(i * names.size());
      const std::size_t s = stratum_of(record[static_cast<std::ptrdiff_t>(place)]);
      require(rows[s] > 0, table_has_changed);
      // Selection sampling (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S).
      const bool take = random.uniform() * static_cast<double>(rows[s]--) < static_cast<double>(wanted[s]);
      if (!take) continue;
      --wanted[s];
      kept.insert(kept.end(), record, record + std::ssize(names));
      kept_lines.push_back(lines[i]);
    }
  });
  return {file.table_of({kept.begin(), kept.end()}, std::move(kept_lines)), total};
}

}  // namespace condens
