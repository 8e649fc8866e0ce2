// condens fit: a model from a table.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "arguments.hpp"
#include "censoring.hpp"
#include "completion.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/data/folds.hpp"
#include "condens/data/standardizer.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/model/pooled_density.hpp"
#include "conformal.hpp"
#include "console.hpp"
#include "core/names.hpp"
#include "data/column_unit.hpp"
#include "data/missing_inputs.hpp"
#include "fitted.hpp"
#include "model/table_passes.hpp"
#include "relevance.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

constexpr std::size_t most_names = 20;

struct FitCall {
  std::string train;
  ColumnFlags columns;
  CensoringFlags censoring;
  CsvFlags csv;
  std::string model = std::string(default_model);
  std::string target_kind = "real";
  ConformalFlags conformal;
  bool calibrate = false;
  double calibrate_share = 0.25;
  Index bootstrap = 0;
  std::string bootstrap_method = "refit";
  std::string preset;
  std::string folds;
  std::vector<std::string> settings;
  std::string unlabeled;
  std::string memory;
  std::optional<Index> sample;
  std::string output;
  std::optional<Index> seed;
  std::string budget;
  int threads = 0;
  bool quiet = false;
};

/// Refuses, by their names, a target without spread and columns in units that no law can hold.
void check_columns(const Encoder& encoder, const std::string& source, const Dataset& data) {
  for (const EncodedColumn& target : encoder.targets()) {
    require(target.low < target.high, source, ": target '", target.name, "' is ", target.low,
            data.size() == 1 ? " in the only row" : " in every row", "; a distribution without spread has no density");
  }
  const auto check = [&](std::string_view kind, const std::vector<std::string>& names, const MatrixView& columns,
                         const auto& problem_of) {
    if (columns.rows() == 0) return;
    const Vector spread = Standardizer::fit(columns, data.weights).scale();
    for (Index k = 0; k < columns.rows(); ++k) {
      if (columns.row(k).array().isNaN().any()) continue;  // the imputer takes ranks
      const std::string problem = problem_of(columns.row(k).transpose(), spread[k]);
      require(problem.empty(), source, ": ", kind, " '", names[static_cast<std::size_t>(k)], "' ", problem);
    }
  };
  check("target", names_of(encoder.targets()), data.y, target_problem);
  check("input", encoder.encoded_names(), data.x, unit_problem);
}

/// What the target was taken for, or would be.
void say_kind(const Model& model, const Dataset& data) {
  if (data.y.rows() != 1) return;
  const Vector y = data.y.row(0).transpose();
  const TargetKind looks = TargetKind::of(y);
  if (!model.target) {
    if (looks.name != TargetName::real) {
      say("fit", message("note: the target looks like --target-kind ", looks.text(), " (", reason_for(looks, y),
                         "), and was taken for any real number"));
    }
    return;
  }
  const TargetSupport& support = model.target->support();
  std::string atoms;
  for (const double atom : support.atoms) {
    atoms += message(atoms.empty() ? "" : ", ", atom, " in ", (y.array() == atom).count(), " rows");
  }
  say("fit", message("the target is of kind ", model.target->kind().text(), " (",
                     atoms.empty() ? reason_for(model.target->kind(), y) : atoms, ")"));
}

