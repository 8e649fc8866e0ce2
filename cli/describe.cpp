// condens describe: what was fitted, on what, which inputs matter, how tuning went.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include "arguments.hpp"
#include "components.hpp"
#include "condens/core/errors.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/pooled_density.hpp"
#include "conformal.hpp"
#include "console.hpp"
#include "core/text.hpp"
#include "data/dates.hpp"
#include "fitted.hpp"
#include "kernels.hpp"
#include "relevance.hpp"
#include "sensitivity.hpp"
#include "states.hpp"
#include "trends.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

constexpr std::size_t most_candidates = 10;

struct DescribeCall {
  std::string model;
  bool json = false;
};

std::string column_text(const EncodedColumn& column) {
  if (column.is_date()) {
    return "dates from " + format_date(column.low) + " to " + format_date(column.high) + ", given by " +
           list_text(column.calendar);
  }
  if (!column.is_categorical()) {
    return "from " + brief(column.low) + " to " + brief(column.high) + ", median " + brief(column.typical);
  }
  std::string levels;
  for (std::size_t i = 0; i < std::min<std::size_t>(column.levels.size(), 12); ++i) {
    levels += (i == 0 ? "" : ", ") + column.levels[i];
  }
  if (column.levels.size() > 12) levels += ", ...";
  std::string out =
      std::to_string(column.levels.size()) + " levels: " + levels + "; most often " + column.typical_level;
  if (column.has_statistics()) out += "; given by " + list_text(column.statistics);
  return out;
}

std::string columns_text(const Model& model) {
  std::vector<std::vector<std::string>> rows;
  for (const EncodedColumn& target : model.encoder.targets())
    rows.push_back({"target", target.name, column_text(target)});
  const auto& inputs = model.encoder.input_columns();
  for (std::size_t i = 0; i < std::min(inputs.size(), most_inputs); ++i) {
    rows.push_back({"input", inputs[i].name, column_text(inputs[i])});
  }
  std::string out = align(rows, 3) + rest_text(inputs.size(), most_inputs, "inputs");
  if (model.encoder.input_columns().empty()) out += "  no inputs: a plain density\n";
  return out;
}

/// Each option: what was used, and whether that was chosen, set or the default; options inside
/// an option by names with a dot.
void add_option_rows(const std::string& prefix, const std::vector<OptionInfo>& options, const Document& used,
                     const Document& defaults, const Document& details, TextRows& rows) {
  for (const OptionInfo& option : options) {
    const std::string name = prefix + option.name;
    if (!option.options.empty()) {
      // What a stage chose stands below its name; what the whole is, at the top.
      const Document* own = details.find(option.name);
      add_option_rows(name + ".", option.options, used.at(option.name), defaults.at(option.name),
                      own == nullptr ? details : *own, rows);
      continue;
    }
    if (option.type == "options") {
      for (const auto& [key, item] : used.at(option.name).as_object()) {
        rows.push_back({name + "." + key, value_text(item), "set"});
      }
      continue;
    }
    const std::string value = value_text(used.at(option.name));
    const bool changed = value != value_text(defaults.at(option.name));
    const auto* list = std::get_if<Document::Array>(&used.at(option.name).value());
    const Document* chosen = details.find(option.name);
    const auto* word = chosen == nullptr ? nullptr : std::get_if<std::string>(&chosen->value());
    if (option.type == "choice" && word != nullptr && *word != value) {
      rows.push_back({name, value_text(*chosen), "chosen by " + value + (changed ? " (set)" : "")});
    } else if (list != nullptr && list->size() != 1 && chosen != nullptr) {
      const std::string how = list->empty() ? "found from the data" : "chosen by " + chosen_by(used) + " from " + value;
      rows.push_back({name, brief_text(*chosen), how + (changed ? " (set)" : "")});
    } else {
      rows.push_back({name, value, changed ? "set; the default is " + value_text(defaults.at(option.name)) : ""});
    }
  }
}

std::string options_text(const Model& model) {
  const ModelInfo& info = find_model(model.density->model_name());
  TextRows rows;
  add_option_rows("", info.options, model.density->options(), info.defaults(""), model.density->report().details, rows);
  return align(rows, 3);
}

