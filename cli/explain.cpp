// condens explain: what moved the answer, for a whole table, along one input, of one row, or between two.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <sstream>

#include "arguments.hpp"
#include "completion.hpp"
#include "condens/core/errors.hpp"
#include "condens/inspection/effects.hpp"
#include "condens/inspection/importance.hpp"
#include "condens/inspection/shapley.hpp"
#include "condens/inspection/training_rows.hpp"
#include "condens/io/csv.hpp"
#include "condens/plot/explanation_figures.hpp"
#include "condens/registry.hpp"
#include "console.hpp"
#include "core/names.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

struct ExplainCall {
  std::string model;
  std::string rows;
  bool importance = false;
  std::string effect;
  std::string row;
  std::string compare;
  std::string training_rows;
  bool dimension = false;
  double level = DimensionTestOptions{}.level;
  Index folds = DimensionTestOptions{}.folds;
  std::string training;
  std::string of;
  std::string target;
  bool partial = false;
  Index repeats = 5;
  Index points = 20;
  Index max_rows = 1000;
  Index background = 100;
  Index most = 10;
  Index seed = 0;
  std::optional<Index> sample;
  RowFlags unusable;
  CsvFlags csv;
  bool json = false;
  std::string output;
  int threads = 0;
};

/// What is printed: named columns of numbers and texts, and where asked for a picture.
struct Explanation {
  std::vector<std::string> names;
  std::vector<std::vector<Document>> lines = {};
  std::string picture = {};
};

/// The model, and the rows of the table that can be used.
struct Subject {
  std::shared_ptr<const Model> model;  // `inspected` borrows from it
  std::vector<InspectedInput> inputs;
  Inspected inspected;
  std::string target_name;
  std::vector<Functional> of;
  std::vector<Index> places;  ///< in the table
  Dataset data;
};

bool wants_picture(const ExplainCall& call) { return call.output.ends_with(".svg"); }

std::vector<Functional> functionals_of(const ExplainCall& call) {
  if (!call.of.empty()) {
    try {
      return parse_functionals(call.of);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(std::string("--") + error.what());
    }
  }
  return parse_functionals(call.effect.empty() ? "mean,std" : "quantile:0.1,quantile:0.5,quantile:0.9");
}

void check_choice(const ExplainCall& call) {
  const std::array shown{call.importance,       !call.effect.empty(),        !call.row.empty(),
                         !call.compare.empty(), !call.training_rows.empty(), call.dimension};
  require(std::count(shown.begin(), shown.end(), true) <= 1,
          "several explanations are asked for, expected one of --importance, --effect, --row, --compare, ",
          "--training-rows and --dimension");
  require(call.training_rows.empty() == call.training.empty(), call.training.empty() ? "--training-rows" : "--training",
          call.training.empty() ? " needs --training TRAIN.csv, the table of the fit"
                                : " is for --training-rows N, which is not asked for");
  require(
      !call.sample || (call.row.empty() && call.compare.empty() && call.training_rows.empty()),
      "--sample: --row, --compare and --training-rows ask for rows by their number, expected them without --sample");
  require(!call.sample || *call.sample >= 2, "--sample = ", call.sample.value_or(0),
          ", expected a number of rows >= 2");
  require(call.partial ? !call.effect.empty() : true, "--partial is for --effect, which is not asked for");
  for (const auto& [flag, value, least] : {std::tuple{"--repeats", call.repeats, Index{1}},
                                           {"--points", call.points, Index{2}},
                                           {"--max-rows", call.max_rows, Index{0}},
                                           {"--background", call.background, Index{0}},
                                           {"--most", call.most, Index{1}},
                                           {"--seed", call.seed, Index{0}}}) {
    require(value >= least, flag, " = ", value, ", expected a whole number >= ", least);
  }
  require(!wants_picture(call) || (call.training_rows.empty() && !call.dimension), "-o ", call.output,
          call.dimension ? ": tests" : ": training rows", " are a table, expected a name that ends in .csv or .json");
}

Index target_of(const ExplainCall& call, const Encoder& encoder) {
  const std::vector<std::string> names = names_of(encoder.targets());
  if (call.target.empty()) return 0;
  const auto found = std::find(names.begin(), names.end(), call.target);
  require(found != names.end(), "--target = '", call.target, "', expected one of ", list_names(names));
  return found - names.begin();
}

/// The table, or a sample of its rows.
Table explained_rows(const ExplainCall& call, const std::string& target) {
  if (!call.sample) return call.csv.read(call.rows);
  return call.csv.sample(call.rows, target, *call.sample, call.seed, start_run(call.threads)).table;
}

