// The part of a model file that says how columns become numbers.

#include <algorithm>
#include <functional>
#include <utility>

#include "column_roles.hpp"
#include "condens/core/errors.hpp"
#include "condens/data/encoder.hpp"

namespace condens {

namespace {

Document to_document(const EncodedColumn& column) {
  Document out;
  out.set("name", column.name);
  if (!column.missing_of.empty()) out.set("missing_of", column.missing_of);
  if (column.is_categorical()) {
    return out.set("levels", Document(column.levels)).set("typical", column.typical_level);
  }
  return out.set("low", column.low).set("typical", column.typical).set("high", column.high);
}

EncodedColumn column_from_document(const Document& document) {
  EncodedColumn out{.name = document.at("name").as_string()};
  if (const Document* of = document.find("missing_of")) out.missing_of = of->as_string();
  if (document.find("levels") == nullptr) {
    out.low = document.at("low").as_number();
    out.typical = document.at("typical").as_number();
    out.high = document.at("high").as_number();
    const bool ordered = out.low <= out.typical && out.typical <= out.high;
    if (!ordered) throw FormatError(message("encoder: column '", out.name, "' needs low <= typical <= high"));
    return out;
  }
  out.levels = document.at("levels").as_strings();
  out.typical_level = document.at("typical").as_string();
  const bool increasing =
      std::adjacent_find(out.levels.begin(), out.levels.end(), std::greater_equal<>()) == out.levels.end();
  if (out.levels.empty() || !increasing || !contains(out.levels, out.typical_level)) {
    throw FormatError(message("encoder: column '", out.name, "' needs sorted levels, and a typical one among them"));
  }
  return out;
}

std::vector<EncodedColumn> columns_from_document(const Document& document) {
  std::vector<EncodedColumn> out;
  for (const Document& item : document.as_array()) out.push_back(column_from_document(item));
  return out;
}

}  // namespace

Document Encoder::to_document() const {
  Document::Array inputs;
  Document::Array targets;
  for (const EncodedColumn& input : inputs_) inputs.push_back(condens::to_document(input));
  for (const EncodedColumn& target : targets_) targets.push_back(condens::to_document(target));
  Document out;
  out.set("inputs", std::move(inputs)).set("targets", std::move(targets)).set("weight", weight_);
  if (marks_missing()) out.set("missing", "indicator");
  return out;
}

Encoder Encoder::from_document(const Document& document) {
  Encoder out;
  out.inputs_ = columns_from_document(document.at("inputs"));
  out.targets_ = columns_from_document(document.at("targets"));
  out.weight_ = document.at("weight").as_string();
  if (const Document* missing = document.find("missing")) {
    if (missing->as_string() != "indicator") throw FormatError("encoder: missing is none of error, indicator");
    out.missing_ = MissingInputs::indicator;
  }
  for (const EncodedColumn& input : out.inputs_) {
    if (!input.missing_of.empty() && !contains(names_of(out.inputs_), input.missing_of)) {
      throw FormatError(message("encoder: '", input.name, "' marks '", input.missing_of, "', which is no input"));
    }
  }
  if (out.targets_.empty()) throw FormatError("encoder: no target");
  return out;
}

}  // namespace condens
