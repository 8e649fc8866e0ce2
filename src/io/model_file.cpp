#include "condens/io/model_file.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "checksum.hpp"
#include "condens/core/errors.hpp"
#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "core/text.hpp"
#include "files.hpp"

namespace condens {

namespace {

constexpr std::string_view format_name = "condens-model";
constexpr std::int64_t current_version = 3;
constexpr std::string_view cbor_mark = "\xD9\xD9\xF7";

std::string checksum_of(const Document& body) { return checksum(document_to_cbor(body, "model")); }

/// What is needed to read the model right.
std::int64_t version_of(const Model& model) {
  const auto& conformal = model.conformal;
  if (model.density->calibration() || (conformal && (!conformal->is_split() || conformal->groups()))) return 3;
  return model.target || conformal || model.replicates || model.encoder.has_new_parts() ? 2 : 1;
}

Document to_document(const Model& model) {
  Document body;
  body.set("encoder", model.encoder.to_document()).set("density", save_density(*model.density));
  if (model.target) body.set("target", model.target->to_document());
  if (model.conformal) body.set("conformal", save_conformal(*model.conformal));
  if (model.replicates) body.set("replicates", model.replicates->to_document(*model.density));
  Document out;
  out.set("format", format_name).set("version", version_of(model)).set("checksum", checksum_of(body));
  return out.set("body", std::move(body));
}

bool is_model_file(const Document& file) {
  if (!std::holds_alternative<Document::Object>(file.value())) return false;
  const Document* format = file.find("format");
  return format != nullptr && *format == Document(format_name);
}

Model from_document(const Document& file) {
  if (!is_model_file(file)) throw FormatError("not a condens model file");
  const std::int64_t version = file.at("version").as_integer();
  if (version > current_version) {
    throw FormatError(
        message("written by a newer condens (version ", version, "); this one reads up to ", current_version));
  }
  if (version < 1) throw FormatError(message("unknown version ", version));
  const Document& body = file.at("body");
  if (file.at("checksum").as_string() != checksum_of(body)) {
    throw FormatError("the checksum does not match: the file was altered after it was written");
  }
  Model out{Encoder::from_document(body.at("encoder")), load_density(body.at("density"))};
  const auto inputs = static_cast<Index>(out.encoder.encoded_names().size());
  const auto targets = static_cast<Index>(out.encoder.targets().size());
  if (inputs != out.density->n_inputs() || targets != out.density->n_targets()) {
    throw FormatError(message("the encoder has ", inputs, " inputs and ", targets, " targets, the density ",
                              out.density->n_inputs(), " and ", out.density->n_targets()));
  }
  if (const Document* target = body.find("target")) {
    if (targets != 1) throw FormatError(message("a target of another kind, and ", targets, " targets"));
    out.target = load_target(*target, inputs);
  }
  if (const Document* scores = body.find("conformal")) {
    if (targets != 1) throw FormatError(message("scores of calibration rows, and ", targets, " targets"));
    out.conformal = load_conformal(*scores, inputs);
  }
  if (const Document* replicates = body.find("replicates")) {
    out.replicates = load_replicates(*replicates, *out.density, out.target);
  }
  return out;
}

std::string replace_number(const std::string& text, const std::string& kind, const std::vector<std::string>& names) {
  for (std::size_t i = names.size(); i-- > 0;) {
    const std::string from = message(kind, " ", i + 1, " ");
    for (const std::string& before : {std::string(), std::string(FitReport::beside_atoms)}) {
      if (!text.starts_with(before + from)) continue;
      return before + kind + " '" + shown(names[i]) + "' " + text.substr(before.size() + from.size());
    }
  }
  return text;
}

/// Warnings that are none: of statistics of levels that are constant, which Encoder::notes() tells.
std::vector<std::string> told_by_notes(const Encoder& encoder) {
  std::vector<std::string> out;
  Index place = 0;
  for (const EncodedColumn& input : encoder.input_columns()) {
    const std::vector<bool> equal = input.has_statistics() ? input.equal_statistics() : std::vector<bool>();
    for (std::size_t i = 0; i < equal.size(); ++i) {
      if (!equal[i]) continue;
      const std::string text = message("input ", place + static_cast<Index>(i) + 1, " is constant and plays no part");
      out.push_back(text);
      out.push_back(std::string(FitReport::beside_atoms) + text);
    }
    place += input.width();
  }
  return out;
}

}  // namespace

std::vector<std::string> warnings_of(const Model& model) {
  std::vector<std::string> out = model.encoder.warnings(model.density->report().n_rows_with_atoms());
  const std::vector<std::string> told = told_by_notes(model.encoder);
  for (const std::string& warning : model.density->report().warnings) {
    if (std::find(told.begin(), told.end(), warning) != told.end()) continue;
    const std::string named = replace_number(warning, "input", model.encoder.encoded_names());
    out.push_back(replace_number(named, "target", names_of(model.encoder.targets())));
  }
  return out;
}

Model replicate_of(const Model& model, Index r) {
  require(model.replicates.has_value(), "replicate_of: the model has no replicates, expected one that was fitted with ",
          "a bootstrap");
  return {model.encoder, model.replicates->density(*model.density, r), model.replicates->target(model.target, r),
          model.conformal};
}

std::string to_json(const Model& model) { return document_to_json(to_document(model), "model"); }

std::string to_cbor(const Model& model) {
  return std::string(cbor_mark) + document_to_cbor(to_document(model), "model");
}

Model parse_model(std::string_view bytes, const std::string& source) {
  try {
    const bool cbor = bytes.starts_with(cbor_mark);
    const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
    if (!cbor && (begin == std::string_view::npos || bytes[begin] != '{'))
      throw FormatError("not a condens model file");
    return from_document(cbor ? document_from_cbor(bytes.substr(cbor_mark.size()), "model")
                              : document_from_json(bytes, "model"));
  } catch (const FormatError& error) {
    throw FormatError(source + ": " + error.what());
  } catch (const std::invalid_argument& error) {  // values that the model's own checks refuse
    throw FormatError(source + ": " + error.what());
  }
}

void save_model(const Model& model, const std::string& path) {
  write_file_atomically(path, path.ends_with(".cbor") ? to_cbor(model) : to_json(model));
}

Model load_model_file(const std::string& path) { return parse_model(read_file(path), path); }

}  // namespace condens