Subject read_subject(const ExplainCall& call) {
  Model model = read_model(call.model, call.rows);
  const Index target = target_of(call, model.encoder);
  std::string name = model.encoder.targets()[static_cast<std::size_t>(target)].name;
  const Table table = explained_rows(call, name);
  const std::vector<Functional> of = functionals_of(call);
  const bool importance = call.effect.empty() && call.row.empty() && call.compare.empty() && call.training_rows.empty();
  const bool with_targets =
      importance || std::any_of(of.begin(), of.end(), [](const Functional& own) { return own.needs_target(); });
  for (const EncodedColumn& own : model.encoder.targets()) {
    require(!with_targets || table.find(own.name) != nullptr, call.rows, ": ",
            call.dimension ? "--dimension"
            : importance   ? "--importance"
                           : "--of log-score",
            " needs the target column '", own.name, "', which the file does not have");
  }
  std::vector<Index> places = call.unusable.read("explain", model.encoder, table, with_targets);
  Dataset data = with_targets ? model.encoder.encode(table, places)
                              : Dataset{.x = model.encoder.encode_inputs(table, places), .y = Matrix(0, 0)};
  data.weights = model.encoder.weights_of(table, places);
  if (with_targets && model.target) {
    require_possible(model.target->support(), data.y.row(0).transpose(), places_of(table, places));
  }
  std::vector<InspectedInput> inputs = inspected_inputs(model.encoder);
  const auto kept = std::make_shared<const Model>(std::move(model));
  const TargetDecoder* kind = kept->target ? &*kept->target : nullptr;
  return {kept,           std::move(inputs), {*kept->density, kind, target}, std::move(name), of, std::move(places),
          std::move(data)};
}

/// Row N of the table, counting from 1, among those that can be used.
Index row_of(const std::string& flag, const std::string& text, const Subject& subject) {
  const std::optional<double> number = parse_number(text);
  require(number && *number >= 1 && *number == std::floor(*number), flag, " = '", text,
          "', expected the number of a row of the table, counting from 1");
  const auto found = std::find(subject.places.begin(), subject.places.end(), static_cast<Index>(*number) - 1);
  require(found != subject.places.end(), flag, " = ", text, ", expected one of the ", subject.places.size(),
          " rows of the table that can be used, counting from 1");
  return found - subject.places.begin();
}

const InspectedInput& input_of(const ExplainCall& call, const Subject& subject) {
  std::vector<std::string> names;
  for (const InspectedInput& own : subject.inputs) {
    if (own.name == call.effect) return own;
    names.push_back(own.name);
  }
  throw std::invalid_argument(
      message("--effect = '", call.effect, "', expected one of ", list_names(names), did_you_mean(call.effect, names)));
}

std::string rows_text(Index n, Index all) { return n == all ? message(n, " rows") : message(n, " of ", all, " rows"); }

Explanation explain_importance(const ExplainCall& call, const Subject& subject, const Run& run) {
  Importances found =
      permutation_importance(*subject.model->density, subject.inspected.kind, subject.inputs, subject.data,
                             {.n_repeats = call.repeats, .max_rows = call.max_rows, .seed = call.seed}, run);
  std::stable_sort(found.inputs.begin(), found.inputs.end(),
                   [](const Importance& a, const Importance& b) { return a.log_score.value > b.log_score.value; });
  Explanation out{.names = {"input", "measure", "loss", "standard_error", "shuffle_error"}};
  for (const Importance& own : found.inputs) {
    for (const auto& [measure, loss] : {std::pair{"nll", own.log_score}, {"crps", own.crps}}) {
      out.lines.push_back({own.input, measure, loss.value, loss.standard_error, loss.shuffle_error});
    }
  }
  if (!wants_picture(call)) return out;
  const std::size_t shown = std::min<std::size_t>(found.inputs.size(), 30);
  plot::AddedColumn nll{.label = "nll", .values = Vector(shown), .errors = Vector(shown)};
  plot::AddedColumn crps{.label = "crps", .values = Vector(shown), .errors = Vector(shown)};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shown; ++i) {
    const Importance& own = found.inputs[i];
    const auto at = static_cast<Index>(i);
    names.push_back(own.input);
    nll.values[at] = own.log_score.value;
    nll.errors[at] = own.log_score.standard_error;
    crps.values[at] = own.crps.value;
    crps.errors[at] = own.crps.standard_error;
  }
  out.picture = plot::added_bars(
      "What the scores lose without an input", names, {nll, crps},
      message("Each input shuffled ", call.repeats, " times among ", rows_text(found.n_rows, subject.data.x.cols()),
              ".", shown < found.inputs.size() ? message(" The first ", shown, " of ", found.inputs.size(), ".") : ""));
  return out;
}

