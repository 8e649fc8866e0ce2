// condens predict: what a model says of y for every row.

#include <cmath>
#include <functional>
#include <memory>

#include "answers.hpp"
#include "completion.hpp"
#include "condens/core/errors.hpp"
#include "condens/io/csv.hpp"
#include "condens/io/csv_blocks.hpp"
#include "condens/registry.hpp"
#include "console.hpp"
#include "core/names.hpp"
#include "io/files.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

struct PredictCall {
  std::string model;
  std::string rows;
  CsvFlags csv;
  AnswerFlags flags;
  bool shift = false;
  std::string shift_weights;
  std::string shift_rows;
  bool json = false;
  std::string output;
  std::string memory;
  int threads = 0;
};

/// The numbers of a column of weights.
Vector weights_of(const Table& table, const std::string& file, const std::string& name,
                  const std::vector<Index>& rows) {
  const Column* column = table.find(name);
  require(column != nullptr, "--shift-weights = '", name, "': ", file, " has no such column");
  Vector out(std::ssize(rows));
  for (Index k = 0; k < out.size(); ++k) {
    const Index row = rows[static_cast<std::size_t>(k)];
    const bool number = column->is_numeric() && !column->is_missing(row);
    const double value = number ? column->numbers()[static_cast<std::size_t>(row)] : -1.0;
    require(number && std::isfinite(value) && value >= 0.0, table.place(row), ": '", name, "' is ",
            number ? format_number(value) : std::string("no number"), ", expected a weight >= 0");
    out[k] = value;
  }
  return out;
}

/// What is asked of covariate shift, for all rows; nothing where that is nothing.
std::optional<ShiftWeights> shift_of(const PredictCall& call, const Model& model, const Table& table,
                                     const std::vector<Index>& rows, const MatrixView& x, const Run& run) {
  if (!call.shift && call.shift_weights.empty()) return std::nullopt;
  require(model.conformal.has_value(), call.shift ? "--shift" : "--shift-weights", ": ", call.model,
          " has no intervals with a guarantee, expected a model from fit --conformal");
  const Conformal& conformal = *model.conformal;
  ShiftWeights out;
  if (call.shift) {
    out = estimate_shift(conformal, x, 0, run);
  } else {
    const Table fitted = call.csv.read(call.shift_rows);
    require(conformal.is_split() && conformal.scored().of > 0,
            "--shift-weights: the model has no numbers of rows left "
            "out, expected one fitted by this version with --conformal split");
    require(fitted.rows() == conformal.scored().of, call.shift_rows, " has ", fitted.rows(), " rows, the fit had ",
            conformal.scored().of, "; expected the same rows");
    out = {weights_of(fitted, call.shift_rows, call.shift_weights, conformal.scored().rows),
           weights_of(table, call.rows, call.shift_weights, rows)};
  }
  const double sum = out.calibration.sum();
  say("predict", message("weights for covariate shift: ", conformal.n_rows(), " calibration rows count as ",
                         brief(sum > 0.0 ? sum * sum / out.calibration.squaredNorm() : 0.0, 3)));
  return out;
}

void check_shift(const PredictCall& call, const Wanted& wanted) {
  const bool weighs = !call.shift_weights.empty();
  require(!call.shift || !weighs, "--shift and --shift-weights, expected one of them");
  require((!call.shift && !weighs) || !wanted.interval.empty(),
          "--shift is for intervals, expected --interval p beside it");
  require(call.shift_weights.empty() == call.shift_rows.empty(), "--shift-weights COLUMN and --shift-rows TRAIN.csv ",
          "go together, expected both");
}

/// Writes to the file that was asked for, whole or not at all, or to standard output, where an interruption leaves what
/// is there of the answers for so many rows.
void write_output(const PredictCall& call, Index rows,
                  const std::function<void(std::ostream&, const std::function<void(Index)>& wrote)>& write) {
  AtomicFile file(call.output.empty() ? "-" : call.output);
  Index printed = 0;
  try {
    write(file.stream(), [&](Index more) {
      printed += more;
      check_interrupted();
    });
  } catch (const Cancelled&) {
    if (!file.is_written_in_place() || printed == 0) throw;
    file.stream().flush();
    throw Interrupted(message("interrupted; what is written ends after ", printed, " of ", rows, " predictions"));
  }
  file.commit();
}

void tell(const std::string& text) { say("predict", text); }

