#include "request_words.hpp"

#include <algorithm>
#include <map>

#include "arguments.hpp"
#include "condens/core/errors.hpp"
#include "condens/io/csv.hpp"
#include "core/names.hpp"
#include "core/text.hpp"

namespace condens::cli {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    require(high >= 0 && low >= 0, "the query has '", text.substr(i, 3), "', expected % and two hexadecimal digits");
    out += static_cast<char>(16 * high + low);
    i += 2;
  }
  require(find_invalid_utf8(out) == std::string::npos, "the query has '", out, "', expected UTF-8");
  return out;
}

std::string without_dashes(std::string text) {
  while (text.starts_with('-')) text.erase(0, 1);
  return text;
}

std::vector<std::string> words_known(const CLI::App& verb) {
  std::vector<std::string> out;
  for (const CLI::Option* option : verb.get_options({})) out.push_back(without_dashes(option->get_name()));
  return out;
}

/// The value as the field of a CSV file.
std::string field_of(const Document& value, Index row, const std::string& column) {
  if (value.is_null()) return "";
  if (const auto* text = std::get_if<std::string>(&value.value())) return *text;
  if (const auto* number = std::get_if<double>(&value.value())) return format_number(*number);
  if (const auto* whole = std::get_if<std::int64_t>(&value.value())) return std::to_string(*whole);
  if (const auto* truth = std::get_if<bool>(&value.value())) return *truth ? "true" : "false";
  throw std::invalid_argument(message("row ", row + 1, " (counting from 1): '", column, "' is ", value.kind(),
                                      ", expected a number, a text, true, false or null"));
}

}  // namespace

Words words_of_query(std::string_view query) {
  Words out;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    std::string name = decoded(part.substr(0, equals));
    const bool twice = std::any_of(out.begin(), out.end(), [&](const auto& own) { return own.first == name; });
    require(!twice, "'", name, "' is given more than once");
    out.emplace_back(std::move(name), equals < part.size() ? decoded(part.substr(equals + 1)) : "");
  }
  return out;
}

void take_words(const Words& words, CLI::App& verb) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : words) {
    const std::vector<std::string> known = words_known(verb);
    require(std::find(known.begin(), known.end(), name) != known.end(), "unknown word '", name, "', expected one of ",
            list_names(known), did_you_mean(name, known));
    const std::string kind = verb.get_option("--" + name)->get_type_name();  // empty of what is there or not
    if (!kind.empty()) {
      require(!value.empty(), name, " has no value, expected ", name, "=", kind);
      arguments.push_back("--" + name + "=" + value);
      continue;
    }
    require(value.empty() || value == "true" || value == "false", name, " = '", value, "', expected true or false");
    if (value != "false") arguments.push_back("--" + name);
  }
  try {
    verb.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // takes words from the back
  } catch (const CLI::ParseError& error) {
    throw std::invalid_argument(without_dashes(words_for(error, verb)));
  }
}

Table table_of_rows(const Document& rows, Index most) {
  const Document::Array one{rows};
  const bool single = std::holds_alternative<Document::Object>(rows.value());
  require(single || std::holds_alternative<Document::Array>(rows.value()), "the body is ", rows.kind(),
          ", expected a list of objects, one for each row");
  const Document::Array& list = single ? one : rows.as_array();
  require(!list.empty(), "the body is an empty list, expected an object for each row");

  const auto count = std::ssize(list);
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> fields;  // of every column
  std::map<std::string, std::size_t, std::less<>> place_of;
  for (Index i = 0; i < count; ++i) {
    const auto* row = std::get_if<Document::Object>(&list[static_cast<std::size_t>(i)].value());
    require(row != nullptr, "row ", i + 1, " (counting from 1) is ", list[static_cast<std::size_t>(i)].kind(),
            ", expected an object of columns and values");
    for (const auto& [name, value] : *row) {
      const auto [found, added] = place_of.try_emplace(name, names.size());
      if (added) {
        names.push_back(name);
        require(std::ssize(names) * count <= most, "the rows have ", names.size(), " columns or more, and ", count,
                " rows, expected at most ", most, " values");
        fields.emplace_back(static_cast<std::size_t>(count));
      }
      fields[found->second][static_cast<std::size_t>(i)] = field_of(value, i, name);
    }
  }
  Table table;
  for (std::size_t j = 0; j < names.size(); ++j) {
    table.add(column_of_fields(names[j], {fields[j].begin(), fields[j].end()}));
  }
  // Without inputs nothing needs to be said of a row.
  if (names.empty()) table.add({"row", std::vector<double>(static_cast<std::size_t>(count))});
  return table;
}

}  // namespace condens::cli
