// condens plot: pictures of a model, as SVG or as one HTML page.

#include <algorithm>
#include <memory>

#include "arguments.hpp"
#include "censoring.hpp"
#include "completion.hpp"
#include "condens/core/errors.hpp"
#include "console.hpp"
#include "core/names.hpp"
#include "figures.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

struct PlotCall {
  std::string model;
  std::string data;
  CsvFlags csv;
  std::string output;
  std::string at;
  std::string input;
  std::string target;
  std::string interval = "0.9";
  std::string bands;
  std::string test;
  std::string figure = "density";
  bool survival = false;
  CensoringFlags censoring;
  RowFlags rows;
  int threads = 0;
};

/// Position of a name; throws std::invalid_argument that lists what there is.
Index position(const std::string& flag, const std::string& name, const std::vector<EncodedColumn>& columns) {
  std::string list;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return static_cast<Index>(i);
    list += (list.empty() ? "" : ", ") + columns[i].name;
  }
  throw std::invalid_argument(message(flag, " = '", name, "', expected one of ", list.empty() ? "none" : list));
}

/// The rows that can be drawn: pictures have no place for a missing number.
std::vector<Index> rows_to_draw(const PlotCall& call, const Encoder& encoder, const Table& table,
                                const std::string& path) {
  std::vector<Index> rows = call.rows.read("plot", encoder, table, true);
  if (encoder.missing() != MissingInputs::model) return rows;
  const Matrix x = encoder.encode_inputs(table, rows);
  std::vector<Index> complete;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!x.col(static_cast<Index>(i)).array().isNaN().any()) complete.push_back(rows[i]);
  }
  require(!complete.empty(), path, ": every row has missing inputs, expected a complete one to draw");
  const std::size_t count = rows.size() - complete.size();
  if (count > 0)
    say("plot", message(path, ": left out ", count, count == 1 ? " row" : " rows", " with missing inputs"));
  return complete;
}

Dataset read_rows(const PlotCall& call, const Encoder& encoder, const std::string& path) {
  const Table table = call.csv.read(path);
  return encoder.encode(table, rows_to_draw(call, encoder, table, path));
}

FigureRequest read_request(const PlotCall& call) {
  FigureRequest out{.model = read_model(call.model, call.data), .model_name = call.model};
  const Encoder& encoder = out.model.encoder;
  for (const std::string& part : split_names(call.at)) out.at.push_back(split_assignment("--at", part));
  inputs_at(encoder, out.at);  // refuses what is not there
  if (!call.input.empty()) out.input = position("--x", call.input, encoder.input_columns());
  if (!call.target.empty()) out.target = position("--target", call.target, encoder.targets());
  const std::vector<double> interval = split_probabilities("--interval", call.interval);
  require(interval.size() == 1, "--interval = '", call.interval, "', expected one number between 0 and 1");
  out.interval = interval.front();
  const std::vector<double> bands = split_probabilities("--bands", call.bands);
  require(bands.size() <= 1, "--bands = '", call.bands, "', expected one number between 0 and 1");
  if (!bands.empty()) {
    check_bands(call.model, out.model, bands.front(), BandMethod::percentile);
    out.bands = bands.front();
  }
  if (!call.data.empty()) {
    out.data_name = call.data;
    call.censoring.remind("plot", out.model.density->report());
    const CensoredTable read = call.censoring.read(call.csv.read(call.data), names_of(encoder.targets()));
    const std::vector<Index> rows = rows_to_draw(call, encoder, read.table, call.data);
    out.data = encoder.encode(read.table, rows);
    out.censoring = read.rows.subset(rows);
  }
  if (!call.test.empty()) {
    out.test_name = call.test;
    out.test = read_rows(call, encoder, call.test);
  }
  return out;
}

void plot(const PlotCall& call) {
  const bool html = is_page(call.output);
  check_output(call.output, {call.model, call.data, call.test});
  require(!call.survival || call.figure == "density" || call.figure == "survival", "--survival and --figure ",
          call.figure, ", expected one of them");
  require(!call.censoring.given() || !call.data.empty(), "--censored, --target-upper and --entry are columns of the ",
          "data: give DATA.csv");
  const FigureRequest request = read_request(call);
  const Run run = start_run(call.threads);
  const std::string text =
      html ? figure_page(request, run) : single_figure(request, call.survival ? "survival" : call.figure, run);
  check_interrupted();
  clear_progress();
  write_result(call.output, text);
}

}  // namespace

void add_plot(CLI::App& app) {
  const auto call = std::make_shared<PlotCall>();
  CLI::App& verb = *app.add_subcommand("plot", "Draw a model, as an SVG picture or a page that needs no network");
  add_option(verb, "model", call->model, "MODEL", "A model file written by condens fit")->required();
  add_option(verb, "data", call->data, "DATA.csv",
             "Observations to draw; axes and the values of inputs that move are theirs");
  add_option(verb, "-o,--output", call->output, "FILE", "One picture (.svg), or all on a page (.html)", "Output")
      ->required();
  add_option(verb, "--figure", call->figure, "KIND",
             "For .svg, what the model has of these (default: density): " + list_names(figure_names()), "Output");
  verb.add_flag("--survival", call->survival, "The same as --figure survival: P(y > t), beside Kaplan-Meier")
      ->group("Output");
  add_option(verb, "--x", call->input, "NAME", "The input along the axis of a heat map", "What to draw");
  add_option(verb, "--target", call->target, "NAME", "One of several targets (default: the first)", "What to draw");
  add_option(verb, "--at", call->at, "a=1,b=2", "Values of other inputs (default: their medians)", "What to draw");
  add_option(verb, "--interval", call->interval, "p", "Probability of the interval drawn (default: 0.9)",
             "What to draw");
  add_option(verb, "--bands", call->bands, "p",
             "Shade error bars of level p around curves of the density or of survival, or the mean and the ends of the "
             "interval, of a model from fit --bootstrap",
             "What to draw");
  add_option(verb, "--test", call->test, "TEST.csv", "Unseen rows for the PIT histogram and the coverage plot",
             "What to draw");
  call->censoring.add_to(verb, "What to draw");
  call->rows.add_to(verb, "CSV files");
  add_option(verb, "--threads", call->threads, "N", "Threads (default: all); the picture is the same", "Output");
  call->csv.add_to(verb);
  offer(verb, "--figure", figure_names());
  offer(verb, "--x", columns_before);
  offer(verb, "--target", columns_before);
  verb.footer(
      "One input gives a heat map of p(y | x) with mean, interval and data; several give slices, those first that "
      "move\n"
      "the distribution most, or a heat map along --x, over which rows are paler the farther their other inputs are;\n"
      "none gives the density over a histogram of DATA.csv. Where the other inputs stand is written below.\n"
      "\nExamples:\n"
      "  condens plot geyser.json geyser.csv -o geyser.svg\n"
      "  condens plot boston.json boston.csv --x rm --at lstat=10 -o rm.svg\n"
      "  condens plot waits.cbor waits.csv --censored still_waiting --survival -o waits.svg\n"
      "  condens plot geyser.json geyser.csv --test test.csv -o geyser.html");
  verb.callback([call] { plot(*call); });
}

}  // namespace condens::cli
