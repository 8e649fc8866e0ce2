// The part of a model file that says how columns become numbers.

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "categories.hpp"
#include "column_roles.hpp"
#include "condens/core/errors.hpp"
#include "condens/data/encoder.hpp"
#include "dates.hpp"

namespace condens {

namespace {

Document to_document(const EncodedColumn& column) {
  Document out;
  out.set("name", column.name);
  if (!column.missing_of.empty()) out.set("missing_of", column.missing_of);
  if (column.is_categorical()) {
    out.set("levels", Document(column.levels)).set("typical", column.typical_level);
    if (!column.merged.empty()) out.set("merged", Document(column.merged));
    if (column.has_statistics()) out.set("statistics", Document(column.statistics)).set("codes", column.codes);
    return out;
  }
  if (column.is_date()) out.set("calendar", Document(column.calendar));
  return out.set("low", column.low).set("typical", column.typical).set("high", column.high);
}

void check_calendar(const EncodedColumn& column) {
  const auto is_part = [](const std::string& part) { return contains(calendar_parts(), part); };
  const std::set<std::string> distinct(column.calendar.begin(), column.calendar.end());
  if (column.calendar.empty() || distinct.size() != column.calendar.size() ||
      !std::all_of(column.calendar.begin(), column.calendar.end(), is_part)) {
    throw FormatError(
        message("encoder: column '", column.name, "' needs parts of the calendar: ", join(calendar_parts())));
  }
  constexpr double most_days = 3e6;  // beyond the year 9999
  if (column.low < -most_days || column.high > most_days) {
    throw FormatError(message("encoder: column '", column.name, "' needs dates of the years 0 to 9999"));
  }
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
    if (const Document* calendar = document.find("calendar")) {
      out.calendar = calendar->as_strings();
      check_calendar(out);
      out.typical_level = format_date(out.typical);
    }
    return out;
  }
  out.levels = document.at("levels").as_strings();
  out.typical_level = document.at("typical").as_string();
  const bool increasing =
      std::adjacent_find(out.levels.begin(), out.levels.end(), std::greater_equal<>()) == out.levels.end();
  if (out.levels.empty() || !increasing || !contains(out.levels, out.typical_level)) {
    throw FormatError(message("encoder: column '", out.name, "' needs sorted levels, and a typical one among them"));
  }
  if (const Document* merged = document.find("merged")) {
    out.merged = merged->as_strings();
    if (!std::is_sorted(out.merged.begin(), out.merged.end()) || !contains(out.levels, other_level)) {
      throw FormatError(message("encoder: column '", out.name, "' needs sorted merged levels, and the level (other)"));
    }
  }
  if (const Document* statistics = document.find("statistics")) {
    out.statistics = statistics->as_strings();
    out.codes = document.at("codes").as_matrix();
    const Index levels = std::ssize(out.levels) + 1;
    if (out.statistics.empty() || out.codes.rows() != std::ssize(out.statistics) || out.codes.cols() != levels ||
        !out.codes.allFinite()) {
      throw FormatError(message("encoder: column '", out.name, "' needs codes of ", out.statistics.size(),
                                " statistics, finite, for ", levels, " levels with that of others"));
    }
  }
  return out;
}

std::vector<EncodedColumn> columns_from_document(const Document& document) {
  std::vector<EncodedColumn> out;
  for (const Document& item : document.as_array()) out.push_back(column_from_document(item));
  return out;
}

}  // namespace

bool Encoder::has_new_parts() const {
  return missing_ != MissingInputs::error || unseen_ != UnseenLevels::automatic ||
         std::any_of(inputs_.begin(), inputs_.end(), [](const EncodedColumn& input) {
           return input.is_date() || input.has_statistics() || !input.merged.empty();
         });
}

Document Encoder::to_document() const {
  Document::Array inputs;
  Document::Array targets;
  for (const EncodedColumn& input : inputs_) inputs.push_back(condens::to_document(input));
  for (const EncodedColumn& target : targets_) targets.push_back(condens::to_document(target));
  Document out;
  out.set("inputs", std::move(inputs)).set("targets", std::move(targets)).set("weight", weight_);
  if (missing_ != MissingInputs::error) out.set("missing", missing_ == MissingInputs::model ? "model" : "indicator");
  if (unseen_ != UnseenLevels::automatic) out.set("unseen", unseen_ == UnseenLevels::error ? "error" : "other");
  const bool folds = std::any_of(inputs_.begin(), inputs_.end(), [](const auto& own) { return own.has_statistics(); });
  if (folds && seed_ != 0) out.set("seed", static_cast<std::int64_t>(seed_));
  return out;
}

Encoder Encoder::from_document(const Document& document) {
  Encoder out;
  out.inputs_ = columns_from_document(document.at("inputs"));
  out.targets_ = columns_from_document(document.at("targets"));
  out.weight_ = document.at("weight").as_string();
  if (const Document* missing = document.find("missing")) {
    const std::string how = missing->as_string();
    if (how != "indicator" && how != "model") throw FormatError("encoder: missing is none of indicator, model");
    out.missing_ = how == "model" ? MissingInputs::model : MissingInputs::indicator;
  }
  if (const Document* unseen = document.find("unseen")) {
    const std::string how = unseen->as_string();
    if (how != "error" && how != "other") throw FormatError("encoder: unseen is none of error, other");
    out.unseen_ = how == "error" ? UnseenLevels::error : UnseenLevels::other;
  }
  if (const Document* seed = document.find("seed")) out.seed_ = static_cast<std::uint64_t>(seed->as_integer());
  for (const EncodedColumn& input : out.inputs_) {
    if (!input.missing_of.empty() && !contains(names_of(out.inputs_), input.missing_of)) {
      throw FormatError(message("encoder: '", input.name, "' marks '", input.missing_of, "', which is no input"));
    }
  }
  if (out.targets_.empty()) throw FormatError("encoder: no target");
  return out;
}

}  // namespace condens