/// Of a fit to so many rows, of which `data` has all, or some.
void report(const FitCall& call, const Model& model, Index rows, const Dataset& data, Index dropped) {
  if (call.quiet) return;
  const FitReport& told = model.density->report();
  const auto targets = list_text(names_of(model.encoder.targets()));
  const auto inputs = list_text(names_of(model.encoder.input_columns()));
  std::vector<std::string> marked;
  for (const EncodedColumn& input : model.encoder.input_columns()) {
    if (!input.missing_of.empty()) marked.push_back(input.missing_of);
    if (std::find(input.levels.begin(), input.levels.end(), missing_level) != input.levels.end())
      marked.push_back(input.name);
  }
  if (!marked.empty()) say("fit", "missing values are marked of " + list_text(marked));
  if (model.encoder.missing() == MissingInputs::model) {
    const Index incomplete = data.x.array().isNaN().colwise().any().count();
    const bool joint = capability<JointDensity>(*model.density) != nullptr;
    if (incomplete > 0) {
      say("fit", message(incomplete, incomplete == 1 ? " row has" : " rows have", " missing inputs, which predictions ",
                         joint ? "do without" : "average over"));
    }
  }
  if (dropped > 0) say("fit", message("left out ", dropped, dropped == 1 ? " row" : " rows", " with missing values"));
  say("fit", message("fitted ", model.density->model_name(), " to ", rows, " rows: ", targets,
                     inputs.empty() ? ", a density without inputs" : " given " + inputs));
  for (const std::string& note : model.encoder.notes()) say("fit", "note: " + note);
  const std::vector<std::string> known = censoring_lines(told);
  for (const std::string& line : known) say("fit", line);
  if (known.empty()) say_kind(model, data);
  if (model.conformal) {
    for (const std::string& line : conformal_lines(*model.conformal)) say("fit", line);
  }
  if (const auto& map = model.density->calibration()) {
    say("fit", message("distributions are calibrated by ", map->n_rows(), " rows left out"));
  }
  if (model.replicates) {
    say("fit", message("fitted ", model.replicates->size(), " bootstrap replicates, for --bands of predict and plot"));
  }
  std::vector<std::string> selected;
  const std::vector<Relevance> relevance = relevances(model);
  for (const Relevance& entry : relevance) {
    if (entry.selected) selected.push_back(entry.input);
  }
  if (selected.size() < relevance.size()) {
    const bool few = !selected.empty() && selected.size() <= most_names;
    say("fit", message("selected ", selected.size(), " of ", relevance.size(), " inputs",
                       few ? ": " + list_text(selected) : ""));
  }
  std::string chosen;
  for (const OptionInfo& option : find_model(model.density->model_name()).options) {
    const Document* value = told.chosen(option.name);
    if (value == nullptr || option.name == "n_centers" || option.type == "options") continue;
    if (std::holds_alternative<Document::Object>(value->value())) continue;  // a table that bears an option's name
    chosen += (chosen.empty() ? "" : ", ") + option.name + " " + brief_text(*value);
  }
  const auto score = told.score();
  if (score) {
    chosen += message(chosen.empty() ? "" : "; ", "cross-validated score ", brief(score->value), " ± ",
                      brief(score->standard_error), " (standardised scale)");
  }
  if (chosen.starts_with("cross-validated"))
    say("fit", chosen);
  else if (!chosen.empty())
    say("fit", (score ? "chose " : "used ") + chosen);
  const auto say_gain = [&](std::string_view which, const std::string& of) {
    const auto gain = told.gain_of_inputs(which);
    if (!gain) return;
    say("fit", message("the inputs are worth ", brief(gain->mean), " ± ", brief(gain->standard_error), " nats a row",
                       of, ", on ", gain->n_rows, " rows left out",
                       gain->n_rows_fitted ? message(" of a fit to ", *gain->n_rows_fitted) : ""));
  };
  const bool has_atoms = model.target && model.target->atom_model() != nullptr;
  say_gain("atoms", " for the probabilities of atoms");
  say_gain("held_out", has_atoms ? " beside the atoms" : "");
  if (const auto* pool = capability<PooledDensity>(*model.density)) {
    std::string weights;
    for (const PooledDensity::Account& own : pool->accounts()) {
      weights += (weights.empty() ? "" : ", ") + own.name + " " + brief(own.weight);
    }
    say("fit", "weights: " + weights);
  }
  for (const char* key : {"n_centers_note", "score_note"}) {
    if (const Document* note = told.details.find(key)) say("fit", "note: " + note->as_string());
  }
  if (const Document* searched = told.details.find("n_rows_searched")) {
    say("fit", message("note: directions were searched on ", searched->as_integer(),
                       " of the rows, drawn at random; --set max_search_rows=0 takes all of them"));
  }
  const std::vector<std::string> said = model.encoder.warnings(rows);
  for (const std::string& warning : warnings_of(model)) {
    if (std::find(said.begin(), said.end(), warning) == said.end()) say("fit", "warning: " + warning);
  }
  if (told.status != "ok") say("fit", "warning: " + told.status);
}

/// "90", "90s", "5m" or "1h" in seconds.
double seconds_of(const ModelInfo& info, const std::string& text) {
  find_option(info.name, info.options, "budget");  // refuses models without a budget
  const std::string units = "smh";
  const std::size_t unit = units.find(text.back());
  const std::optional<double> number = parse_number(unit == std::string::npos ? text : text.substr(0, text.size() - 1));
  require(number && *number > 0, "--budget ", text, ", expected a time > 0, such as 90, 90s, 5m or 1h");
  return *number * (unit == std::string::npos ? 1.0 : std::pow(60.0, static_cast<double>(unit)));
}

