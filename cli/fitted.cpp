#include "fitted.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <variant>

#include "condens/core/errors.hpp"
#include "console.hpp"
#include "core/text.hpp"

namespace condens::cli {

std::string chosen_by(const Document& options) {
  const Document* selection = options.find("selection");
  const auto* name = selection == nullptr ? nullptr : std::get_if<std::string>(&selection->value());
  if (name == nullptr || *name == "cv") return "cross-validation";
  std::string out = *name;
  for (char& letter : out) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return out;
}

std::string value_text(const Document& value) {
  if (const auto* text = std::get_if<std::string>(&value.value())) return *text;
  if (const auto* truth = std::get_if<bool>(&value.value())) return *truth ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value.value())) return format_number(*number);
  if (const auto* whole = std::get_if<std::int64_t>(&value.value())) return std::to_string(*whole);
  if (const auto* matrix = std::get_if<Matrix>(&value.value())) {
    return matrix->size() == 0 ? "none" : message(matrix->cols(), " rows of ", matrix->rows(), " numbers");
  }
  if (const auto* list = std::get_if<Document::Array>(&value.value())) {
    std::string out;
    for (const Document& item : *list) out += (out.empty() ? "" : ",") + value_text(item);
    return out.empty() ? "none" : out;
  }
  if (const auto* members = std::get_if<Document::Object>(&value.value())) {
    std::string out;
    for (const auto& [name, item] : *members) out += (out.empty() ? "" : " ") + name + "=" + value_text(item);
    return out.empty() ? "none" : out;
  }
  return std::string(value.kind());
}

std::string brief_text(const Document& chosen) {
  if (std::holds_alternative<std::string>(chosen.value())) return chosen.as_string();
  if (!std::holds_alternative<Matrix>(chosen.value())) return brief(chosen.as_number());
  const Matrix& numbers = chosen.as_matrix();
  constexpr Index most = 6;
  std::string out;
  for (Index i = 0; i < std::min(numbers.size(), most); ++i) out += (i > 0 ? "," : "") + brief(numbers.reshaped()[i]);
  return numbers.size() > most ? out + ",..." : out;
}

std::string list_text(const std::vector<std::string>& words) {
  constexpr std::size_t most = 10;
  const std::size_t listed = words.size() > most + 1 ? most : words.size();
  std::string out;
  for (std::size_t i = 0; i < listed; ++i) {
    out += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + shown(words[i]);
  }
  if (listed < words.size()) out += " and " + std::to_string(words.size() - listed) + " others";
  return out;
}

std::vector<std::string> censoring_lines(const FitReport& told) {
  const Document* account = told.details.find("censoring");
  if (account == nullptr) return {};
  const auto count = [&](const char* name) { return account->at(name).as_integer(); };
  std::string known = message("the target is exact in ", count("n_exact"), " rows");
  for (const auto& [name, kind] : {std::pair{"n_right", "right censored"}, std::pair{"n_left", "left censored"},
                                   std::pair{"n_interval", "in an interval"}, std::pair{"n_truncated", "truncated"}}) {
    if (count(name) > 0) known += message(", ", kind, " in ", count(name));
  }
  const Vector trace = account->at("log_likelihood").as_vector();
  if (trace.size() == 0) throw FormatError("the account of censoring has no log likelihood");
  return {known, message("log likelihood of what is known, a row: ", brief(trace[0]), " at the start, ",
                         brief(trace[trace.size() - 1]), " after ", count("rounds"), " rounds; the last changed it by ",
                         brief(account->at("change").as_number()))};
}

Vector inputs_at(const Encoder& encoder, const std::vector<std::pair<std::string, std::string>>& replaced) {
  Table row("");
  const std::vector<std::string> names = names_of(encoder.input_columns());
  for (const EncodedColumn& column : encoder.input_columns()) {
    if (!column.is_number())
      row.add({column.name, std::vector<std::string>{column.typical_level}});
    else
      row.add({column.name, std::vector<double>{column.typical}});
  }
  if (names.empty()) {
    require(replaced.empty(), "the model has no inputs to set");
    return Vector(0);
  }
  for (const auto& [name, text] : replaced) row.at(name, "input");
  Table changed("");
  for (const Column& column : row.columns()) {
    Column copy = column;
    for (const auto& [name, text] : replaced) {
      if (name != column.name) continue;
      const std::optional<double> number = parse_number(text);
      require(!column.is_numeric() || number, "input '", name, "' = '", text, "', expected a number");
      if (column.is_numeric())
        copy.values = std::vector<double>{*number};
      else
        copy.values = std::vector<std::string>{text};
    }
    changed.add(std::move(copy));
  }
  return encoder.encode_inputs(changed).col(0);
}

}  // namespace condens::cli
