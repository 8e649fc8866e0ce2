// condens compare: several models on the same splits of the same data.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "arguments.hpp"
#include "completion.hpp"
#include "condens/comparison/leaderboard.hpp"
#include "condens/core/errors.hpp"
#include "condens/io/comparison_records.hpp"
#include "console.hpp"
#include "core/names.hpp"
#include "core/text.hpp"
#include "leaderboards.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

struct CompareCall {
  std::vector<std::string> tables;
  ColumnFlags columns;
  CsvFlags csv;
  std::string models = std::string(default_model);
  std::vector<std::string> settings;
  std::string target_kind = "real";
  TargetKind kind;
  ComparisonOptions options;
  std::string order = "random";
  std::string records;
  std::string picture;
  bool standardized = false;
  bool json = false;
  int threads = 0;
  bool quiet = false;
};

/// "name", "name:preset" or "label=name:preset".
struct Entry {
  std::string label;
  const ModelInfo* model;
  std::string preset;
  std::vector<std::string> settings = {};  ///< "option=value"
};

Entry read_entry(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = equals == std::string::npos ? text : text.substr(equals + 1);
  const std::string label = text.substr(0, equals);
  require(!label.empty(), "--models: '", text, "', expected label=name");
  const std::size_t colon = std::min(name.find(':'), name.size());
  const ModelInfo& model = find_model(name.substr(0, colon));
  const std::string preset = colon < name.size() ? name.substr(colon + 1) : "";
  model.defaults(preset);
  return {label, &model, preset};
}

/// Gives "who.option=value" to the entry of that label or, where there is none, to all of that model.
void add_setting(const std::string& setting, std::vector<Entry>& entries) {
  const std::string who = setting.substr(0, std::min(setting.find('.'), setting.find('=')));
  const bool is_label = std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.label == who; });
  bool found = false;
  std::vector<std::string> names;
  for (Entry& entry : entries) {
    names.push_back(entry.label);
    if (setting.find('.') != who.size() || (is_label ? entry.label : entry.model->name) != who) continue;
    entry.settings.push_back(setting.substr(who.size() + 1));
    found = true;
  }
  require(found, "--set: '", setting, "', expected model.option=value with one of the models ", list_names(names));
}

std::vector<Entry> read_entries(const CompareCall& call) {
  std::vector<Entry> entries;
  for (const std::string& text : split_names(call.models)) {
    const Entry entry = read_entry(text);
    const bool twice =
        std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.label == entry.label; });
    require(!twice, "--models has '", entry.label, "' twice; give one of them a name, label=", entry.model->name);
    entries.push_back(entry);
  }
  require(!entries.empty(), "--models is empty, expected names from condens models");
  for (const std::string& setting : call.settings) add_setting(setting, entries);
  return entries;
}

std::vector<Contestant> contestants(const std::vector<Entry>& entries, const TargetKind& kind) {
  std::vector<Contestant> out;
  for (const Entry& entry : entries) {
    const Document options = parse_settings(*entry.model, entry.settings);
    out.push_back(contestant(entry.label, *entry.model, entry.preset, options, kind));
  }
  return out;
}

/// The observer of a table's fits: which table, and how many of its fits are done.
Run named_run(const CompareCall& call, const std::string& path, Index fits) {
  const Run outer = start_run(call.threads, call.quiet);
  return {.threads = call.threads, .observer = [=](std::string_view, double fraction) {
            const auto done = std::lround(fraction * static_cast<double>(fits));
            return outer.observer(message(path, ": ", done, " of ", fits, " fits"), fraction);
          }};
}

void tell_failures(const Board& board) {
  for (const Standing& standing : board.standings) {
    if (standing.failed == 0) continue;
    say("compare", message("warning: ", board.data, ": ", standing.label, " failed on ", standing.failed, " of ",
                           standing.trials.size(), " splits: ", standing.failure));
  }
}

struct NamedData {
  std::string path;
  Dataset data;
  TargetKind kind;  ///< never automatic
};