/// The inputs in the order in which they entered, and the score with each; empty where none did so.
std::string entry_text(const Model& model) {
  const auto* entered = capability<EntersInputs>(*model.density);
  if (entered == nullptr) return "";
  const auto& inputs = model.encoder.input_columns();
  const std::vector<Index> group = model.encoder.group_of_rows();
  TextRows rows{{"input", "score", "std error"}};
  for (const EntersInputs::Step& step : entered->steps()) {
    std::vector<std::string> row{"(none)", step.failed ? "failed" : brief(step.score)};
    if (!step.inputs.empty()) {
      row[0] = inputs[static_cast<std::size_t>(group[static_cast<std::size_t>(step.inputs.front())])].name;
    }
    if (!step.failed) row.push_back(brief(step.standard_error));
    rows.push_back(std::move(row));
  }
  return "\nInputs in the order in which they entered, each with those above it\n" + align(rows);
}

/// What a pool is made of; empty for other models.
std::string members_text(const Model& model) {
  const auto* pool = capability<PooledDensity>(*model.density);
  if (pool == nullptr) return "";
  TextRows rows{{"member", "weight", "nll", "std error"}};
  for (const PooledDensity::Account& own : pool->accounts()) {
    rows.push_back({own.name, brief(own.weight), own.failed ? "no density" : brief(own.score),
                    own.failed ? "" : brief(own.standard_error)});
  }
  if (const auto score = model.density->report().score()) {
    rows.push_back({"all together", "1", brief(score->value), brief(score->standard_error)});
  }
  return "\nMembers, scored on rows left out; lower is better, on the standardised scale\n" + align(rows);
}

/// The scores of every model by the number of rows that it was fitted to; empty where there was no race.
std::string race_text(const Model& model) {
  const std::vector<Contender> race = model.density->report().race();
  if (race.empty()) return "";
  std::set<Index> sizes;
  for (const Contender& own : race) {
    for (const Contender::Lap& lap : own.laps) sizes.insert(lap.n_rows);
  }
  TextRows rows{{"model"}};
  for (const Index size : sizes) rows.front().push_back(message(size, " rows"));
  rows.front().insert(rows.front().end(), {"core-seconds", ""});
  for (const Contender& own : race) {
    std::vector<std::string> row{own.name};
    double seconds = 0;
    for (const Index size : sizes) {
      const auto lap = std::find_if(own.laps.begin(), own.laps.end(),
                                    [&](const Contender::Lap& other) { return other.n_rows == size; });
      row.push_back(lap == own.laps.end() ? "" : brief(lap->score));
      seconds += lap == own.laps.end() ? 0 : lap->seconds;
    }
    row.insert(row.end(), {brief(seconds), own.fate});
    rows.push_back(std::move(row));
  }
  return "\nThe race: nll on rows left out by the number of rows fitted to, and the work of all fits as counted\n" +
         align(rows);
}

std::string tuning_text(const Model& model) {
  const std::optional<Tuning> tuning = model.density->report().tuning();
  if (!tuning) return "  no candidates were compared\n";
  const Document options = model.density->options();
  const Document* scoring = options.find("scoring");
  const std::string by = chosen_by(options);
  const std::string score = by != "cross-validation" ? by : scoring == nullptr ? "score" : value_text(*scoring);
  std::vector<std::vector<std::string>> rows{tuning->names};
  rows.front().insert(rows.front().end(), {score, "std error"});
  for (const Tuning::Candidate& candidate : tuning->candidates) {
    if (rows.size() > most_candidates) break;
    std::vector<std::string> row;
    for (const double value : candidate.values) row.push_back(brief(value));
    row.push_back(candidate.failed ? "failed" : brief(candidate.score));
    row.push_back(candidate.failed ? "" : brief(candidate.standard_error));
    rows.push_back(std::move(row));
  }
  const std::size_t count = tuning->candidates.size();
  return "  " + (count == 1 ? "the only candidate" : "the best of " + std::to_string(count) + " candidates") +
         "; lower is better, on the standardised scale\n" + align(rows, 0);
}

