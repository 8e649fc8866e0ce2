#include "table_columns.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "column_roles.hpp"
#include "condens/core/errors.hpp"
#include "missing_inputs.hpp"

namespace condens {

TableColumns::TableColumns(const Table& header, const EncoderOptions& options) : options_(options) {
  require(options.missing != MissingInputs::model,
          "missing = model, expected error or indicator for a table that is read in blocks");
  require(!options.rare_levels || *options.rare_levels >= 0, "rare_levels = ", options.rare_levels.value_or(0),
          ", expected a number of rows >= 0");
  options_.inputs = input_names(header, options);
  for (const Column& column : header.columns()) names_.push_back(column.name);
  using As = ColumnCounts::As;
  for (const std::string& name : *options_.inputs)
    inputs_.emplace_back(name, contains(options.categorical, name) ? As::levels : As::found);
  for (const std::string& name : options_.targets) targets_.emplace_back(name, As::numbers);
}

bool TableColumns::is_complete() const {
  const auto complete = [](const ColumnCounts& column) { return column.is_complete(); };
  return std::all_of(inputs_.begin(), inputs_.end(), complete) &&
         std::all_of(targets_.begin(), targets_.end(), complete);
}

void TableColumns::add(const Table& block, const std::vector<Index>& rows) {
  for (ColumnCounts& input : inputs_) input.add(block, rows);
  for (ColumnCounts& target : targets_) target.add(block, rows);
}

void TableColumns::merge(const TableColumns& later) {
  const bool same =
      names_ == later.names_ && inputs_.size() == later.inputs_.size() && targets_.size() == later.targets_.size();
  if (!same) throw FormatError("columns: these are of different tables, expected states of one");
  for (std::size_t i = 0; i < inputs_.size(); ++i) inputs_[i].merge(later.inputs_[i]);
  for (std::size_t i = 0; i < targets_.size(); ++i) targets_[i].merge(later.targets_[i]);
}

void TableColumns::end_reading() {
  for (ColumnCounts& input : inputs_) input.end_reading();
  for (ColumnCounts& target : targets_) target.end_reading();
}

Encoder TableColumns::encoder() const {
  Encoder out;
  out.missing_ = options_.missing;
  out.unseen_ = options_.unseen;
  out.seed_ = options_.seed;
  out.weight_ = options_.weight;
  for (const ColumnCounts& target : targets_) out.targets_.push_back(target.summary());
  std::map<std::string, EncodedColumn> marks;
  for (const ColumnCounts& input : inputs_) {
    EncodedColumn column = input.summary();
    if (column.is_categorical()) {
      LevelCounts counts = input.levels();
      if (input.missing() > 0) counts[std::string(missing_level)] += input.missing();
      column = collect_levels(column.name, counts);
      if (!has_many_levels(column, options_)) merge_rare(column, counts, options_);
    } else if (input.missing() > 0) {
      EncodedColumn mark = collect_levels(column.name + " missing", {{"no", input.there()}, {"yes", input.missing()}});
      require(!contains(names_, mark.name), "column '", mark.name, "' has the name of the mark of missing values in '",
              column.name, "'; rename it");
      mark.missing_of = column.name;
      marks.emplace(column.name, std::move(mark));
    }
    out.inputs_.push_back(std::move(column));
  }
  for (const std::string& name : names_) {
    if (const auto mark = marks.find(name); mark != marks.end()) out.inputs_.push_back(mark->second);
  }
  return out;
}

std::vector<std::string> TableColumns::many_levels() const {
  Names out;
  for (const EncodedColumn& input : encoder().input_columns()) {
    if (has_many_levels(input, options_)) out.push_back(input.name);
  }
  return out;
}

Document TableColumns::to_document() const {
  const auto all = [](const std::vector<ColumnCounts>& columns) {
    Document::Array out;
    for (const ColumnCounts& column : columns) out.push_back(column.to_document());
    return out;
  };
  Document out;
  out.set("names", Document(names_)).set("inputs", all(inputs_)).set("targets", all(targets_));
  out.set("weight", options_.weight).set("seed", static_cast<std::int64_t>(options_.seed));
  out.set("missing", options_.missing == MissingInputs::indicator ? "indicator" : "error");
  out.set("many_levels", options_.many_levels == ManyLevels::statistics ? "statistics" : "indicators");
  if (options_.rare_levels) out.set("rare_levels", *options_.rare_levels);
  return out.set("unseen", options_.unseen == UnseenLevels::automatic ? "automatic"
                           : options_.unseen == UnseenLevels::error   ? "error"
                                                                      : "other");
}

TableColumns TableColumns::from_document(const Document& document) {
  TableColumns out;
  out.names_ = document.at("names").as_strings();
  out.options_.inputs.emplace();
  for (const Document& column : document.at("inputs").as_array()) {
    out.inputs_.push_back(ColumnCounts::from_document(column));
    out.options_.inputs->push_back(out.inputs_.back().name());
  }
  for (const Document& column : document.at("targets").as_array()) {
    out.targets_.push_back(ColumnCounts::from_document(column));
    out.options_.targets.push_back(out.targets_.back().name());
  }
  out.options_.weight = document.at("weight").as_string();
  out.options_.seed = static_cast<std::uint64_t>(document.at("seed").as_integer());
  out.options_.missing = missing_inputs_of("columns: missing", document.at("missing").as_string());
  out.options_.many_levels = many_levels_of("columns: many_levels", document.at("many_levels").as_string());
  out.options_.unseen = unseen_of("columns: unseen", document.at("unseen").as_string());
  if (const Document* rare = document.find("rare_levels")) out.options_.rare_levels = rare->as_integer();
  return out;
}

}  // namespace condens
