#include "condens/io/arrow.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "condens/core/errors.hpp"
#include "core/text.hpp"
#include "data/dates.hpp"

namespace condens {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// Rows begin, begin + 1, ... of an array: their places in its buffers.
struct Rows {
  const ArrowArray& array;
  std::int64_t begin;
  std::int64_t count;

  std::int64_t place(std::int64_t i) const { return array.offset + begin + i; }
};

bool bit(const void* buffer, std::int64_t at) {
  return ((static_cast<const std::uint8_t*>(buffer)[at >> 3] >> (at & 7)) & 1U) != 0;
}

bool is_null(const Rows& rows, std::int64_t i) {
  const void* valid = rows.array.n_buffers > 0 ? rows.array.buffers[0] : nullptr;
  return rows.array.null_count != 0 && valid != nullptr && !bit(valid, rows.place(i));
}

/// IEEE 754 binary16.
double half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const double fraction = bits & 0x3FF;
  double magnitude = std::ldexp(fraction, -24);
  if (exponent == 31) {
    magnitude = fraction == 0 ? infinity : nothing;
  } else if (exponent > 0) {
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// Seconds of one unit of time: s, m, u, n for seconds, milli-, micro- and nanoseconds.
double seconds_of(char unit) {
  return unit == 's' ? 1 : unit == 'm' ? 1e-3 : unit == 'u' ? 1e-6 : unit == 'n' ? 1e-9 : nothing;
}

/// What the values of a column are.
enum class Kind { absent, number, boolean, half, text, large_text, text_view, days, time, other };

Kind kind_of(std::string_view format) {
  if (format == "n") return Kind::absent;
  if (format == "b") return Kind::boolean;
  if (format == "e") return Kind::half;
  if (format == "u") return Kind::text;
  if (format == "U") return Kind::large_text;
  if (format == "vu") return Kind::text_view;
  if (format == "tdD") return Kind::days;
  if (format == "tdm" || (format.size() >= 4 && format.starts_with("ts") && !std::isnan(seconds_of(format[2])))) {
    return Kind::time;
  }
  return format.size() == 1 && std::string_view("cCsSiIlLfg").find(format[0]) != std::string_view::npos ? Kind::number
                                                                                                        : Kind::other;
}

template <class T>
T value_at(const void* buffer, std::int64_t at) {
  T out;
  std::memcpy(&out, static_cast<const char*>(buffer) + at * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return out;
}

double number_at(char format, const void* buffer, std::int64_t at) {
  switch (format) {
    case 'c':
      return value_at<std::int8_t>(buffer, at);
    case 'C':
      return value_at<std::uint8_t>(buffer, at);
    case 's':
      return value_at<std::int16_t>(buffer, at);
    case 'S':
      return value_at<std::uint16_t>(buffer, at);
    case 'i':
      return value_at<std::int32_t>(buffer, at);
    case 'I':
      return value_at<std::uint32_t>(buffer, at);
    case 'l':
      return static_cast<double>(value_at<std::int64_t>(buffer, at));
    case 'L':
      return static_cast<double>(value_at<std::uint64_t>(buffer, at));
    case 'f':
      return static_cast<double>(value_at<float>(buffer, at));
    default:
      return value_at<double>(buffer, at);
  }
}

/// One column of a table, batch after batch.
class ArrowColumn {
 public:
  explicit ArrowColumn(const ArrowSchema& schema)
      : name_(schema.name == nullptr ? "" : schema.name),
        format_(schema.format == nullptr ? "" : schema.format),
        kind_(kind_of(format_)) {
    if (schema.dictionary != nullptr) {
      levels_ = std::make_unique<ArrowColumn>(*schema.dictionary);
      levels_->name_ = name_;
      require(kind_ == Kind::number && format_ != "f" && format_ != "g", "column '", name_,
              "': a dictionary's Arrow format is '", format_, "', expected integers");
    }
    require(kind_ != Kind::other, "column '", name_, "' has the Arrow format '", format_,
            "', expected numbers, Booleans, texts, dates, or dictionaries of these; cast it first");
  }

  void append(const Rows& rows) {
    check(rows);
    if (levels_ != nullptr) {
      append_levels(rows);
    } else if (is_text()) {
      for (std::int64_t i = 0; i < rows.count; ++i) texts_.push_back(is_null(rows, i) ? std::string() : text(rows, i));
    } else {
      for (std::int64_t i = 0; i < rows.count; ++i) numbers_.push_back(is_null(rows, i) ? nothing : number(rows, i));
    }
  }

  Column column() && {
    if (is_text()) return {std::move(name_), std::move(texts_)};
    return {std::move(name_), std::move(numbers_)};
  }

 private:
  bool is_text() const {
    if (levels_ != nullptr) return levels_->is_text();
    return kind_ == Kind::text || kind_ == Kind::large_text || kind_ == Kind::text_view || kind_ == Kind::days ||
           kind_ == Kind::time;
  }

  void check(const Rows& rows) const {
    const ArrowArray& array = rows.array;
    require(array.offset >= 0 && rows.begin >= 0 && rows.count >= 0 && rows.begin + rows.count <= array.length,
            "column '", name_, "' has ", array.length, " rows, expected ", rows.begin + rows.count);
    const std::int64_t buffers = kind_ == Kind::absent ? 0 : kind_ == Kind::text || kind_ == Kind::large_text ? 3 : 2;
    bool there = array.n_buffers >= buffers;
    for (std::int64_t i = 1; i < buffers && there && rows.count > 0; ++i) {
      there = array.buffers[i] != nullptr || i == 2;  // texts that are all empty need no bytes
    }
    require(there, "column '", name_, "' lacks some of its ", buffers, " buffers");
    require(levels_ == nullptr || array.dictionary != nullptr, "column '", name_, "' lacks its dictionary");
  }

  double number(const Rows& rows, std::int64_t i) const {
    if (kind_ == Kind::absent) return nothing;
    const void* values = rows.array.buffers[1];
    if (kind_ == Kind::boolean) return bit(values, rows.place(i)) ? 1.0 : 0.0;
    if (kind_ == Kind::half) return half(value_at<std::uint16_t>(values, rows.place(i)));
    return number_at(format_[0], values, rows.place(i));
  }

  std::string text(const Rows& rows, std::int64_t i) const {
    const void* values = rows.array.buffers[1];
    const std::int64_t at = rows.place(i);
    if (kind_ == Kind::days) return date(value_at<std::int32_t>(values, at));
    if (kind_ == Kind::time) {
      const double unit = format_ == "tdm" ? 1e-3 : seconds_of(format_[2]);
      return date(static_cast<double>(value_at<std::int64_t>(values, at)) * unit / 86400.0);
    }
    const std::string_view out = kind_ == Kind::text         ? bytes<std::int32_t>(rows, at)
                                 : kind_ == Kind::large_text ? bytes<std::int64_t>(rows, at)
                                                             : viewed(rows, at);
    require(find_invalid_utf8(out) == std::string_view::npos, "column '", name_, "', row ", i + 1,
            " of its batch (counting from 1): not a text in UTF-8");
    return std::string(out);
  }

  std::string date(double days) const {
    constexpr double first = -719162;  // 0001-01-01
    constexpr double last = 2932896;   // 9999-12-31
    require(days >= first && days < last + 1, "column '", name_, "': a date is ", days,
            " days from 1970-01-01, expected the years 1 to 9999");
    return format_date(days);
  }

  template <class Offset>
  std::string_view bytes(const Rows& rows, std::int64_t at) const {
    const auto begin = value_at<Offset>(rows.array.buffers[1], at);
    const auto end = value_at<Offset>(rows.array.buffers[1], at + 1);
    require(begin >= 0 && end >= begin, "column '", name_, "': a text ends before it begins");
    if (begin == end) return {};
    require(rows.array.buffers[2] != nullptr, "column '", name_, "' lacks the buffer of its texts");
    return {static_cast<const char*>(rows.array.buffers[2]) + begin, static_cast<std::size_t>(end - begin)};
  }

  /// Short texts stand in the view itself, longer ones in one of the further buffers.
  std::string_view viewed(const Rows& rows, std::int64_t at) const {
    constexpr std::int32_t most_inside = 12;
    const char* view = static_cast<const char*>(rows.array.buffers[1]) + 16 * at;
    const auto length = value_at<std::int32_t>(view, 0);
    require(length >= 0, "column '", name_, "': a text has ", length, " bytes");
    if (length <= most_inside) return {view + 4, static_cast<std::size_t>(length)};
    const auto buffer = value_at<std::int32_t>(view, 2);
    const auto begin = value_at<std::int32_t>(view, 3);
    // The last buffer holds the sizes of those in between.
    require(buffer >= 0 && begin >= 0 && buffer + 3 < rows.array.n_buffers && rows.array.buffers[2 + buffer] != nullptr,
            "column '", name_, "': a text is in a buffer that is not there");
    return {static_cast<const char*>(rows.array.buffers[2 + buffer]) + begin, static_cast<std::size_t>(length)};
  }

  void append_levels(const Rows& rows) {
    const ArrowArray& dictionary = *rows.array.dictionary;
    levels_->texts_.clear();
    levels_->numbers_.clear();
    levels_->append({dictionary, 0, dictionary.length});
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const double code = is_null(rows, i) ? nothing : number(rows, i);
      require(std::isnan(code) || (code >= 0 && code < static_cast<double>(dictionary.length)), "column '", name_,
              "': level ", code, " of ", dictionary.length, " (counting from 0)");
      const std::size_t level = std::isnan(code) ? 0 : static_cast<std::size_t>(code);
      if (is_text()) {
        texts_.push_back(std::isnan(code) ? std::string() : levels_->texts_[level]);
      } else {
        numbers_.push_back(std::isnan(code) ? nothing : levels_->numbers_[level]);
      }
    }
  }

  std::string name_;
  std::string format_;
  Kind kind_;
  std::unique_ptr<ArrowColumn> levels_;  // of a dictionary
  std::vector<double> numbers_;
  std::vector<std::string> texts_;
};

std::vector<ArrowColumn> columns_of(const ArrowSchema& schema) {
  const std::string_view format = schema.format == nullptr ? "" : schema.format;
  require(format == "+s", "the Arrow format is '", format, "', expected '+s', a table (an array of structs)");
  std::vector<ArrowColumn> out;
  for (std::int64_t i = 0; i < schema.n_children; ++i) out.emplace_back(*schema.children[i]);
  return out;
}

void append(const ArrowArray& batch, std::vector<ArrowColumn>& columns) {
  require(batch.n_children == std::ssize(columns), "a batch has ", batch.n_children, " columns, expected ",
          columns.size());
  require(batch.null_count <= 0 || batch.n_buffers == 0 || batch.buffers[0] == nullptr,
          "a batch has rows that are null as a whole, expected nulls in columns");
  require(batch.length >= 0 && batch.offset >= 0, "a batch has ", batch.length, " rows from row ", batch.offset,
          ", expected numbers >= 0");
  for (std::int64_t i = 0; i < batch.n_children; ++i) {
    columns[static_cast<std::size_t>(i)].append({*batch.children[i], batch.offset, batch.length});
  }
}

Table table_of(std::vector<ArrowColumn> columns) {
  Table out;
  for (ArrowColumn& column : columns) out.add(std::move(column).column());
  return out;
}

/// Releases what a stream hands over, and the stream.
template <class T>
struct Released {
  T& value;
  ~Released() {
    if (value.release != nullptr) value.release(&value);
  }
};

void check_stream(ArrowArrayStream& stream, int status, std::string_view what) {
  if (status == 0) return;
  const char* said = stream.get_last_error(&stream);
  throw std::runtime_error(
      message("the Arrow stream has no ", what, ": ", said == nullptr ? std::strerror(status) : said));
}

}  // namespace

Table table_from_arrow(const ArrowSchema& schema, const ArrowArray& batch) {
  std::vector<ArrowColumn> columns = columns_of(schema);
  append(batch, columns);
  return table_of(std::move(columns));
}

Table table_from_arrow(ArrowArrayStream& stream) {
  const Released<ArrowArrayStream> held{stream};
  require(stream.release != nullptr, "the Arrow stream has been released, expected one that has not been read");
  ArrowSchema schema{};
  const Released<ArrowSchema> held_schema{schema};
  check_stream(stream, stream.get_schema(&stream, &schema), "schema");
  std::vector<ArrowColumn> columns = columns_of(schema);
  while (true) {
    ArrowArray batch{};
    const Released<ArrowArray> held_batch{batch};
    check_stream(stream, stream.get_next(&stream, &batch), "next batch");
    if (batch.release == nullptr) return table_of(std::move(columns));
    append(batch, columns);
  }
}

}  // namespace condens
