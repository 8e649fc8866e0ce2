#include "condens/model/fit_report.hpp"

#include <algorithm>
#include <limits>

#include "condens/core/errors.hpp"

namespace condens {

Index FitReport::n_rows() const {
  const Document* rows = details.find("n_rows");
  return rows == nullptr ? 0 : rows->as_integer();
}

Index FitReport::n_rows_with_atoms() const {
  const Document* rows = details.find("n_rows_with_atoms");
  return rows == nullptr ? n_rows() : rows->as_integer();
}

std::optional<FitReport::Score> FitReport::score() const {
  const Document* found = details.find("score");
  if (found == nullptr) return std::nullopt;
  return Score{found->as_number(), details.at("score_standard_error").as_number()};
}

// A column of numbers for every option that varied, then "score" (the largest double: no density) and
// "standard_error".
std::optional<Tuning> FitReport::tuning() const {
  const Document* found = details.find("candidates");
  if (found == nullptr) return std::nullopt;
  const Document::Object& columns = found->as_object();
  if (columns.size() < 3) throw FormatError("the table of candidates has no options, scores and standard errors");
  const Vector score = found->at("score").as_vector();
  const Vector standard_error = found->at("standard_error").as_vector();
  if (score.size() == 0) throw FormatError("the table of candidates is empty");
  std::vector<Vector> values;
  Tuning out;
  for (std::size_t j = 0; j + 2 < columns.size(); ++j) {
    out.names.push_back(columns[j].first);
    values.push_back(columns[j].second.as_vector());
    if (values.back().size() != score.size() || score.size() != standard_error.size()) {
      throw FormatError("the columns of the table of candidates differ in length");
    }
  }
  for (Index i = 0; i < score.size(); ++i) {
    Tuning::Candidate candidate{{}, score[i], standard_error[i], score[i] == std::numeric_limits<double>::max()};
    for (const Vector& column : values) candidate.values.push_back(column[i]);
    out.candidates.push_back(std::move(candidate));
  }
  std::stable_sort(out.candidates.begin(), out.candidates.end(),
                   [](const auto& a, const auto& b) { return a.score < b.score; });
  return out;
}

std::vector<Contender> FitReport::race() const {
  const Document* found = details.find("race");
  if (found == nullptr) return {};
  std::vector<Contender> out;
  for (const Document& own : found->as_array()) {
    Contender contender{own.at("name").as_string(), {}, own.at("fate").as_string()};
    const Vector rows = own.at("n_rows").as_vector();
    const Vector seconds = own.at("seconds").as_vector();
    const Vector score = own.at("score").as_vector();
    const Vector standard_error = own.at("standard_error").as_vector();
    if (seconds.size() != rows.size() || score.size() != rows.size() || standard_error.size() != rows.size()) {
      throw FormatError("the laps of a race differ in length");
    }
    for (Index i = 0; i < rows.size(); ++i) {
      contender.laps.push_back({static_cast<Index>(rows[i]), seconds[i], score[i], standard_error[i]});
    }
    out.push_back(std::move(contender));
  }
  return out;
}

void FitReport::set_atoms(Index n_rows, const Document& gain) {
  details.set("n_rows_with_atoms", n_rows);
  for (std::string& warning : warnings) warning.insert(0, beside_atoms);
  if (gain.is_null()) return;
  const Document* told = details.find("gain_of_inputs");
  Document gains = told != nullptr ? *told : Document(Document::Object{});
  details.set("gain_of_inputs", std::move(gains.set("atoms", gain)));
}

void FitReport::set_race(const std::vector<Contender>& contenders) {
  Document::Array all;
  for (const Contender& own : contenders) {
    const auto column = [&](const auto& number_of) {
      Vector out(std::ssize(own.laps));
      std::transform(own.laps.begin(), own.laps.end(), out.begin(), number_of);
      return out;
    };
    all.emplace_back(
        Document::Object{{"name", own.name},
                         {"n_rows", column([](const Contender::Lap& lap) { return static_cast<double>(lap.n_rows); })},
                         {"seconds", column([](const Contender::Lap& lap) { return lap.seconds; })},
                         {"score", column([](const Contender::Lap& lap) { return lap.score; })},
                         {"standard_error", column([](const Contender::Lap& lap) { return lap.standard_error; })},
                         {"fate", own.fate}});
  }
  details.set("race", std::move(all));
}

std::vector<std::pair<std::string, Document>> FitReport::certificate() const {
  const Document* found = details.find("certificate");
  if (found == nullptr) return {};
  const Document::Object& parts = found->as_object();
  return {parts.begin(), parts.end()};
}

std::optional<FitReport::Gain> FitReport::gain_of_inputs(std::string_view rows) const {
  const Document* gains = details.find("gain_of_inputs");
  const Document* gain = gains == nullptr ? nullptr : gains->find(rows);
  if (gain == nullptr) return std::nullopt;
  Gain out{gain->at("mean").as_number(), gain->at("standard_error").as_number(), gain->at("n_rows").as_integer(), {}};
  if (const Document* fitted = gain->find("n_rows_fitted")) out.n_rows_fitted = fitted->as_integer();
  return out;
}

Document FitReport::to_document() const {
  return Document::Object{{"status", status}, {"warnings", Document(warnings)}, {"details", details}};
}

FitReport FitReport::from_document(const Document& document) {
  return {document.at("status").as_string(), document.at("warnings").as_strings(), document.at("details")};
}

}  // namespace condens
