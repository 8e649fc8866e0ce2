// condens score: how well a model's laws fit rows that it has not seen.

#include "condens/metrics/scores.hpp"

#include <memory>
#include <sstream>

#include "arguments.hpp"
#include "censoring.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/io/csv.hpp"
#include "condens/io/csv_blocks.hpp"
#include "condens/metrics/censored_scores.hpp"
#include "condens/metrics/coverage_slices.hpp"
#include "condens/metrics/score_sums.hpp"
#include "condens/model/row_sums.hpp"
#include "console.hpp"
#include "fitted.hpp"
#include "scores.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

struct ScoreCall {
  std::string model;
  std::string test;
  CensoringFlags censoring;
  CsvFlags csv;
  RowFlags rows;
  bool slices = false;
  bool json = false;
  std::string output;
  std::string memory;
  int threads = 0;
};

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// One line per measure: measure, target, value, standard_error.
class ScoreTable {
 public:
  ScoreTable() { csv_.row({"measure", "target", "value", "standard_error"}); }

  void add(const std::string& measure, const std::string& target, const Score& score) {
    csv_.field(measure).field(target).field(score.value).field(score.standard_error);
    csv_.end_row();
  }
  std::string text() const { return out_.str(); }

 private:
  std::ostringstream out_;
  CsvWriter csv_{out_};
};

void add_target(const TargetScores& scores, const std::string& name, ScoreTable& table) {
  table.add("crps", name, scores.crps);
  for (const Coverage& coverage : scores.coverage) {
    const std::string level = format_number(coverage.level);
    table.add("coverage_" + level, name, coverage.central);
    table.add("width_" + level, name, coverage.width);
    if (coverage.highest_density) table.add("hdr_coverage_" + level, name, *coverage.highest_density);
  }
  table.add("pit_mean", name, scores.pit_mean);
  table.add("pit_std", name, {scores.pit_std, nothing});
  table.add("pit_ks", name, {scores.kolmogorov_smirnov.statistic, nothing});
  table.add("pit_ks_p_value", name, {scores.kolmogorov_smirnov.p_value, nothing});
  table.add("pit_cvm", name, {scores.cramer_von_mises.statistic, nothing});
  table.add("pit_cvm_p_value", name, {scores.cramer_von_mises.p_value, nothing});
}

void add_state(Document&& own, Document& state) { state = state.is_null() ? std::move(own) : merge_states(state, own); }

/// What the calibrated intervals hold, beside what they promise.
struct Promise {
  double level;
  Score coverage;
  Score width;
};

/// The means of what `promises` is made of, with the rows of `data`; nothing without a guarantee.
void add_promises(const Model& model, const Dataset& data, const Run& run, Document& state) {
  constexpr Index rows_together = 1024;
  if (!model.conformal) return;
  const std::vector<double> levels = ScoreOptions{}.levels;
  for (Index block = 0; block < block_count(data.size(), rows_together); ++block) {
    const Range range = block_range(data.size(), rows_together, block);
    const auto x = data.x.middleCols(range.begin, range.size());
    Matrix held(2 * std::ssize(levels), range.size());  // whether an interval holds y, and its width, for every level
    const auto fill = [&](const auto& laws) {
      for (std::size_t k = 0; k < levels.size(); ++k) {
        const Matrix ends = conformal_intervals(*model.conformal, laws, levels[k], x, std::nullopt, run);
        for (Index i = 0; i < range.size(); ++i) {
          const double y = data.y(0, range.begin + i);
          held(2 * static_cast<Index>(k), i) = y >= ends(0, i) && y <= ends(1, i) ? 1.0 : 0.0;
          held(2 * static_cast<Index>(k) + 1, i) = ends(1, i) - ends(0, i);
        }
      }
    };
    if (model.target)
      fill(model.target->predict(*model.density, x, run));
    else
      fill(model.density->predict(x, run));
    const bool weighted = data.weights.size() > 0;
    const Vector weights =
        weighted ? Vector(data.weights.segment(range.begin, range.size())) : Vector(Vector::Ones(range.size()));
    if (weights.sum() > 0) add_state(means_state(held, weights), state);
  }
}

std::vector<Promise> promises(const Document& state) {
  std::vector<Promise> out;
  if (state.is_null()) return out;
  const std::vector<Score> means = merged_means(state);
  const std::vector<double> levels = ScoreOptions{}.levels;
  for (std::size_t k = 0; k < levels.size(); ++k) out.push_back({levels[k], means[2 * k], means[2 * k + 1]});
  return out;
}

std::vector<Promise> promises(const Model& model, const Dataset& data, const Run& run) {
  Document state;
  add_promises(model, data, run, state);
  return promises(state);
}

constexpr double level_of_slices = 0.9;

std::string slice_text(const CoverageSlice& own) { return own.input + " = " + own.part; }

