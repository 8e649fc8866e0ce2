#include "condens/core/options.hpp"

#include <algorithm>
#include <charconv>

#include "names.hpp"
#include "text.hpp"

namespace condens {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string expected(const OptionInfo& info) {
  const std::string bounds = to_string(info.bounds);
  const std::string suffix = bounds.empty() ? "" : " " + bounds;
  const std::string numbers = info.bounds.whole ? "whole numbers" : "numbers";
  if (info.type == "boolean") return "true or false";
  if (info.type == "integer") return "a whole number" + suffix;
  if (info.type == "number") return "a number" + suffix;
  if (info.type == "numbers") return "a list of " + numbers + ", each" + (suffix.empty() ? " finite" : suffix);
  if (info.type == "text") return "a text";
  if (info.type == "texts") return "a list of texts";
  if (info.type == "matrix") return "a matrix of finite numbers";
  if (info.type == "options") return "options with their values";
  std::string choices = "one of ";
  for (std::size_t i = 0; i < info.choices.size(); ++i) choices += (i == 0 ? "" : ", ") + info.choices[i];
  return choices;
}

/// The same, with a far end where the number lies beyond it.
std::string expected_of(const OptionInfo& info, double number) {
  const double low = info.bounds.low;
  const double high = info.bounds.high;
  std::string told = expected(info);
  if (!std::isfinite(number)) return told;
  if (number > high && high == (info.bounds.whole ? largest_count : largest_number))
    return message(told, ", at most ", high);
  if (number < low && low == -largest_number) return message(told, ", at least ", low);
  if (number > 0 && number < low && low == smallest_positive) return message(told, ", at least ", low);
  return told;
}

bool is_number(const Document& value) {
  return std::holds_alternative<double>(value.value()) || std::holds_alternative<std::int64_t>(value.value());
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

double parse_number(std::string_view owner, const OptionInfo& info, std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    detail::bad_option(owner, info.name, "'" + shown(text) + "'", expected(info));
  }
  return value;
}

}  // namespace

Bounds as_told(Bounds bounds) {
  if (bounds.low == smallest_positive) {
    bounds.low = 0;
    bounds.low_open = true;
  }
  if (bounds.low == -largest_number) bounds.low = -infinity;
  if (bounds.high == (bounds.whole ? largest_count : largest_number)) bounds.high = infinity;
  return bounds;
}

std::string to_string(const Bounds& bounds) {
  const Bounds told = as_told(bounds);
  const bool below = std::isfinite(told.high);
  const bool above = std::isfinite(told.low);
  if (above && below) {
    return message("in ", told.low_open ? '(' : '[', told.low, ", ", told.high, told.high_open ? ')' : ']');
  }
  if (above) return message(told.low_open ? "> " : ">= ", told.low);
  if (below) return message(told.high_open ? "< " : "<= ", told.high);
  return "";
}

void require_distinct(std::string_view owner, std::string_view name, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto twice = std::adjacent_find(values.begin(), values.end());
  if (twice == values.end()) return;
  throw std::invalid_argument(message(owner, ": ", name, " has ", *twice, " twice, expected numbers that differ"));
}