/// Reads the table twice: what is wrong with it is said before anything is written.
void predict_in_blocks(const PredictCall& call, const Wanted& wanted, const Model& model, const Run& run) {
  require(!call.shift && call.shift_weights.empty(), "--memory and ", call.shift ? "--shift" : "--shift-weights",
          ": expected one of them; how often inputs come up is told from all rows at once");
  CsvBlocks file = call.csv.blocks(call.rows, bytes_of_block(call.memory));
  check_asked_columns(wanted, model, file.header(), call.rows);
  RowSurvey survey(model.encoder, wanted.needs_targets());
  {
    const Task task(run, "reading the table", 1);
    file.read([&](const Table& block) { asked_rows(wanted, model, block, survey.add(block), 0); });
  }
  survey.tell_of_levels(tell);
  check_usable(wanted, survey, tell);
  write_output(call, survey.usable(), [&](std::ostream& out, const std::function<void(Index)>& wrote) {
    AnswerWriter writer(wanted, model, call.rows, call.json, out, run, wrote);
    Task task(run, "predicting", static_cast<double>(survey.usable()));
    Index first = 0;
    file.read([&](const Table& block) {
      std::vector<Index> rows = model.encoder.encodable_rows(block, wanted.needs_targets()).rows;
      writer.write(asked_rows(wanted, model, block, std::move(rows), first), task);
      first += block.rows();
    });
    writer.end();
  });
}

void predict(const PredictCall& call) {
  Wanted wanted = Wanted::of(call.flags);
  check_shift(call, wanted);
  check_output(call.output, {call.model, call.rows});
  const Model model = read_model(call.model, call.rows);
  wanted.check(model, call.model);
  // On a terminal the rows themselves show the progress, and a bar would stand between them.
  const Run run = start_run(call.threads, is_terminal(call.output));
  if (!call.memory.empty()) return predict_in_blocks(call, wanted, model, run);
  const Table table = call.csv.read(call.rows);
  const AskedRows asked = asked_rows(wanted, model, table, call.rows, tell);
  wanted.shift = shift_of(call, model, table, asked.rows, asked.data.x, run);
  write_output(call, std::ssize(asked.rows), [&](std::ostream& out, const std::function<void(Index)>& wrote) {
    write_answers(wanted, model, asked, call.rows, call.json, out, run, wrote);
  });
}

}  // namespace

void add_predict(CLI::App& app) {
  const auto call = std::make_shared<PredictCall>();
  CLI::App& verb = *app.add_subcommand("predict", "Say what a model knows of y for every row of a table");
  add_option(verb, "model", call->model, "MODEL", "A model file written by condens fit")->required();
  add_option(verb, "rows", call->rows, "ROWS.csv",
             "Table with the input columns, as fit reads it; - for standard input")
      ->required();
  call->flags.add_to(verb);
  const std::string group =
      "Intervals for rows from elsewhere than those of the fit (--interval, after fit --conformal)";
  verb.add_flag("--shift", call->shift,
                "How often such inputs are among these rows, against those of the fit, is told by a classifier")
      ->group(group);
  add_option(verb, "--shift-weights", call->shift_weights, "COLUMN",
             "The same, told by a column of the table and of the one that the model was fitted to", group);
  add_option(verb, "--shift-rows", call->shift_rows, "TRAIN.csv", "The table that the model was fitted to, for these",
             group);
  add_option(verb, "-o,--output", call->output, "OUT.csv", "Where to (default: standard output)", "Output");
  verb.add_flag("--json", call->json, "JSON: a list of one object for each row")->group("Output");
  add_option(
      verb, "--memory", call->memory, "SIZE",
      "For a table that does not fit into memory: its rows are read in parts that take about so much, such as 500M "
      "or 2 GiB, twice",
      "Output");
  add_option(verb, "--threads", call->threads, "N", "Threads (default: all); the result is the same", "Output");
  call->csv.add_to(verb);
  offer(verb, "--shift-weights", columns_before);
  offer(verb, "--bands-method", names_of_choices<BandMethod>());
  verb.footer(
      "With several targets the columns are named y1_mean, y2_mean, ...\n"
      "\nExamples:\n"
      "  condens predict geyser.json new.csv --mean --interval .9\n"
      "  condens predict geyser.json new.csv --mean --quantiles .5,.95 --bands .9\n"
      "  condens predict geyser.json new.csv --keep --sample 3 --seed 1 -o draws.csv\n"
      "  condens predict delay.cbor flights.csv --memory 2G --interval .9 -o intervals.csv");
  verb.callback([call] { predict(*call); });
}

}  // namespace condens::cli