std::string sensitivity_text(const Model& model) {
  std::vector<std::vector<std::string>> rows{{"input", "value"}};
  for (const EncodedColumn& target : model.encoder.targets()) {
    rows.front().insert(rows.front().end(), {target.name + " mean", "std"});
  }
  const std::vector<Influence> all = influences(model);
  for (std::size_t i = 0; i < std::min(all.size(), most_inputs); ++i) {
    for (const Influence::Step& step : all[i].steps) {
      const std::optional<double> number = parse_number(step.value);
      std::vector<std::string> row{all[i].input, number ? brief(*number) : step.value};
      for (Index j = 0; j < step.mean.size(); ++j) {
        row.insert(row.end(), {brief(step.mean[j]), brief(step.std[j])});
      }
      rows.push_back(std::move(row));
    }
  }
  return align(rows) + rest_text(all.size(), most_inputs, "inputs");
}

/// The selected inputs, the most important first; empty for models that say nothing of them.
std::string relevance_text(const Model& model) {
  std::vector<Relevance> all = relevances(model);
  if (all.empty()) return "";
  const std::size_t inputs = all.size();
  std::erase_if(all, [](const Relevance& entry) { return !entry.selected; });
  std::stable_sort(all.begin(), all.end(), [](const Relevance& a, const Relevance& b) {
    return a.importance.value_or(0) > b.importance.value_or(0);
  });
  std::string out = all.size() < inputs
                        ? "\nSelected inputs: " + std::to_string(all.size()) + " of " + std::to_string(inputs) + "\n"
                        : "\nImportance of the inputs\n";
  if (all.empty()) return out;
  std::vector<std::vector<std::string>> rows{{"input"}};
  if (all.front().importance) rows.front().emplace_back("importance");
  if (all.front().stability) rows.front().emplace_back("stability");
  for (std::size_t i = 0; i < std::min(all.size(), most_inputs); ++i) {
    std::vector<std::string> row{all[i].input};
    if (all[i].importance) row.push_back(brief(*all[i].importance));
    if (all[i].stability) row.push_back(brief(*all[i].stability));
    rows.push_back(std::move(row));
  }
  return out + align(rows) + rest_text(all.size(), most_inputs, "inputs");
}

/// What the inputs are worth; empty where no one has asked.
std::string gain_text(const FitReport& report) {
  TextRows rows{{"rows", "gain", "std error", "number"}};
  const bool has_atoms = report.gain_of_inputs("atoms").has_value();
  for (const auto& [name, text] : {std::pair{"atoms", "atoms: left out of a fit"},
                                   {"held_out", has_atoms ? "beside them: left out of a fit" : "left out of a fit"},
                                   {"fitted", has_atoms ? "beside them: of the fit" : "of the fit"}}) {
    const auto gain = report.gain_of_inputs(name);
    if (gain) rows.push_back({text, brief(gain->mean), brief(gain->standard_error), std::to_string(gain->n_rows)});
  }
  if (rows.size() == 1) return "";
  return "\nWhat the inputs are worth: nats a row, against the average of the distributions over the rows; 0 is "
         "nothing\n" +
         align(rows);
}

/// What proves the solution; empty where nothing does.
std::string certificate_text(const FitReport& report) {
  TextRows rows;
  for (const auto& [name, value] : report.certificate()) {
    const auto* number = std::get_if<double>(&value.value());
    rows.push_back({name, number == nullptr ? value_text(value) : brief(*number)});
  }
  return rows.empty() ? "" : "\nCertificate\n" + align(rows, 2);
}

/// "y + 2 log(y / 2)": the line that stands for the target.
std::string map_text(const TargetMap& map) {
  const bool pure = map.reach == infinity;
  const std::string unit = pure ? "" : brief(map.reach);
  const auto logarithm = [&](const std::string& of) {
    const std::string whole = of == "y" || pure ? of : "(" + of + ")";
    return pure ? "log(" + whole + ")" : unit + " log(" + whole + " / " + unit + ")";
  };
  const std::string above =
      map.lower == 0.0 ? "y" : message("y ", map.lower > 0.0 ? "- " : "+ ", brief(std::abs(map.lower)));
  std::string out = pure ? "" : "y";
  if (map.lower > -infinity) out += (out.empty() ? "" : " + ") + logarithm(above);
  if (map.upper < infinity) out += (out.empty() ? "-" : " - ") + logarithm(brief(map.upper) + " - y");
  return map.is_identity() ? "y" : out;
}