/// Folds of cross-validation: "time" for blocks of rows, or what --set cv= takes.
void set_folds(const ModelInfo& info, const std::string& text, Index rows, Document& options) {
  constexpr Index blocks = 5;
  const OptionInfo& option = find_option(info.name, info.options, "cv");  // refuses models without cross-validation
  require(options.find("cv") == nullptr, "--cv and --set cv: expected one of them");
  if (text != "time") {
    options.set("cv", parse_option(info.name, option, text));
    return;
  }
  const std::vector<Index> folds = time_folds(rows, blocks);
  options.set("cv", Document(std::vector<double>(folds.begin(), folds.end())));
}

/// Refuses models that would ignore rows without a target.
void check_unlabeled(const ModelInfo& info, const std::string& preset, const Document& options) {
  if (uses_unlabeled(info, preset, options)) return;
  std::vector<std::string> names;
  for (const ModelInfo& other : models()) {
    if (uses_unlabeled(other, "", Document(Document::Object{}))) names.push_back(other.name);
  }
  throw std::invalid_argument(
      message("--unlabeled: ", info.name, info.can("learns_from_unlabeled") ? " with this model inside" : "",
              " learns nothing from rows without a target; expected one of ", list_names(names)));
}

Matrix read_unlabeled(const FitCall& call, const Encoder& encoder) {
  const Table table = call.csv.read(call.unlabeled);
  const RowFlags rows{call.columns.drop_missing};
  return encoder.encode_inputs(table, rows.read("fit", encoder, table, false));
}

/// Ends with Ctrl-C as the fit does, unless the fit has ended with it already: some models keep the best so far.
void save(const Model& model, const std::string& output, const Run& run) {
  std::optional<Uninterrupted> what_was_kept;
  if (model.density->report().status == "interrupted") {
    what_was_kept.emplace();
  } else {
    check_interrupted();
  }
  const Task task(run, "writing", 1);
  save_model(model, output);
  clear_progress();
}

/// Before the fit: what they warn of may take long.
void say_warnings(const FitCall& call, const Encoder& encoder, Index rows) {
  if (call.quiet) return;
  for (const std::string& warning : encoder.warnings(rows)) say("fit", "warning: " + warning);
}

/// Fits of what does not fit into memory; see `BlocksOfTable`.
void fit_in_blocks(const FitCall& call, const ModelInfo& info, Document options, const EncoderOptions& columns) {
  const std::string advice = "; --sample ROWS fits to a random sample, with all options";
  const std::pair<bool, const char*> others[] = {{call.target_kind != "real", "--target-kind"},
                                                 {call.conformal.given(), "--conformal"},
                                                 {call.calibrate, "--calibrate"},
                                                 {call.bootstrap > 0, "--bootstrap"},
                                                 {call.censoring.given(), "--censored, --target-upper or --entry"},
                                                 {!call.unlabeled.empty(), "--unlabeled"},
                                                 {call.folds == "time", "--cv time"},
                                                 {columns.missing == MissingInputs::model, "--missing model"}};
  require(static_cast<bool>(info.fit_by_sums), "--memory: ", info.name, " needs all rows at once, expected one of ",
          list_names(models_that("sums_over_rows")), advice);
  for (const auto& [given, flag] : others) {
    require(!given, "--memory and ", flag, ": expected one of them", advice);
  }
  const std::size_t block = bytes_of_block(call.memory);

  if (!call.folds.empty()) set_folds(info, call.folds, 0, options);
  const Run run = start_run(call.threads, call.quiet);
  CsvBlocks file = call.csv.blocks(call.train, block);
  EncodedBlocks rows(file, columns, run);
  Model model{rows.encoder(), nullptr};
  say_warnings(call, model.encoder, rows.size());
  BlocksOfTable table(rows, bytes_of("--memory", call.memory) / 2, run);
  const Dataset some = table_passes::typical_rows(table);
  check_columns(model.encoder, call.train, some);
  model.density = fit_by_sums(info, table, call.preset, options, most_rows_at_once, run);
  save(model, call.output, run);
  report(call, model, rows.size(), some, rows.dropped());
}