namespace detail {

void bad_option(std::string_view owner, std::string_view name, const std::string& value, const std::string& expected) {
  throw std::invalid_argument(message(owner, ": ", name, " = ", value, ", expected ", expected));
}

std::string to_text(const Document& value) {
  if (const auto* text = std::get_if<std::string>(&value.value())) return "'" + shown(*text) + "'";
  if (const auto* truth = std::get_if<bool>(&value.value())) return *truth ? "true" : "false";
  if (is_number(value)) return message(value.as_number());
  return std::string(value.kind());
}

Document number_list(const std::vector<double>& values) { return Document(values); }

bool read_bool(std::string_view owner, const OptionInfo& info, const Document& value) {
  if (const auto* truth = std::get_if<bool>(&value.value())) return *truth;
  bad_option(owner, info.name, to_text(value), expected(info));
}

Index read_integer(std::string_view owner, const OptionInfo& info, const Document& value) {
  OptionInfo own = info;
  own.bounds.whole = true;
  own.bounds.high = std::min(own.bounds.high, largest_count);
  return static_cast<Index>(read_number(owner, own, value));
}

double read_number(std::string_view owner, const OptionInfo& info, const Document& value) {
  const double number = is_number(value) ? value.as_number() : std::nan("");
  if (!info.bounds.contain(number)) {
    const bool share = info.bounds.low >= 0 && info.bounds.high == 1;
    bad_option(owner, info.name, to_text(value),
               expected_of(info, number) + (share ? share_of_percentage(number) : ""));
  }
  return number;
}

std::vector<double> read_numbers(std::string_view owner, const OptionInfo& info, const Document& value) {
  if (is_number(value)) return {read_number(owner, info, value)};
  if (!std::holds_alternative<Document::Array>(value.value())) {
    bad_option(owner, info.name, to_text(value), expected(info));
  }
  std::vector<double> out;
  for (const Document& item : value.as_array()) out.push_back(read_number(owner, info, item));
  if (info.bounds.filled && out.empty()) {
    const std::string_view expected = info.bounds.expected_of_empty;
    throw std::invalid_argument(
        message(owner, ": ", info.name, " is empty, expected ",
                expected.empty() ? "at least one number " + to_string(info.bounds) : std::string(expected)));
  }
  if (info.bounds.distinct) require_distinct(owner, info.name, out);
  return out;
}

std::string read_text(std::string_view owner, const OptionInfo& info, const Document& value) {
  if (const auto* text = std::get_if<std::string>(&value.value())) return *text;
  bad_option(owner, info.name, to_text(value), expected(info));
}

std::vector<std::string> read_texts(std::string_view owner, const OptionInfo& info, const Document& value) {
  if (std::holds_alternative<std::string>(value.value())) return {value.as_string()};
  if (!std::holds_alternative<Document::Array>(value.value())) {
    bad_option(owner, info.name, to_text(value), expected(info));
  }
  std::vector<std::string> out;
  for (const Document& item : value.as_array()) out.push_back(read_text(owner, info, item));
  return out;
}

Matrix read_matrix(std::string_view owner, const OptionInfo& info, const Document& value) {
  const auto* matrix = std::get_if<Matrix>(&value.value());
  if (matrix == nullptr || !matrix->allFinite()) bad_option(owner, info.name, to_text(value), expected(info));
  for (const double number : matrix->reshaped()) {
    if (!info.bounds.contain(number)) {
      bad_option(owner, info.name, message("a matrix with the entry ", number), expected_of(info, number));
    }
  }
  return *matrix;
}

Document read_options(std::string_view owner, const OptionInfo& info, const Document& value) {
  if (value.is_null()) return Document::Object{};
  if (!std::holds_alternative<Document::Object>(value.value())) {
    bad_option(owner, info.name, to_text(value), expected(info));
  }
  return value;
}

int read_choice(std::string_view owner, const OptionInfo& info, const Document& value) {
  if (const auto* text = std::get_if<std::string>(&value.value())) {
    for (std::size_t i = 0; i < info.choices.size(); ++i) {
      if (info.choices[i] == *text) return static_cast<int>(i);
    }
  }
  bad_option(owner, info.name, to_text(value), expected(info));
}

namespace {

OptionInfo describe(const PlacedOption& option) {
  OptionInfo info{
      std::string(option.name), std::string(option.type->name), *option.bounds, {}, std::string(option.text)};
  info.choices.assign(option.type->choices.begin(), option.type->choices.end());
  if (option.type->options != nullptr) info.options = option.type->options();
  return info;
}

}  // namespace

std::vector<OptionInfo> describe_options(std::span<const PlacedOption> options) {
  std::vector<OptionInfo> out;
  for (const PlacedOption& option : options) out.push_back(describe(option));
  return out;
}

Document options_to_document(std::span<const PlacedOption> options) {
  Document out(Document::Object{});
  for (const PlacedOption& option : options) out.set(option.name, option.type->write(option.value));
  return out;
}

void set_options(std::span<const PlacedOption> options, std::string_view owner, const Document& values) {
  if (values.is_null()) return;
  for (const auto& [name, value] : values.as_object()) {
    const auto option = std::find_if(options.begin(), options.end(),
                                     [&key = name](const PlacedOption& one) { return one.name == key; });
    if (option == options.end()) find_option(owner, describe_options(options), name);
    option->type->read(owner, describe(*option), value, option->value);
  }
}

void validate_options(std::span<const PlacedOption> options, std::string_view owner) {
  set_options(options, owner, options_to_document(options));
}

}  // namespace detail

const OptionInfo& find_option(std::string_view owner, const std::vector<OptionInfo>& options, std::string_view name) {
  std::vector<std::string> names;
  for (const OptionInfo& option : options) {
    if (option.name == name) return option;
    names.push_back(option.name);
  }
  throw std::invalid_argument(
      message(owner, ": unknown option '", name, "'; the options are ", list_names(names), did_you_mean(name, names)));
}

void check_options(std::string_view owner, const std::vector<OptionInfo>& options, const Document& values) {
  for (const auto& [name, value] : values.as_object()) {
    const OptionInfo& info = find_option(owner, options, name);
    if (info.type == "boolean") detail::read_bool(owner, info, value);
    if (info.type == "integer") detail::read_integer(owner, info, value);
    if (info.type == "number") detail::read_number(owner, info, value);
    if (info.type == "text") detail::read_text(owner, info, value);
    if (info.type == "texts") detail::read_texts(owner, info, value);
    if (info.type == "numbers") detail::read_numbers(owner, info, value);
    if (info.type == "matrix") detail::read_matrix(owner, info, value);
    if (info.type == "choice") detail::read_choice(owner, info, value);
    if (info.type == "options") {
      const Document inside = detail::read_options(owner, info, value);
      if (!info.options.empty()) check_options(message(owner, ": ", name), info.options, inside);
    }
  }
}

Document parse_option(std::string_view owner, const OptionInfo& info, std::string_view text) {
  if (info.type == "boolean") {
    if (text == "true" || text == "1" || text == "yes") return true;
    if (text == "false" || text == "0" || text == "no") return false;
    return std::string(text);  // set_options says what was expected
  }
  if (info.type == "choice" || info.type == "text" || info.type == "options") return std::string(text);
  if (info.type == "integer" || info.type == "number") return parse_number(owner, info, text);
  if (info.type == "texts") {
    std::vector<std::string> values;
    if (!text.empty()) {
      for (const std::string_view part : split(text, ',')) values.emplace_back(trimmed(part));
    }
    return Document(values);
  }
  if (info.type == "numbers") {
    std::vector<double> values;
    if (!text.empty()) {
      for (const std::string_view part : split(text, ',')) values.push_back(parse_number(owner, info, part));
    }
    return Document(values);
  }
  const auto rows = split(text, ';');
  Matrix out(static_cast<Index>(split(rows.front(), ',').size()), static_cast<Index>(rows.size()));
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const auto entries = split(rows[j], ',');
    if (static_cast<Index>(entries.size()) != out.rows()) {
      detail::bad_option(owner, info.name, "'" + shown(rows[j]) + "'",
                         message("rows of ", out.rows(), " numbers, as the first one has"));
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      out(static_cast<Index>(i), static_cast<Index>(j)) = parse_number(owner, info, entries[i]);
    }
  }
  return out;
}

}  // namespace condens