std::string kind_text(const Model& model) {
  if (!model.target) return "";
  const TargetSupport& support = model.target->support();
  std::string out = "\nKind of the target: " + model.target->kind().text() + "\n";
  if (!support.atoms.empty()) {
    std::string atoms;
    for (const double atom : support.atoms) atoms += (atoms.empty() ? "" : ", ") + format_number(atom);
    out += "  atoms, with probabilities of their own: " + atoms + "\n";
    out += "  these are by " + model.target->atom_model()->description() + "\n";
  }
  if (!support.values.list().empty()) {
    std::string values;
    for (const double value : support.values.list()) values += (values.empty() ? "" : ", ") + format_number(value);
    out += "  values: " + values + "\n";
  }
  out += "  the model's own parameters and scores are those of x = " + map_text(support.map) + "\n";
  if (model.target->trials().empty()) return out;
  TextRows rows{{"reach", "nll of rows left out"}};
  for (const TargetDecoder::Trial& trial : model.target->trials()) {
    const std::string reach = trial.reach == infinity ? "a logarithm"
                              : trial.reach == 0.0    ? "no map"
                                                      : brief(trial.reach);
    rows.push_back({reach, brief(trial.score)});
  }
  return out + align(rows);
}

/// Which probability what the model gives some probability has.
std::string calibration_text(const ConditionalDensity& density) {
  if (density.calibration() == nullptr) return "";
  const PitMap& map = *density.calibration();
  TextRows rows{{"P(Y <= y) by the model", "calibrated"}};
  for (const double u : {0.05, 0.25, 0.5, 0.75, 0.95}) rows.push_back({format_number(u), brief(map(u))});
  return message("\nCalibrated distributions, by the PIT values of ", map.n_rows(), " rows left out\n") +
         align(rows, 1);
}

std::string replicates_text(const Model& model) {
  if (!model.replicates) return "";
  return message("\nError bars, from ", model.replicates->size(),
                 " bootstrap replicates: predict --bands, plot --bands\n");
}

std::string describe_text(const Model& model) {
  const ModelInfo& info = find_model(model.density->model_name());
  const FitReport& report = model.density->report();
  std::string out = info.name + ": " + info.title + "\n\nFitted on";
  const Index all = report.n_rows_with_atoms();
  if (all > 0) out += message(" ", all, " rows");
  if (all > report.n_rows()) out += message(", the density to the ", report.n_rows(), " that are no atoms");
  out += model.encoder.weight().empty() ? "\n" : ", weighted by '" + shown(model.encoder.weight()) + "'\n";
  for (const std::string& line : censoring_lines(report)) out += "  " + line + "\n";
  out += columns_text(model) + kind_text(model) + (model.conformal ? conformal_text(*model.conformal) : "") +
         calibration_text(*model.density) + replicates_text(model);
  if (!model.encoder.input_columns().empty()) {
    out += "\nWhich inputs matter: one moves, the others stay at their typical values; most influential first\n";
    out += sensitivity_text(model);
  }
  out += gain_text(report);
  out += members_text(model) + race_text(model) + relevance_text(model) + entry_text(model) + components_text(model) +
         kernels_text(model) + states_text(model) + trends_text(model);
  out += "\nOptions\n" + options_text(model);
  out += "\nTuning\n" + tuning_text(model);
  if (const Document* centers = report.details.find("n_active_centers")) {
    out += "\nResult\n  a mixture of " + value_text(*centers) + " Gaussians, from " +
           value_text(report.details.at("n_centers")) + " centers\n";
  }
  out += certificate_text(report);
  if (report.status != "ok") out += "\nStatus: " + report.status + "\n";
  const std::vector<std::string> warnings = warnings_of(model);
  if (!warnings.empty()) out += "\nWarnings\n";
  for (const std::string& warning : warnings) out += "  - " + warning + "\n";
  return out;
}