NamedData read_data(const CompareCall& call, const std::string& path) {
  const Table table = call.csv.read(path);
  require(call.columns.missing != "model",
          "--missing model, expected error or indicator: models that are compared see ", "the same inputs");
  const Encoder encoder = Encoder::fit(table, call.columns.options());
  std::vector<Index> rows;
  if (call.columns.drop_missing) rows = encoder.encodable_rows(table, true).rows;
  // No row sees its own target.
  Dataset data = call.columns.drop_missing ? encoder.encode_training(table, rows) : encoder.encode_training(table);
  if (data.size() < table.rows()) {
    say("compare", message(path, ": left out ", table.rows() - data.size(), " rows with missing values"));
  }
  for (const std::string& warning : encoder.warnings(data.size())) {
    if (!call.quiet) say("compare", message("warning: ", path, ": ", warning));
  }
  require(data.size() >= 2, path, ": ", data.size(), " row, expected at least 2, one to fit and one to test");
  const TargetKind kind = call.kind.of_targets(data.y);
  if (kind.name != TargetName::real) {
    require(data.y.rows() == 1, "--target-kind: there are ", data.y.rows(), " targets, expected one");
    // Refuses values of other kinds.
    TargetEncoder(data, kind, 0, places_of(table, rows));
  }
  if (call.kind.name == TargetName::automatic && !call.quiet) {
    say("compare", message(path, ": the target is of kind ", kind.text()));
  }
  return {path, std::move(data), kind};
}

Board compare_on(const CompareCall& call, const NamedData& table, const std::vector<Entry>& entries) {
  const std::vector<Contestant> models = contestants(entries, table.kind);
  const Index all = std::ssize(models) * call.options.repeats;
  std::optional<ComparisonRecords> records;
  if (!call.records.empty()) {
    records.emplace(call.records, table.data, models, call.options);
    if (records->was_cut_off()) say("compare", "warning: " + call.records + ": left out an unfinished last line");
    if (records->held() > 0 && !call.quiet) {
      say("compare", message(table.path, ": took ", records->held(), " of ", all, " fits from ", call.records));
    }
  }
  const Run run = named_run(call, table.path, all - (records ? records->held() : 0));
  const Comparison found = compare_models(table.data, models, call.options, run, records ? &*records : nullptr);
  check_interrupted();
  return {table.path, table.data.size(), leaderboard(found)};
}

/// The leaderboards of all tables on which a model could be fitted.
std::vector<Board> compare_all(const CompareCall& call, const std::vector<Entry>& entries) {
  std::vector<NamedData> tables;
  for (const std::string& path : call.tables) tables.push_back(read_data(call, path));
  std::vector<Board> boards;
  for (const NamedData& table : tables) {
    const auto failed = [&](const std::exception& error) {
      clear_progress();
      if (tables.size() > 1) say("compare", message("warning: ", table.path, ": no fit succeeded: ", error.what()));
      return tables.size() > 1;
    };
    try {
      boards.push_back(compare_on(call, table, entries));
    } catch (const std::invalid_argument& error) {
      if (!failed(error)) throw std::invalid_argument(table.path + ": " + error.what());
    } catch (const NumericalError& error) {
      if (!failed(error)) throw NumericalError(table.path + ": " + error.what());
    } catch (const Cancelled&) {
      if (call.records.empty()) throw;
      throw Interrupted("interrupted; what was done is kept in " + call.records + ": the same call goes on");
    }
  }
  return boards;
}

void check_picture(const CompareCall& call) {
  if (call.picture.empty()) return;
  require(is_page(call.picture, "--plot") || call.tables.size() == 1, "--plot ", call.picture, ": ", call.tables.size(),
          " tables, expected one, or a page .html");
  check_output(call.picture, call.tables, "--plot");
}

bool is_complete(const Board& board) {
  return std::all_of(board.standings.begin(), board.standings.end(), [](const Standing& s) { return s.failed == 0; });
}

void compare(const CompareCall& call) {
  validate_options(call.options, "options");
  const std::vector<Entry> entries = read_entries(call);
  contestants(entries, call.kind);  // refuses bad options before anything is read
  check_picture(call);
  const std::vector<Board> boards = compare_all(call, entries);
  clear_progress();
  if (boards.empty()) throw NumericalError("no fit succeeded on any table");
  for (const Board& board : boards) tell_failures(board);
  // A terminal shows the table only: the CSV is for programs.
  const bool table_only = !call.json && !call.quiet && is_terminal("-");
  if (table_only)
    write_result("-", printable_lines(boards_text(boards)) + "\n");
  else
    write_result("-", call.json ? boards_json(boards, call.options) : boards_csv(boards, call.standardized));
  if (!call.picture.empty()) {
    write_result(call.picture, is_page(call.picture, "--plot") ? boards_page(boards, call.options)
                                                               : board_svg(boards.front(), call.options));
  }
  if (!call.quiet && !table_only) say("compare", boards_text(boards));
  if (boards.size() < call.tables.size() || !std::all_of(boards.begin(), boards.end(), is_complete)) {
    throw NumericalError("some fits failed; what is written leaves them out");
  }
}

}  // namespace