void say_worst(const CoverageSlices& slices) {
  if (!slices.worst) return say("score", "no slice holds less than it should");
  const CoverageSlice& own = slices.slices[*slices.worst];
  say("score", message("least coverage for its size: ", brief(own.coverage.value, 3), " ± ",
                       brief(own.coverage.standard_error, 2), " of ", slices.level, " where ", slice_text(own), " (",
                       own.rows, " rows), ", brief(-own.z, 2), " standard errors below"));
}

std::string as_csv(const Scores& scores, const std::vector<Promise>& promised,
                   const std::optional<CoverageSlices>& slices, const std::vector<std::string>& targets) {
  ScoreTable table;
  const std::string whole = targets.size() == 1 ? targets.front() : "all";
  table.add("nll", whole, scores.nll);
  if (scores.squared_loss) table.add("squared_loss", whole, *scores.squared_loss);
  if (scores.energy_score && targets.size() > 1) table.add("energy_score", whole, *scores.energy_score);
  for (std::size_t j = 0; j < targets.size(); ++j) add_target(scores.targets[j], targets[j], table);
  for (const Promise& own : promised) {
    table.add("conformal_coverage_" + format_number(own.level), whole, own.coverage);
    table.add("conformal_width_" + format_number(own.level), whole, own.width);
  }
  if (slices) {
    const std::string measure = message(slices->guaranteed ? "conformal_coverage_" : "coverage_", slices->level, " ");
    for (const CoverageSlice& own : slices->slices) table.add(measure + slice_text(own), whole, own.coverage);
  }
  return table.text();
}

std::string as_json(const Scores& scores, const std::vector<Promise>& promised,
                    const std::optional<CoverageSlices>& slices, const std::vector<std::string>& targets) {
  Document out = to_document(scores);
  const auto score_of = [](const Score& score) {
    return Document::Object{{"value", score.value}, {"standard_error", score.standard_error}};
  };
  Document::Array conformal;
  for (const Promise& own : promised) {
    conformal.emplace_back(
        Document::Object{{"level", own.level}, {"coverage", score_of(own.coverage)}, {"width", score_of(own.width)}});
  }
  if (!conformal.empty()) out.set("conformal", std::move(conformal));
  if (slices) out.set("slices", to_document(*slices));
  Document::Array named;
  for (std::size_t j = 0; j < targets.size(); ++j) {
    Document entry(Document::Object{{"name", targets[j]}});
    for (const auto& [name, value] : out.at("targets").as_array()[j].as_object()) entry.set(name, value);
    named.push_back(std::move(entry));
  }
  out.set("targets", std::move(named));
  return to_json_text(out);
}

std::string as_csv(const CensoredScores& scores, const std::string& target) {
  ScoreTable table;
  table.add("nll", target, scores.nll);
  if (scores.crps) table.add("crps_of_exact", target, *scores.crps);
  if (scores.concordance) table.add("concordance", target, {scores.concordance->value, nothing});
  return table.text();
}

void say_note(const CensoredScores& scores) {
  if (!scores.crps) return say("score", "note: no value is exact, so there is no CRPS");
  if (scores.n_exact == scores.rows) return;
  say("score", message("note: crps_of_exact is a mean over the ", scores.n_exact, " exact of ", scores.rows,
                       " rows, not over all: compare it between models only"));
}

}  // namespace

std::string scores_of(const Model& model, const Dataset& data, bool json, const Run& run) {
  const std::vector<std::string> targets = names_of(model.encoder.targets());
  const Scores scores = score(*model.density, model.target, data, {}, run);
  const std::vector<Promise> promised = promises(model, data, run);
  return json ? as_json(scores, promised, {}, targets) : as_csv(scores, promised, {}, targets);
}