Document candidates_document(const Tuning& tuning) {
  Document::Array out;
  for (const Tuning::Candidate& candidate : tuning.candidates) {
    Document entry;
    for (std::size_t i = 0; i < tuning.names.size(); ++i) entry.set(tuning.names[i], candidate.values[i]);
    entry.set("score", candidate.failed ? Document() : Document(candidate.score));
    out.push_back(
        std::move(entry.set("standard_error", candidate.failed ? Document() : Document(candidate.standard_error))));
  }
  return out;
}

Document relevances_document(const std::vector<Relevance>& relevance) {
  Document::Array out;
  for (const Relevance& entry : relevance) {
    Document one;
    one.set("input", entry.input).set("selected", entry.selected);
    if (entry.importance) one.set("importance", *entry.importance);
    if (entry.stability) one.set("stability", *entry.stability);
    out.push_back(std::move(one));
  }
  return out;
}

Document influences_document(const Model& model) {
  Document::Array out;
  for (const Influence& influence : influences(model)) {
    Document::Array steps;
    for (const Influence::Step& step : influence.steps) {
      Document entry;
      entry.set("value", step.value);
      entry.set("mean", Document(std::vector<double>(step.mean.begin(), step.mean.end())));
      entry.set("std", Document(std::vector<double>(step.std.begin(), step.std.end())));
      steps.push_back(std::move(entry));
    }
    Document entry;
    entry.set("input", influence.input).set("size", influence.size).set("steps", std::move(steps));
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

Document describe_document(const Model& model) {
  const ModelInfo& info = find_model(model.density->model_name());
  const FitReport& report = model.density->report();
  Document out;
  out.set("model", info.name).set("title", info.title).set("source", info.source);
  out.set("columns", model.encoder.to_document());
  out.set("options", model.density->options()).set("defaults", info.defaults(""));
  if (model.target) {
    Document target = model.target->to_document();
    if (!target.at("atoms").is_null()) target.set("atoms", target.at("support").at("atoms"));  // not the trees
    out.set("target", std::move(target));
  }
  if (model.conformal) out.set("conformal", model.conformal->to_document());
  if (const auto& map = model.density->calibration()) out.set("calibration", map->to_document());
  if (model.replicates) out.set("n_replicates", model.replicates->size());
  Document details(Document::Object{});
  for (const auto& [name, value] : report.details.as_object()) {
    if (name != "candidates") details.set(name, value);
  }
  out.set("status", report.status).set("details", std::move(details));
  out.set("warnings", Document(warnings_of(model)));
  if (const auto tuning = report.tuning()) out.set("candidates", candidates_document(*tuning));
  if (const auto relevance = relevances(model); !relevance.empty()) {
    out.set("inputs", relevances_document(relevance));
  }
  const auto set_if_any = [&](std::string_view name, Document part) {
    if (!part.is_null()) out.set(name, std::move(part));
  };
  set_if_any("components", components_document(model));
  set_if_any("subspace_intervals", subspace_document(model));
  set_if_any("kernels", kernels_document(model));
  set_if_any("states", states_document(model));
  return out.set("influences", influences_document(model));
}

namespace {

void describe(const DescribeCall& call) {
  const Model model = read_model(call.model);
  write_result("-", call.json ? to_json_text(describe_document(model)) : printable_lines(describe_text(model)));
}

}  // namespace

void add_describe(CLI::App& app) {
  const auto call = std::make_shared<DescribeCall>();
  CLI::App& verb =
      *app.add_subcommand("describe", "Tell what was fitted, on what, which inputs matter, how tuning went");
  add_option(verb, "model", call->model, "MODEL", "A model file written by condens fit")->required();
  verb.add_flag("--json", call->json, "JSON instead of text, with every candidate");
  verb.footer("Example:\n  condens describe geyser.json");
  verb.callback([call] { describe(*call); });
}

}  // namespace condens::cli
