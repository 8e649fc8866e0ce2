#include "condens/model/replicates.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/model/capabilities.hpp"

namespace condens {

namespace {

constexpr std::string_view report_key = "report";  // of the whole fit: replicates have none
constexpr char zero_copies = '!';
constexpr double most_copies = 93;  // '!' to '~'

/// Copies of rows as text, one character each, where all are whole and few.
Document numbers_to_document(const Matrix& numbers) {
  const auto few = [](double value) { return value >= 0 && value <= most_copies && value == std::floor(value); };
  if (numbers.size() == 0 || !std::all_of(numbers.data(), numbers.data() + numbers.size(), few)) return numbers;
  Document::Array out;
  for (Index r = 0; r < numbers.cols(); ++r) {
    std::string text;
    for (const double value : numbers.col(r)) text += static_cast<char>(zero_copies + static_cast<int>(value));
    out.emplace_back(std::move(text));
  }
  return out;
}

Matrix numbers_of(const Document& document) {
  if (!std::holds_alternative<Document::Array>(document.value())) return document.as_matrix();
  const std::vector<std::string> texts = document.as_strings();
  if (texts.empty()) throw FormatError("there is no replicate");
  Matrix out(std::ssize(texts.front()), std::ssize(texts));
  for (Index r = 0; r < out.cols(); ++r) {
    const std::string& text = texts[static_cast<std::size_t>(r)];
    if (std::ssize(text) != out.rows()) throw FormatError("the replicates differ in length");
    for (Index i = 0; i < out.rows(); ++i) {
      const int copies = text[static_cast<std::size_t>(i)] - zero_copies;
      if (copies < 0 || copies > most_copies) throw FormatError("the copies of a row are no number");
      out(i, r) = copies;
    }
  }
  return out;
}

/// The members that differ from the model's; null: one that the replicate lacks.
Document difference(const Document& model, const Document& replicate) {
  Document out(Document::Object{});
  for (const auto& [name, value] : replicate.as_object()) {
    const Document* same = model.find(name);
    if (name != report_key && (same == nullptr || !(*same == value))) out.set(name, value);
  }
  for (const auto& [name, value] : model.as_object()) {
    if (replicate.find(name) == nullptr) out.set(name, Document());
  }
  return out;
}

Document sum(const Document& model, const Document& difference) {
  Document out(Document::Object{});
  for (const auto& [name, value] : model.as_object()) {
    const Document* own = difference.find(name);
    if (own == nullptr) out.set(name, value);
    if (own != nullptr && !own->is_null()) out.set(name, *own);
  }
  for (const auto& [name, value] : difference.as_object()) {
    if (model.find(name) == nullptr) out.set(name, value);
  }
  return out;
}

}  // namespace

Replicates::Replicates(Matrix numbers, std::vector<std::shared_ptr<const ClassModel>> classes)
    : numbers_(std::move(numbers)), classes_(std::move(classes)) {
  require(size() > 0 && (classes_.empty() || std::ssize(classes_) == size()), "Replicates: ", size(),
          " replicates with probabilities of atoms of ", classes_.size(), ", expected at least one, and all or none");
}

Replicates::Replicates(std::vector<std::shared_ptr<ConditionalDensity>> models,
                       std::vector<std::shared_ptr<const ClassModel>> classes)
    : models_(std::move(models)), classes_(std::move(classes)) {
  require(size() > 0 && (classes_.empty() || std::ssize(classes_) == size()), "Replicates: ", size(),
          " replicates with probabilities of atoms of ", classes_.size(), ", expected at least one, and all or none");
}

std::shared_ptr<const ConditionalDensity> Replicates::density(const ConditionalDensity& model, Index r) const {
  require(r >= 0 && r < size(), "Replicates: replicate ", r, ", expected 0 to ", size() - 1);
  if (!models_.empty()) return models_[static_cast<std::size_t>(r)];
  const auto* reweighs = capability<Reweighs>(model);
  require(reweighs != nullptr, "Replicates: these are replicates of another model");
  std::unique_ptr<ConditionalDensity> out = reweighs->with_numbers(numbers_.col(r));
  out->set_imputer(imputer_);
  out->set_calibration(calibration_);
  return out;
}

void Replicates::set_imputer(const std::shared_ptr<const InputImputer>& imputer) {
  imputer_ = imputer;
  for (const auto& own : models_) own->set_imputer(imputer);
}

void Replicates::set_calibration(const std::shared_ptr<const PitMap>& calibration) {
  calibration_ = calibration;
  for (const auto& own : models_) own->set_calibration(calibration);
}

std::optional<TargetDecoder> Replicates::target(const std::optional<TargetDecoder>& model, Index r) const {
  require(r >= 0 && r < size(), "Replicates: replicate ", r, ", expected 0 to ", size() - 1);
  if (!model || classes_.empty()) return model;
  const auto& own = classes_[static_cast<std::size_t>(r)];
  return model->with_atom_model(own, own->n_inputs());
}

Document Replicates::to_document(const ConditionalDensity& model) const {
  Document out(Document::Object{});
  if (models_.empty()) {
    out.set("numbers", numbers_to_document(numbers_));
  } else {
    const Document base = model.to_document();
    Document::Array models;
    for (const auto& own : models_) models.push_back(difference(base, own->to_document()));
    out.set("models", std::move(models));
  }
  if (classes_.empty()) return out;
  Document::Array classes;
  for (const auto& own : classes_) classes.push_back(own->to_document());
  return out.set("classes", std::move(classes));
}

Replicates Replicates::from_document(const Document& document, const ConditionalDensity& model,
                                     const std::optional<TargetDecoder>& target, const InnerLoader& load,
                                     const LoadClasses& load_classes) {
  std::vector<std::shared_ptr<const ClassModel>> classes;
  if (const Document* own = document.find("classes")) {
    for (const Document& each : own->as_array()) classes.push_back(load_classes(each));
  }
  const bool has_atoms = target && target->atom_model() != nullptr;
  if (has_atoms != !classes.empty()) throw FormatError("replicates with atoms that the model has not, or without them");
  for (const auto& own : classes) target->with_atom_model(own, model.n_inputs());  // throws where it does not fit
  if (const Document* numbers = document.find("numbers")) {
    if (capability<Reweighs>(model) == nullptr) throw FormatError("replicates of another model");
    Replicates out(numbers_of(*numbers), std::move(classes));
    for (Index r = 0; r < out.size(); ++r) out.density(model, r);  // throws where it does not fit
    out.set_imputer(model.imputer());
    out.set_calibration(model.calibration());
    return out;
  }
  const Document base = model.to_document();
  std::vector<std::shared_ptr<ConditionalDensity>> models;
  for (const Document& own : document.at("models").as_array()) {
    models.push_back(load(Document::Object{{"model", model.model_name()}, {"parameters", sum(base, own)}}));
    if (models.back()->n_inputs() != model.n_inputs() || models.back()->n_targets() != model.n_targets()) {
      throw FormatError("a replicate has other inputs or targets than the model");
    }
  }
  Replicates out(std::move(models), std::move(classes));
  out.set_imputer(model.imputer());
  out.set_calibration(model.calibration());
  return out;
}

}  // namespace condens
