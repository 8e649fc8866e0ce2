#pragma once
// The text of a CSV file in records of fields: what reading it whole (csv.cpp) and in blocks (csv_blocks.cpp) share.

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "condens/core/errors.hpp"
#include "condens/io/csv.hpp"

namespace condens::csv_text {

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Blank lines at the end belong to no row.
std::string_view without_blank_end(std::string_view text);

/// Throws std::invalid_argument, with the line, counted from `first_line`, for what is no text in UTF-8, and says of
/// files that are something else what they are.
void require_text(std::string_view text, const std::string& source, Index first_line = 1);

/// The same of text that was made of a Parquet or Arrow file (columnar_text.hpp): the lines are none of the file.
void require_texts(std::string_view text, const std::string& source);

/// The table of the fields of whole rows, one after the other, and the places of these: `columnar`, the number of each
/// row, else the line.
template <class Names>
Table table_of_fields(const std::string& source, const Names& names, const std::vector<std::string_view>& fields,
                      std::vector<Index> places, bool columnar) {
  Table out(source);
  for (std::size_t j = 0; j < names.size(); ++j) out.add(column_of_fields(names[j], fields, j, names.size()));
  if (columnar)
    out.set_row_numbers(std::move(places));
  else
    out.set_lines(std::move(places));
  return out;
}

/// How such text is written.
CsvOptions of_columnar_text(const CsvOptions& options);

/// Throws std::invalid_argument for a header of numbers.
void check_header(const std::vector<std::string_view>& header, const std::string& source, Index line);

/// Throws std::invalid_argument where a record has more or fewer fields than the header.
void check_fields(std::size_t found, std::size_t expected, const std::string& source, Index line);

/// Whichever of comma, semicolon and tab the header has most of.
char detect_separator(std::string_view text);

/// Where the text begins and whether there is more of the file behind it.
struct TextPart {
  Index first_line = 1;
  bool continues = false;
};

std::string_view trim_spaces(std::string_view text);

/// Cuts the text into records of fields, one pass.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& source, const CsvOptions& options, const TextPart& part = {})
      : text_(text), source_(source), comment_(options.comment), continues_(part.continues), line_(part.first_line) {
    skip_comments();
    if (continues_ && at_end()) {  // the comment may be cut, too
      at_ = 0;
      line_ = part.first_line;
    }
    separator_ = options.separator != 0 ? options.separator : detect_separator(text_.substr(at_));
  }

  bool at_end() const { return at_ >= text_.size(); }
  Index line() const { return line_; }
  std::size_t at() const { return at_; }
  char separator() const { return separator_; }

  /// Appends the fields of the record that begins here and moves on to the next. Where the text continues, a record
  /// with which it ends may be cut: then nothing is appended, the scanner stays at its beginning, and false comes back.
  bool record(std::vector<std::string_view>& fields) {
    const std::size_t begin = at_;
    const std::size_t before = fields.size();
    const Index line = line_;
    do {
      fields.push_back(field());
    } while (consume(separator_));
    end_line();
    skip_comments();
    if (!continues_ || !at_end()) return true;
    at_ = begin;
    line_ = line;
    fields.resize(before);
    return false;
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
      if (quote == std::string_view::npos && continues_) {
        at_ = text_.size();
        return {};
      }
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
  bool continues_;
  char separator_ = ',';
  std::size_t at_ = 0;
  Index line_;
  std::deque<std::string> unescaped_;  // owns the fields that differ from the text; a deque keeps them in place
};

}  // namespace condens::csv_text