Explanation explain_effect(const ExplainCall& call, const Subject& subject, const Run& run) {
  const Effect found = effect(subject.inspected, subject.of, input_of(call, subject), subject.data,
                              {.kind = call.partial ? EffectKind::dependence : EffectKind::local,
                               .points = call.points,
                               .max_rows = call.max_rows,
                               .seed = call.seed},
                              run);
  // Local effects of quantiles are of each on its own: on top of their means they may cross, and are not added.
  const bool levels = found.kind == EffectKind::dependence;
  Explanation out{.names = {found.input, "of", "effect", "standard_error"}};
  if (levels) out.names.emplace_back("value");
  for (Index k = 0; k < found.values.cols(); ++k) {
    const Document at = found.levels.empty() ? Document(found.grid[k]) : found.levels[static_cast<std::size_t>(k)];
    for (std::size_t f = 0; f < found.of.size(); ++f) {
      const auto row = static_cast<Index>(f);
      const double own = found.values(row, k);
      out.lines.push_back({at, found.of[f].text(), own, found.standard_errors(row, k)});
      if (levels) out.lines.back().emplace_back(found.base[row] + own);
    }
  }
  if (wants_picture(call)) out.picture = plot::effect_curves(found, subject.target_name);
  return out;
}

Explanation as_explanation(const ExplainCall& call, const Attribution& found, const std::string& title,
                           const std::string& remark) {
  Explanation out{.names = {"of", "input", "value", "standard_error"}};
  for (std::size_t f = 0; f < found.of.size(); ++f) {
    const auto column = static_cast<Index>(f);
    out.lines.push_back({found.of[f], "(base)", found.base[column], Document()});
    for (std::size_t j = 0; j < found.inputs.size(); ++j) {
      const auto row = static_cast<Index>(j);
      out.lines.push_back(
          {found.of[f], found.inputs[j], found.values(row, column), found.standard_errors(row, column)});
    }
    out.lines.push_back({found.of[f], "(prediction)", found.prediction[column], Document()});
  }
  if (!wants_picture(call)) return out;
  // The largest first, by the first functional; those beyond the room of a picture are counted.
  std::vector<Index> order(found.inputs.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return std::abs(found.values(a, 0)) > std::abs(found.values(b, 0)); });
  constexpr std::size_t most_bars = 30;
  if (order.size() > most_bars) order.resize(most_bars);
  std::vector<std::string> names;
  for (const Index j : order) names.push_back(found.inputs[static_cast<std::size_t>(j)]);
  std::vector<plot::AddedColumn> columns;
  for (std::size_t f = 0; f < std::min<std::size_t>(found.of.size(), 4); ++f) {
    const auto column = static_cast<Index>(f);
    const bool is_distance = found.of[f] == "crps" || found.of[f] == "kolmogorov";
    const std::string from = is_distance ? ": " : ": " + brief(found.base[column]) + " to ";
    plot::AddedColumn own{.label = found.of[f] + from + brief(found.prediction[column]),
                          .values = found.values(order, column)};
    if (!found.exact) own.errors = found.standard_errors(order, column);
    columns.push_back(std::move(own));
  }
  const std::string cut =
      order.size() < found.inputs.size() ? message(" The first ", order.size(), " of ", found.inputs.size(), ".") : "";
  out.picture = plot::added_bars(title, names, columns, remark + cut);
  return out;
}

Explanation explain_row(const ExplainCall& call, const Subject& subject, const Run& run) {
  const Index row = row_of("--row", call.row, subject);
  const Vector y =
      subject.data.y.cols() > 0 ? Vector(subject.data.y.row(subject.inspected.target).segment(row, 1)) : Vector();
  const Attribution found =
      shapley_values(subject.inspected, subject.of, subject.inputs, Vector(subject.data.x.col(row)), y, subject.data.x,
                     {.max_background = call.background, .seed = call.seed}, run);
  return as_explanation(call, found, "What every input adds at row " + call.row,
                        message("Against the mean of ", rows_text(found.n_background, subject.data.x.cols()), ", ",
                                found.exact ? "exact." : "by random orders of the inputs."));
}

