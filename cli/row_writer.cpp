#include "row_writer.hpp"

#include <cmath>

#include "arguments.hpp"

namespace condens::cli {

namespace {

std::string json_of(const Document& value) {
  std::string out = to_json_text(value);
  out.pop_back();
  return out;
}

}  // namespace

void RowWriter::begin(const std::vector<std::string>& names) {
  if (!json_) return csv_.row(names);
  for (const std::string& name : names) names_.push_back(json_of(name));
  out_ << "[";
}

void RowWriter::field(double value) {
  if (!json_)
    csv_.field(value);
  else
    put(std::isfinite(value) ? format_number(value) : "null");
}

void RowWriter::field(const std::string& text) {
  if (!json_)
    csv_.field(text);
  else
    put(json_of(text));
}

void RowWriter::field(const Document& value) { put(json_of(value)); }

void RowWriter::missing() {
  if (!json_)
    csv_.field("NA");
  else
    put("null");
}

void RowWriter::end_row() {
  if (!json_) return csv_.end_row();
  out_ << "}";
  at_ = 0;
  ++rows_;
}

void RowWriter::end() {
  if (json_) out_ << "\n]\n";
}

void RowWriter::put(const std::string& value) {
  out_ << (at_ > 0 ? ", " : rows_ > 0 ? ",\n  {" : "\n  {") << names_[at_] << ": " << value;
  ++at_;
}

}  // namespace condens::cli