/// The table, or a sample of its rows.
Table read_rows(const FitCall& call, const std::vector<std::string>& targets) {
  if (!call.sample) return call.csv.read(call.train);
  require(*call.sample >= 2, "--sample = ", *call.sample, ", expected a number of rows >= 2");
  require(!targets.empty(), "--sample needs --target, by which it is stratified");
  SampledTable out = call.csv.sample(call.train, targets.front(), *call.sample, call.seed.value_or(0),
                                     start_run(call.threads, call.quiet), call.memory);
  if (!call.quiet && out.rows > out.table.rows()) {
    say("fit", message("warning: fits to a random sample of ", out.table.rows(), " of ", out.rows, " rows"));
  }
  return std::move(out.table);
}

void fit(FitCall call) {
  call.conformal.give_back_table(call.train);
  if (call.train.empty()) throw CLI::RequiredError("train");
  require(!call.output.empty(), "-o is missing, expected where the model is to go: MODEL.json or MODEL.cbor");
  const ModelInfo& info = find_model(call.model);
  info.defaults(call.preset);  // refuses an unknown preset before anything is read
  call.conformal.check();
  require(!call.calibrate || (call.calibrate_share > 0.0 && call.calibrate_share < 1.0),
          "--calibrate-share = ", call.calibrate_share, ", expected a number in (0, 1)");
  require(call.bootstrap >= 0 && call.bootstrap <= most_replicates, "--bootstrap = ", call.bootstrap,
          ", expected a number of replicates, 0 to ", most_replicates);
  const TargetKind kind = TargetKind::parse(call.target_kind);
  Document options = parse_settings(info, call.settings);
  if (!call.unlabeled.empty()) check_unlabeled(info, call.preset, options);
  if (call.seed) options.set("seed", *call.seed);
  if (!call.budget.empty()) options.set("budget", seconds_of(info, call.budget));
  check_output(call.output, {call.train, call.unlabeled});

  EncoderOptions columns = call.columns.options();
  columns.seed = static_cast<std::uint64_t>(call.seed.value_or(0));
  if (!call.memory.empty() && !call.sample) {
    fit_in_blocks(call, info, std::move(options), columns);
    return;
  }
  std::vector<std::string> others = columns.inputs.value_or(std::vector<std::string>{});
  others.push_back(columns.weight);
  const CensoredTable read = call.censoring.read(read_rows(call, columns.targets), columns.targets, others);
  const Table& table = read.table;
  Model model{Encoder::fit(table, columns), nullptr};
  std::vector<Index> rows;
  if (call.columns.drop_missing) rows = model.encoder.encodable_rows(table, true).rows;
  Dataset data =
      call.columns.drop_missing ? model.encoder.encode_training(table, rows) : model.encoder.encode_training(table);
  check_columns(model.encoder, call.train, data);
  if (!call.folds.empty()) set_folds(info, call.folds, data.size(), options);
  if (!call.unlabeled.empty()) data.x_unlabeled = read_unlabeled(call, model.encoder);

  say_warnings(call, model.encoder, data.size());
  const PlaceOfRow place = places_of(table, rows);
  TargetRequest request{.kind = kind,
                        .calibration_share = 0,
                        .impute_inputs = model.encoder.missing() == MissingInputs::model,
                        .replicates = call.bootstrap,
                        .replicate_method = choice_of<ReplicateMethod>("--bootstrap-method", call.bootstrap_method),
                        .censoring = call.columns.drop_missing ? read.rows.subset(rows) : read.rows};
  call.conformal.set(model.encoder, data.x, request);
  if (call.calibrate) request.pit_share = call.calibrate_share;
  const Run run = start_run(call.threads, call.quiet);
  TargetModel fitted = fit_target(info, request, data, call.preset, options, place, run);
  model.density = std::move(fitted.density);
  model.target = std::move(fitted.target);
  model.conformal = std::move(fitted.conformal);
  model.replicates = std::move(fitted.replicates);
  save(model, call.output, run);
  report(call, model, data.size(), data, table.rows() - data.size());
}

}  // namespace