namespace {

/// Reads the table twice: what is wrong with it is said before the work is done.
void score_in_blocks(const ScoreCall& call, const Model& model, const std::vector<std::string>& targets) {
  require(!call.slices, "--memory and --slices: expected one of them; slices are cut from all rows at once");
  require(!call.censoring.given(),
          "--memory and --censored, --target-upper or --entry: expected one of them; pairs of all "
          "rows are compared");
  const Run run = start_run(call.threads);
  CsvBlocks file = call.csv.blocks(call.test, bytes_of_block(call.memory));
  RowSurvey survey(model.encoder, true);
  {
    const Task task(run, "reading the table", 1);
    file.read([&](const Table& block) {
      const std::vector<Index> rows = survey.add(block);
      if (!model.target || rows.empty()) return;
      const Dataset data = model.encoder.encode_block(block, rows);
      require_possible(model.target->support(), data.y.row(0).transpose(), places_of(block, rows));
    });
  }
  const Tell tell = [](const std::string& text) { say("score", text); };
  survey.tell_of_levels(tell);
  call.rows.check(survey, RowFlags::usual_advice, tell);
  Task task(run, "scoring", static_cast<double>(survey.usable()));
  const Run here{.threads = run.threads, .observer = {}};
  Document scores;
  Document promised;
  Index first = 0;
  file.read([&](const Table& block) {
    const std::vector<Index> rows = model.encoder.encodable_rows(block, true).rows;
    if (rows.empty()) return;
    const Dataset data = model.encoder.encode_block(block, rows);
    if (data.weights.size() == 0 || (data.weights.array() > 0).any()) {
      add_state(score_state(*model.density, model.target, data, first, {}, here), scores);
    }
    add_promises(model, data, here, promised);
    first += data.size();
    task.advance(static_cast<double>(data.size()));
    task.poll();
  });
  require(!scores.is_null(), call.test, ": no row has a weight > 0, expected one or more");
  check_interrupted();
  clear_progress();
  const Scores all = merged_scores(scores);
  write_result(call.output, call.json ? as_json(all, promises(promised), {}, targets)
                                      : as_csv(all, promises(promised), {}, targets));
}

void score_model(const ScoreCall& call) {
  check_output(call.output, {call.model, call.test});
  const Model model = read_model(call.model, call.test);
  const std::vector<std::string> targets = names_of(model.encoder.targets());
  call.censoring.remind("score", model.density->report());
  if (!call.memory.empty()) return score_in_blocks(call, model, targets);
  const CensoredTable read = call.censoring.read(call.csv.read(call.test), targets);
  const Table& table = read.table;
  const std::vector<Index> rows = call.rows.read("score", model.encoder, table, true);
  const Dataset data = model.encoder.encode(table, rows);
  require(!call.slices || !call.censoring.given(), "--slices of targets that are known by limits, expected exact ones");
  if (call.censoring.given()) {
    const CensoredScores scores = score_censored(*model.density, model.target, data, read.rows.subset(rows),
                                                 places_of(table, rows), start_run(call.threads));
    check_interrupted();
    clear_progress();
    write_result(call.output, call.json ? to_json_text(to_document(scores)) : as_csv(scores, targets.front()));
    return say_note(scores);
  }
  if (model.target) require_possible(model.target->support(), data.y.row(0).transpose(), places_of(table, rows));
  const Scores scores = score(*model.density, model.target, data, {}, start_run(call.threads));
  const std::vector<Promise> promised = promises(model, data, start_run(call.threads));
  std::optional<CoverageSlices> slices;
  if (call.slices) {
    require(targets.size() == 1, "--slices of ", targets.size(), " targets, expected one");
    slices = coverage_slices(*model.density, model.target, model.conformal, model.encoder, data, level_of_slices,
                             start_run(call.threads));
  }
  check_interrupted();
  clear_progress();
  write_result(call.output,
               call.json ? as_json(scores, promised, slices, targets) : as_csv(scores, promised, slices, targets));
  if (slices) say_worst(*slices);
}

}  // namespace

void add_score(CLI::App& app) {
  const auto call = std::make_shared<ScoreCall>();
  CLI::App& verb = *app.add_subcommand("score", "Judge a model on rows that it has not seen");
  add_option(verb, "model", call->model, "MODEL", "A model file written by condens fit")->required();
  add_option(verb, "test", call->test, "TEST.csv",
             "Table with inputs and targets, as fit reads it; - for standard input")
      ->required();
  call->rows.add_to(verb);
  call->censoring.add_to(verb, "Columns");
  verb.add_flag(
      "--slices", call->slices,
      "The coverage of 90 % intervals, with a guarantee where there is one, also in fifths of every input and "
      "of the intervals' widths, and of every level of a category");
  verb.add_flag("--json", call->json, "JSON instead of CSV")->group("Output");
  add_option(verb, "-o,--output", call->output, "FILE", "Where to (default: standard output)", "Output");
  add_option(verb, "--memory", call->memory, "SIZE",
             "For a table that does not fit into memory: its rows are read in parts that take about so much, such as "
             "500M or 2 GiB, twice",
             "Output");
  add_option(verb, "--threads", call->threads, "N", "Threads (default: all); the result is the same", "Output");
  call->csv.add_to(verb);
  verb.footer(
      "nll, squared_loss, crps and energy_score are means over rows: lower is better. coverage_0.9 is the share of\n"
      "rows inside the central 90 % interval, hdr_coverage_0.9 inside the smallest 90 % region: 0.9 is right. PIT\n"
      "values are P(Y <= y | x): uniform, with mean 0.5 and std 0.289, when the model is right; small p-values say\n"
      "that they are not. Of counts, grades and atoms nll is that of the probability of the value, and the PIT is "
      "drawn\n"
      "between P(Y < y | x) and P(Y <= y | x).\n"
      "conformal_coverage_0.9 is the share inside the interval of predict --interval 0.9 after fit --conformal.\n"
      "With --censored, --target-upper or --entry, nll is that of what is known of each row, crps_of_exact a mean "
      "over\n"
      "exact rows, and concordance the share of pairs of rows that the predicted medians order as they came.\n"
      "\nExample:\n"
      "  condens score geyser.json test.csv\n"
      "  condens score delay.cbor flights.csv --memory 2G");
  verb.callback([call] { score_model(*call); });
}

}  // namespace condens::cli