Explanation explain_difference(const ExplainCall& call, const Subject& subject, const Run& run) {
  const std::vector<std::string> pair = split_names(call.compare);
  require(pair.size() == 2, "--compare = '", call.compare, "', expected two rows, as 17,42");
  const Index row = row_of("--compare", pair[0], subject);
  const Index other = row_of("--compare", pair[1], subject);
  const Attribution found = compare_rows(subject.inspected, subject.of, subject.inputs, Vector(subject.data.x.col(row)),
                                         Vector(subject.data.x.col(other)), {.seed = call.seed}, run);
  return as_explanation(call, found, "From row " + pair[1] + " to row " + pair[0],
                        found.exact ? "Exact." : "By random orders of the inputs.");
}

Document cell_of(const Column& column, Index row) {
  if (column.is_missing(row)) return {};
  const auto i = static_cast<std::size_t>(row);
  return column.is_numeric() ? Document(column.numbers()[i]) : Document(column.texts()[i]);
}

Explanation explain_training_rows(const ExplainCall& call, const Subject& subject, const Run& run) {
  const Index row = row_of("--training-rows", call.training_rows, subject);
  const Encoder& encoder = subject.model->encoder;
  const Table table = call.csv.read(call.training);
  const std::vector<Index> places = call.unusable.read("explain", encoder, table, true);
  const Dataset training = encoder.encode_training(table, places);  // as the fit had them
  const Conformal* conformal = subject.model->conformal ? &*subject.model->conformal : nullptr;
  const RowWeights found = training_row_weights(*subject.model->density, subject.inspected.kind, conformal,
                                                subject.data.x.middleCols(row, 1), training, call.most, run)
                               .front();
  Explanation out{.names = {"row", "weight"}};
  std::vector<const Column*> shown;
  for (const auto* columns : {&encoder.input_columns(), &encoder.targets()}) {
    for (const EncodedColumn& own : *columns) {
      if (const Column* column = table.find(own.name)) shown.push_back(column);
    }
  }
  for (const Column* column : shown) out.names.push_back(column->name);
  for (std::size_t k = 0; k < found.rows.size(); ++k) {
    const Index place = places[static_cast<std::size_t>(found.rows[k])];
    std::vector<Document> line{Document(place + 1), Document(found.weights[static_cast<Index>(k)])};
    for (const Column* column : shown) line.push_back(cell_of(*column, place));
    out.lines.push_back(std::move(line));
  }
  std::vector<Document> rest(out.names.size());
  rest[0] = Document("(others)");
  rest[1] = Document(found.others);
  out.lines.push_back(std::move(rest));
  return out;
}

/// Tests of the number of directions, by the options of the fit.
Explanation explain_dimension(const ExplainCall& call, const Subject& subject, const Run& run) {
  const Model& model = *subject.model;
  Document options = model.density->options();
  const Document* cv = options.find("cv");
  if (cv != nullptr && cv->as_array().size() > 1) options.set("cv", Document::Array{call.folds});
  const TargetKind kind = model.target ? model.target->kind() : TargetKind{};
  const DimensionTest found = test_dimension(find_model(model.density->model_name()), subject.data, "", options, kind,
                                             {.level = call.level, .folds = call.folds, .seed = call.seed}, run);
  Explanation out{.names = {"n_components", "log_score", "gain", "standard_error", "p_value", "verdict"}};
  for (const DimensionTest::Step& step : found.steps) {
    out.lines.push_back({step.n_components, step.score, step.gain, step.standard_error, step.p_value,
                         step.rejected ? "too few" : "enough"});
  }
  return out;
}

std::string as_csv(const Explanation& found) {
  std::ostringstream text;
  CsvWriter csv(text);
  csv.row(found.names);
  for (const std::vector<Document>& line : found.lines) {
    for (const Document& cell : line) {
      if (cell.is_null())
        csv.field("NA");
      else if (const auto* word = std::get_if<std::string>(&cell.value()))
        csv.field(*word);
      else
        csv.field(cell.as_number());
    }
    csv.end_row();
  }
  return text.str();
}

std::string as_json(const Explanation& found) {
  Document::Array out;
  for (const std::vector<Document>& line : found.lines) {
    Document entry(Document::Object{});
    for (std::size_t k = 0; k < line.size(); ++k) entry.set(found.names[k], line[k]);
    out.push_back(std::move(entry));
  }
  return to_json_text(Document(std::move(out)));
}

void explain(const ExplainCall& call) {
  check_choice(call);
  check_output(call.output, {call.model, call.rows, call.training});
  const Subject subject = read_subject(call);
  const Run run = start_run(call.threads);
  const auto by = !call.effect.empty()          ? explain_effect
                  : !call.row.empty()           ? explain_row
                  : !call.compare.empty()       ? explain_difference
                  : !call.training_rows.empty() ? explain_training_rows
                  : call.dimension              ? explain_dimension
                                                : explain_importance;
  const Explanation found = by(call, subject, run);
  check_interrupted();
  clear_progress();
  write_result(call.output, wants_picture(call) ? found.picture : call.json ? as_json(found) : as_csv(found));
}

}  // namespace