void add_fit(CLI::App& app) {
  const auto call = std::make_shared<FitCall>();
  CLI::App& verb = *app.add_subcommand("fit", "Fit a model to a table and save it");
  add_option(verb, "train", call->train, "TRAIN.csv",
             "Table with a header line; - for standard input; or a Parquet or Arrow file, or a folder of them");
  call->columns.add_to(verb);
  call->censoring.add_to(verb, "Columns");
  add_option(verb, "--unlabeled", call->unlabeled, "FILE.csv",
             "More rows of the inputs, with unknown target, for models that learn from them: see condens models",
             "Columns");
  add_option(verb, "--model", call->model, "NAME",
             message("Which model (default: ", default_model, "); see condens models"), "Model");
  add_option(
      verb, "--target-kind", call->target_kind, "KIND",
      "What the target is: real (default), positive, bounded:LOW,HIGH, count, ordinal, with-atoms, or auto: what "
      "it looks like",
      "Model");
  call->conformal.add_to(verb, "Model");
  CLI::Option* calibrate =
      verb.add_flag("--calibrate", call->calibrate,
                    "Leave some rows out of the fit, by which all that is said of y - quantiles, probabilities, "
                    "densities - is calibrated")
          ->group("Model");
  add_option(verb, "--calibrate-share", call->calibrate_share, "p", "Share of the rows for that (default: 0.25)",
             "Model")
      ->needs(calibrate);
  CLI::Option* bootstrap = add_option(
      verb, "--bootstrap", call->bootstrap, "R",
      "Fit R times more to rows drawn with replacement, say 100, for the error bars of predict --bands", "Model");
  add_option(verb, "--bootstrap-method", call->bootstrap_method, "HOW",
             "refit (default), or delta: by first derivatives at the fit, which takes no more than the fit, of lscde",
             "Model")
      ->needs(bootstrap);
  add_option(verb, "--preset", call->preset, "NAME", "recommended (default), or paper: as the paper does it", "Model");
  add_option(
      verb, "--cv", call->folds, "FOLDS",
      "Of models that cross-validate: a number of folds, or time: 5 blocks of rows, which are in the order of time",
      "Model");
  add_option(verb, "--set", call->settings, "option=value", "One option of the model; may be repeated", "Model")
      ->allow_extra_args(false)
      ->take_all();
  add_option(verb, "--seed", call->seed, "N", "Seed of everything random (default: 0)", "Model");
  add_option(verb, "--budget", call->budget, "TIME", "Of --model auto: time that the fit may take, such as 60s or 5m",
             "Model");
  add_option(verb, "--memory", call->memory, "SIZE",
             message("For a table that does not fit into memory: rows are read in parts that take about so much, "
                     "such as 500M or 2G, and read again for each pass of the fit. Of ",
                     list_names(models_that("sums_over_rows"))),
             "Large tables");
  add_option(verb, "--sample", call->sample, "ROWS",
             "Fit to a random sample of so many rows, stratified by the target, which alone is kept in memory",
             "Large tables");
  add_option(verb, "-o,--output", call->output, "FILE", "The model: .json, or .cbor, which is smaller", "Output");
  add_option(verb, "--threads", call->threads, "N", "Threads (default: all); the result is the same", "Output");
  verb.add_flag("--quiet", call->quiet, "No summary and no progress bar")->group("Output");
  call->csv.add_to(verb);
  offer(verb, "--model", model_names);
  offer(verb, "--target-kind", target_kinds());
  offer(verb, "--bootstrap-method", names_of_choices<ReplicateMethod>());
  offer(verb, "--preset", presets_of_model);
  offer(verb, "--cv", {"time"});
  offer(verb, "--set", settings_of_model);
  verb.footer(
      "Wherever a verb takes a CSV file, it takes a Parquet or Arrow file, or a folder of them.\n"
      "Python with pyarrow reads these: python3, or the program that CONDENS_PYTHON names.\n"
      "\nExamples:\n"
      "  condens fit geyser.csv --target waiting -o geyser.json\n"
      "  condens fit heights.csv --target height --inputs \"\" -o density.cbor\n"
      "  condens fit claims.csv --target cost --target-kind auto --model auto -o cost.cbor\n"
      "  condens fit waits.csv --target days --censored still_waiting --target-kind positive --model boost -o w.cbor\n"
      "  condens fit flights.parquet --target delay --model gmm --memory 2G -o delay.cbor\n"
      "  condens fit flights.csv --target delay --model auto --sample 100000 -o delay.cbor\n"
      "  condens fit train.csv --target y --preset paper --set n_centers=200 --seed 1 -o paper.json");
  verb.callback([call] { fit(*call); });
}

}  // namespace condens::cli
