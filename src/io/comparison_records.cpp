#include "condens/io/comparison_records.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "checksum.hpp"
#include "condens/core/errors.hpp"
#include "condens/data/table.hpp"
#include "condens/io/document_format.hpp"
#include "files.hpp"

namespace condens {

namespace {

namespace fs = std::filesystem;

/// JSON without line breaks and indentation; texts hold no line breaks.
std::string one_line(const Document& document) {
  std::string out;
  bool indented = false;
  for (const char c : document_to_json(document, "record")) {
    indented = indented || c == '\n';
    if (c == '\n' || (indented && c == ' ')) continue;
    if (indented && c != '}' && !out.ends_with('{')) out += ' ';
    indented = false;
    out += c;
  }
  return out + "\n";
}

std::string header() { return one_line(Document::Object{{"format", "condens-comparison"}, {"version", 1}}); }

std::string hash_of(const Document& document, std::string_view name) {
  return checksum(document_to_cbor(document, name));
}

std::string hash_of(const Dataset& data) {
  Document::Array numbers;
  for (const Index group : data.groups) numbers.emplace_back(std::int64_t{group});
  return hash_of(
      Document::Object{
          {"x", Matrix(data.x)}, {"y", Matrix(data.y)}, {"weights", data.weights}, {"groups", std::move(numbers)}},
      "data");
}

/// JSON knows no infinity: "inf" stands for it.
Document to_document(double value) { return std::isfinite(value) ? Document(value) : Document(format_number(value)); }

double number_of(const Document& document) {
  const auto* text = std::get_if<std::string>(&document.value());
  if (text == nullptr) return document.as_number();
  const std::optional<double> number = *text == "nan" ? Trial::nothing : parse_number(*text);
  if (!number) throw FormatError(message("'", *text, "', expected a number"));
  return *number;
}

}  // namespace

ComparisonRecords::ComparisonRecords(std::string path, const Dataset& data, const std::vector<Contestant>& models,
                                     const ComparisonOptions& options)
    : path_(std::move(path)), options_(options) {
  data.check("compare");
  data_ = hash_of(data);
  // Of a random split its number tells all, of a block of time also how many there are.
  if (options.cv == SplitOrder::time) data_ += message(":time:", options.repeats);
  for (const Contestant& model : models) {
    labels_.push_back(model.label);
    fits_.push_back(hash_of(model.identity, model.label));
  }
  const std::string text = fs::exists(path_) ? read_file(path_) : "";
  const std::string kept = text.substr(0, text.rfind('\n') + 1);
  if (kept.empty() && !header().starts_with(text)) {
    throw FormatError(path_ + ": not a file of records of condens compare");
  }
  read(kept);
  held_ = std::ssize(trials_);
  was_cut_off_ = kept.size() < text.size();
  if (was_cut_off_) fs::resize_file(path_, kept.size());
  if (kept.empty()) append(header());
}

void ComparisonRecords::read(const std::string& text) {
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    const std::string line = text.substr(begin, end - begin);
    begin = end;
    if (++number == 1) {
      if (line != header()) throw FormatError(path_ + ": not a file of records of condens compare");
      continue;
    }
    try {
      const Document record = document_from_json(line, "record");
      const Index split = record.at("split").as_integer();
      for (std::size_t k = 0; k < fits_.size(); ++k) {
        const Document key = key_of(k, split);
        const bool same =
            std::all_of(key.as_object().begin(), key.as_object().end(),
                        [&](const Document::Member& part) { return record.at(part.first) == part.second; });
        if (!same) continue;
        Trial& trial = trials_[{k, split}];
        for (const Measure& measure : trial_measures) trial.*measure.value = number_of(record.at(measure.name));
      }
    } catch (const FormatError& error) {
      throw FormatError(message(path_, ":", number, ": ", error.what()));
    }
  }
}

const Trial* ComparisonRecords::find(std::size_t model, Index split) const {
  const auto found = trials_.find({model, split});
  return found == trials_.end() ? nullptr : &found->second;
}

void ComparisonRecords::add(std::size_t model, Index split, const Trial& trial) {
  Document record = key_of(model, split);
  record.set("model", labels_[model]);
  for (const Measure& measure : trial_measures) record.set(measure.name, to_document(trial.*measure.value));
  append(one_line(record));
  trials_[{model, split}] = trial;
}

void ComparisonRecords::append(const std::string& line) const { append_to_file(path_, line); }

Document ComparisonRecords::key_of(std::size_t model, Index split) const {
  Document out;
  out.set("data", data_).set("test_fraction", options_.test_fraction).set("seed", std::int64_t{options_.seed});
  return out.set("split", std::int64_t{split}).set("fit", fits_[model]);
}

}  // namespace condens