void add_explain(CLI::App& app) {
  const auto call = std::make_shared<ExplainCall>();
  CLI::App& verb = *app.add_subcommand("explain", "Say what moved the answer: which inputs, and which training rows");
  add_option(verb, "model", call->model, "MODEL", "A model file written by condens fit")->required();
  add_option(verb, "rows", call->rows, "ROWS.csv", "Table with the input columns; - for standard input")->required();
  const std::string what = "What to explain (default: --importance)";
  verb.add_flag("--importance", call->importance, "What the scores of the rows lose when an input is shuffled")
      ->group(what);
  add_option(verb, "--effect", call->effect, "NAME",
             "How the distribution goes with one input: accumulated local effects", what);
  add_option(verb, "--row", call->row, "N", "What every input adds at row N of the table: Shapley values", what);
  add_option(verb, "--compare", call->compare, "N,M", "Which inputs make the distribution at row N differ from M's",
             what);
  add_option(verb, "--training-rows", call->training_rows, "N",
             "The training rows that weigh most at row N: of nw, ekde, rkde, parzen and forest", what);
  verb.add_flag("--dimension", call->dimension,
                "Tests of how many directions are enough, fitted again to the rows of the table: of lsce, lsmi, sliced")
      ->group(what);
  add_option(verb, "--of", call->of, "f,f,...",
             "Of the distribution: mean, std, median, quantile:p, width:p, asymmetry, above:v, log-score (default: "
             "mean,std; along an input the quantiles .1, .5, .9)");
  add_option(verb, "--target", call->target, "NAME", "One of several targets (default: the first)");
  verb.add_flag("--partial", call->partial, "Partial dependence in the place of local effects")->group("Options");
  add_option(verb, "--points", call->points, "K", "Values along an input (default: 20)");
  add_option(verb, "--repeats", call->repeats, "R", "Shuffles of every input (default: 5)");
  add_option(verb, "--max-rows", call->max_rows, "N",
             "Of more rows so many, at random, for importance and effects; 0: all (default: 1000)");
  add_option(verb, "--sample", call->sample, "ROWS",
             "Of a table that does not fit into memory a random sample of so many rows, stratified by the target");
  add_option(verb, "--background", call->background, "N",
             "Of more rows so many, at random, to compare --row with; 0: all (default: 100)");
  add_option(verb, "--training", call->training, "TRAIN.csv", "The table of the fit, for --training-rows");
  add_option(verb, "--most", call->most, "K", "How many training rows (default: 10)");
  add_option(verb, "--level", call->level, "p", "Level of the tests of --dimension (default: 0.05)");
  add_option(verb, "--folds", call->folds, "K", "Parts of the rows that --dimension leaves out in turn (default: 5)");
  add_option(verb, "--seed", call->seed, "N", "Seed of everything random (default: 0)");
  call->unusable.add_to(verb);
  verb.add_flag("--json", call->json, "JSON instead of CSV")->group("Output");
  add_option(verb, "-o,--output", call->output, "FILE",
             "Where to (default: standard output); a picture where it ends in .svg", "Output");
  add_option(verb, "--threads", call->threads, "N", "Threads (default: all); the result is the same", "Output");
  call->csv.add_to(verb);
  offer(verb, "--effect", columns_before);
  offer(verb, "--target", columns_before);
  offer(verb, "--of", {"mean", "std", "median", "quantile:", "width:", "asymmetry", "above:", "log-score"});
  verb.footer(
      "Rows count from 1, the header apart. Losses are per row, more is worse: nll is minus the log density, crps in "
      "the\n"
      "unit of y. Shapley values add up to (prediction) - (base): the mean over the rows, or the other row. Of two\n"
      "distributions crps is the integral of (F - G)^2 and kolmogorov the largest |F - G|.\n"
      "\nExamples:\n"
      "  condens explain claims.cbor test.csv\n"
      "  condens explain claims.cbor test.csv --effect age -o age.svg\n"
      "  condens explain claims.cbor test.csv --row 17 --of mean,quantile:0.9\n"
      "  condens explain claims.cbor test.csv --compare 17,42 -o why.svg\n"
      "  condens explain forest.cbor test.csv --training-rows 17 --training train.csv\n"
      "  condens explain lsce.cbor train.csv --dimension --level .05");
  verb.callback([call] { explain(*call); });
}

}  // namespace condens::cli