void add_compare(CLI::App& app) {
  const auto call = std::make_shared<CompareCall>();
  CLI::App& verb = *app.add_subcommand("compare", "A leaderboard of models on rows that they have not seen");
  add_option(verb, "tables", call->tables, "TRAIN.csv", "One table or several, each with a leaderboard of its own")
      ->required();
  call->columns.add_to(verb);
  const auto option = [&](const std::string& flags, auto& value, const std::string& kind, const std::string& text,
                          const std::string& group) { return add_option(verb, flags, value, kind, text, group); };
  option("--models", call->models, "a,b,c",
         message("name, name:preset or label=name:preset (default: ", default_model, ")"), "Comparison");
  option("--set", call->settings, "a.option=value", "One option of a model, by its label; may be repeated",
         "Comparison")
      ->allow_extra_args(false)
      ->take_all();
  option(
      "--target-kind", call->target_kind, "KIND",
      "What the target is, for all models: real (default), positive, bounded:LOW,HIGH, count, ordinal, with-atoms, or "
      "auto: what it looks like",
      "Comparison");
  option("--cv", call->order, "ORDER",
         "random splits (default), or time: rows are in the order of time, the last ones are cut into a block for each "
         "split, and the fits see all rows before it",
         "Comparison");
  option("--repeats", call->options.repeats, "R", "Splits, the same for all models (default: 10)", "Comparison");
  option("--test-fraction", call->options.test_fraction, "f", "Share of rows to test on (default: 0.5)", "Comparison");
  option("--seed", call->options.seed, "N", "Seed of splits and fits (default: 0)", "Comparison");
  option("--resume", call->records, "FILE", "Keep every fit in FILE, and take from it what it has", "Comparison");
  verb.add_flag("--standardized", call->standardized, "Also nll on the scale of y / its std in training, as in papers")
      ->group("Output");
  verb.add_flag("--json", call->json, "JSON instead of CSV, with the values of every split")->group("Output");
  option("--plot", call->picture, "FILE", "A picture of the leaderboard (.svg), or of all on a page (.html)", "Output");
  option("--threads", call->threads, "N", "Threads (default: all), one fit on each; scores are the same", "Output");
  verb.add_flag("--quiet", call->quiet, "No progress bar and no summary")->group("Output");
  call->csv.add_to(verb);
  offer(verb, "--models", model_names);
  offer(verb, "--set", settings_of_models);
  offer(verb, "--target-kind", target_kinds());
  offer(verb, "--cv", names_of_choices<SplitOrder>());
  verb.footer(
      "A terminal shows a table; into a file or a pipe, and with --quiet, goes CSV with every digit.\n"
      "The best nll comes first; nll, squared_loss and crps: lower is better. Columns ending in _se are standard\n"
      "errors of the mean over splits. With several targets, crps and coverage_0.9 are means over targets.\n"
      "nll_behind is the mean nll minus the best one, nll_p the p-value of a paired t-test of that difference over\n"
      "the splits; best marks the first model and those with nll_p >= 0.05, the bold face of papers. Random splits\n"
      "share rows, so the test is a convention: true p-values are larger. One split gives no test. Blocks of --cv "
      "time\n"
      "are few and unlike each other, and later fits have more rows: look at every split, --json.\n"
      "Of kinds whose values have probabilities nll is that of the probability, and there is no squared loss.\n"
      "seconds is the time of a fit by the clock, on one thread while others run; --threads 1 runs one at a time.\n"
      "A model that fails on a split loses that split only: failed counts them, and the exit status is 1.\n"
      "\nExamples:\n"
      "  condens compare geyser.csv --target waiting --models lscde,lscde:paper --repeats 20\n"
      "  condens compare a.csv b.csv --target y --models lscde,gp,mdn --resume fits.jsonl --plot board.html\n"
      "  condens compare a.csv --target y --models lscde,few=lscde --set few.n_centers=50\n"
      "  condens compare hourly.csv --target load --models boost,gp --cv time --repeats 5 --test-fraction 0.3\n"
      "  condens compare claims.csv --target cost --models boost,forest --target-kind with-atoms");
  verb.callback([call] {
    call->kind = TargetKind::parse(call->target_kind);
    call->options.cv = choice_of<SplitOrder>("--cv", call->order);
    compare(*call);
  });
}

}  // namespace condens::cli
