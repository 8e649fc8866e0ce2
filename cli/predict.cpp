// condens predict: what a model says of y for every row.

#include <algorithm>
#include <cmath>
#include <memory>

#include "arguments.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "condens/io/csv.hpp"
#include "condens/model/bands.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/registry.hpp"
#include "console.hpp"
#include "core/names.hpp"
#include "fitted.hpp"
#include "io/files.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

// The laws of so many rows are in memory together.
constexpr Index rows_per_block = 1024;

struct PredictCall {
  std::string model;
  std::string rows;
  CsvFlags csv;
  bool mean = false;
  bool std = false;
  bool mode = false;
  std::string quantiles;
  bool exact_quantiles = false;
  std::string interval;
  bool log_density = false;
  bool cdf = false;
  std::string mass_at;
  std::string bands;
  std::string bands_method = "percentile";
  bool shift = false;
  std::string shift_weights;
  std::string shift_rows;
  Index samples = 0;
  Index seed = 0;
  RowFlags unusable;
  bool na = false;
  bool keep = false;
  bool json = false;
  std::string output;
  int threads = 0;
};

struct Wanted {
  PredictCall call;
  std::vector<double> quantiles;
  std::vector<double> interval;    // no number, or one
  std::vector<double> masses;      // values
  std::vector<double> bands = {};  // no level, or one
  BandMethod method = BandMethod::percentile;
  std::optional<ShiftWeights> shift = std::nullopt;  // of the rows of a block
};

Wanted what_is_wanted(const PredictCall& call) {
  Wanted out{
      call, split_probabilities("--quantiles", call.quantiles), split_probabilities("--interval", call.interval), {}};
  for (const std::string& text : split_names(call.mass_at)) {
    const std::optional<double> value = parse_number(text);
    require(value && std::isfinite(*value), "--mass-at = '", text, "', expected a number");
    out.masses.push_back(*value);
  }
  require(out.interval.size() <= 1, "--interval = '", call.interval, "', expected one number between 0 and 1");
  out.bands = split_probabilities("--bands", call.bands);
  require(out.bands.size() <= 1, "--bands = '", call.bands, "', expected one number between 0 and 1");
  out.method = choice_of<BandMethod>("--bands-method", call.bands_method);
  const bool weighs = !call.shift_weights.empty();
  require(!call.shift || !weighs, "--shift and --shift-weights, expected one of them");
  require((!call.shift && !weighs) || !out.interval.empty(),
          "--shift is for intervals, expected --interval p beside it");
  require(call.shift_weights.empty() == call.shift_rows.empty(), "--shift-weights COLUMN and --shift-rows TRAIN.csv ",
          "go together, expected both");
  constexpr Index most_samples = 1'000'000;  // columns of the output
  require(call.samples >= 0 && call.samples <= most_samples, "--sample = ", call.samples,
          ", expected a number of draws, at most ", most_samples);
  require(call.seed >= 0, "--seed = ", call.seed, ", expected a whole number >= 0");
  const bool any = call.mean || call.std || call.mode || !out.quantiles.empty() || call.exact_quantiles ||
                   !out.interval.empty() || call.log_density || call.cdf || !out.masses.empty() || call.samples > 0;
  if (!any) {
    out.call.mean = out.call.std = true;
    out.quantiles = {0.05, 0.5, 0.95};
  }
  return out;
}

/// Result columns, filled block by block.
struct Columns {
  std::vector<std::string> names;
  std::vector<Vector> values;

  void add(std::string name, Vector column) {
    names.push_back(std::move(name));
    values.push_back(std::move(column));
  }
};

/// The rows of a block of one model, and the target that is asked for; `prefix` is empty when there is one only.
struct Asked {
  const Model& model;
  const MatrixView& x;
  const std::optional<ShiftWeights>& shift;
  std::string prefix = {};
};

/// The central interval, with a guarantee where the model has one.
template <class Laws>
Matrix interval_of(const Laws& laws, double level, const Asked& asked, const Run& run) {
  const auto& conformal = asked.model.conformal;
  return conformal ? conformal_intervals(*conformal, laws, level, asked.x, asked.shift, run)
                   : laws.interval(level, run);
}

/// Everything that concerns one target.
template <class Laws>
void add_target(const Wanted& wanted, const Asked& asked, const Laws& laws, const VectorView& y, const Run& run,
                Columns& out) {
  const std::string& prefix = asked.prefix;
  if (wanted.call.mean) out.add(prefix + "mean", laws.mean(run).row(0));
  if (wanted.call.std) out.add(prefix + "std", laws.variance(run).row(0).cwiseSqrt());
  if (wanted.call.mode) out.add(prefix + "mode", laws.mode(run).row(0));
  if (!wanted.quantiles.empty()) {
    const auto count = static_cast<Index>(wanted.quantiles.size());
    const Matrix quantiles = laws.quantile(Eigen::Map<const Vector>(wanted.quantiles.data(), count), run);
    for (Index k = 0; k < count; ++k) {
      out.add(prefix + "q" + format_number(wanted.quantiles[static_cast<std::size_t>(k)]), quantiles.row(k));
    }
  }
  for (const double mass : wanted.interval) {
    const Matrix interval = interval_of(laws, mass, asked, run);
    out.add(prefix + "lower", interval.row(0));
    out.add(prefix + "upper", interval.row(1));
  }
  if (wanted.call.cdf) out.add(prefix + "cdf", laws.cdf(y, run));
}

/// The model whose quantiles are estimates themselves.
const HasQuantiles& model_of_quantiles(const Model& model) {
  const auto* out = capability<HasQuantiles>(*model.density);
  require(out != nullptr, "--exact-quantiles: ", model.density->model_name(), " estimates no quantiles, only ",
          list_names(models_that("has_quantiles")),
          " does; --quantiles p,p,... gives those of any model's distribution");
  return *out;
}

void add_exact_quantiles(const HasQuantiles& model, const MatrixView& x, const Run& run, Columns& out) {
  const Matrix quantiles = model.quantiles(x, run);
  const std::vector<double>& levels = model.quantile_levels();
  for (std::size_t k = 0; k < levels.size(); ++k) {
    out.add("exact_q" + format_number(levels[k]), quantiles.row(static_cast<Index>(k)));
  }
}

Matrix draws_of(const GaussianMixtures& laws, Index i, Index count, RandomStream& random) {
  return laws[i].sample(count, random);
}
Matrix draws_of(const TargetDistributions& laws, Index i, Index count, RandomStream& random) {
  return laws.sample_one(i, count, random);
}

/// Draws of one row come from the stream of its number in the table, whatever the block; `row_of` begins with the
/// first.
template <class Laws>
void add_samples(const Wanted& wanted, const Laws& laws, const Index* row_of, const std::vector<std::string>& prefixes,
                 const Run& run, Columns& out) {
  const Index per_row = wanted.call.samples;
  const auto seed = static_cast<std::uint64_t>(wanted.call.seed);
  std::vector<Matrix> draws(static_cast<std::size_t>(laws.size()));
  parallel_for(laws.size(), resolve_threads(run.threads), [&](Index i) {
    RandomStream random(seed, static_cast<std::uint64_t>(row_of[i]));
    draws[static_cast<std::size_t>(i)] = draws_of(laws, i, per_row, random);
  });
  for (std::size_t j = 0; j < prefixes.size(); ++j) {
    for (Index k = 0; k < per_row; ++k) {
      Vector column(laws.size());
      for (Index i = 0; i < column.size(); ++i)
        column[i] = draws[static_cast<std::size_t>(i)](static_cast<Index>(j), k);
      out.add(message(prefixes[j], "sample", k + 1), std::move(column));
    }
  }
}

Columns predict_block(const Wanted& wanted, const Model& model, const MatrixView& x, const MatrixView& y,
                      const Index* row_of, const Run& run) {
  const Run here{.threads = run.threads, .observer = {}};
  const GaussianMixtures laws = model.density->predict(x, here);
  const std::vector<std::string> targets = names_of(model.encoder.targets());
  std::vector<std::string> prefixes;
  Columns out;
  for (std::size_t j = 0; j < targets.size(); ++j) {
    prefixes.push_back(targets.size() == 1 ? "" : targets[j] + "_");
    const auto row = static_cast<Index>(j);
    const Vector own = y.rows() > 0 ? Vector(y.row(row)) : Vector();
    add_target(wanted, {model, x, wanted.shift, prefixes.back()}, targets.size() == 1 ? laws : laws.marginal(row), own,
               here, out);
  }
  if (wanted.call.exact_quantiles) add_exact_quantiles(model_of_quantiles(model), x, here, out);
  if (wanted.call.log_density) out.add("log_density", laws.log_pdf(y, here));
  if (wanted.call.samples > 0) add_samples(wanted, laws, row_of, prefixes, here, out);
  return out;
}

/// "mass_at_0.5": the column of the probability of one value.
Columns predict_kind_block(const Wanted& wanted, const Model& model, const MatrixView& x, const MatrixView& y,
                           const Index* row_of, const Run& run) {
  const Run here{.threads = run.threads, .observer = {}};
  const TargetDistributions laws = model.target->predict(*model.density, x, here);
  Columns out;
  add_target(wanted, {model, x, wanted.shift}, laws, y.rows() > 0 ? Vector(y.row(0)) : Vector(), here, out);
  for (const double value : wanted.masses) {
    out.add("mass_at_" + format_number(value), laws.mass_at(Vector::Constant(x.cols(), value), here));
  }
  if (wanted.call.log_density) out.add("log_density", laws.log_pdf(y, here));
  if (wanted.call.samples > 0) add_samples(wanted, laws, row_of, {""}, here, out);
  return out;
}

Columns predict_any_block(const Wanted& wanted, const Model& model, const MatrixView& x, const MatrixView& y,
                          const Index* row_of, const Run& run) {
  return model.target ? predict_kind_block(wanted, model, x, y, row_of, run)
                      : predict_block(wanted, model, x, y, row_of, run);
}

/// Behind every column but samples, "mean_low" and "mean_high": what the replicates say of "mean".
Columns with_bands(const Wanted& wanted, const Model& model, const MatrixView& x, const MatrixView& y,
                   const Index* row_of, const Run& run, Columns columns) {
  Wanted asked = wanted;
  asked.call.samples = 0;
  const Index count = model.replicates->size();
  std::vector<Matrix> values(columns.values.size());
  for (Index r = 0; r < count; ++r) {
    const Columns own = predict_any_block(asked, replicate_of(model, r), x, y, row_of, run);
    values.resize(own.values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (r == 0) values[k].resize(x.cols(), count);
      values[k].col(r) = own.values[k];
    }
    check_interrupted();
  }
  Columns out;
  for (std::size_t k = 0; k < columns.values.size(); ++k) {
    const std::string& name = columns.names[k];
    out.add(name, columns.values[k]);
    if (k >= values.size()) continue;
    Bands found = bands(columns.values[k], values[k], wanted.bands.front(), wanted.method);
    out.add(name + "_low", std::move(found.low));
    out.add(name + "_high", std::move(found.high));
  }
  return out;
}

/// Rows as CSV, or as a JSON list of objects.
class RowWriter {
 public:
  RowWriter(std::ostream& out, bool json) : out_(out), csv_(out), json_(json) {}

  void begin(const std::vector<std::string>& names) {
    if (json_) {
      for (const std::string& name : names) names_.push_back(quoted(name));
      out_ << "[";
    } else {
      csv_.row(names);
    }
  }
  void field(double value) {
    if (!json_)
      csv_.field(value);
    else
      put(std::isfinite(value) ? format_number(value) : "null");
  }
  void field(const std::string& text) {
    if (!json_)
      csv_.field(text);
    else
      put(quoted(text));
  }
  void missing() {
    if (!json_)
      csv_.field("NA");
    else
      put("null");
  }
  void end_row() {
    if (!json_) return csv_.end_row();
    out_ << "}";
    at_ = 0;
    ++rows_;
  }
  void end() {
    if (json_) out_ << "\n]\n";
  }

 private:
  static std::string quoted(const std::string& text) {
    std::string out = to_json_text(text);
    out.pop_back();
    return out;
  }
  void put(const std::string& value) {
    out_ << (at_ > 0 ? ", " : rows_ > 0 ? ",\n  {" : "\n  {") << names_[at_] << ": " << value;
    ++at_;
  }

  std::ostream& out_;
  CsvWriter csv_;
  bool json_;
  std::vector<std::string> names_;
  std::size_t at_ = 0;
  Index rows_ = 0;
};

void write_kept(const Table& table, Index row, RowWriter& writer) {
  for (const Column& column : table.columns()) {
    const auto i = static_cast<std::size_t>(row);
    if (column.is_missing(row))
      writer.missing();
    else if (column.is_numeric())
      writer.field(column.numbers()[i]);
    else
      writer.field(column.texts()[i]);
  }
}

void check_targets_there(const PredictCall& call, const Model& model, const Table& table) {
  for (const EncodedColumn& target : model.encoder.targets()) {
    require(table.find(target.name) != nullptr, call.rows, ": ", call.cdf ? "--cdf" : "--log-density",
            " needs the target column '", target.name, "', which the file does not have");
  }
}

/// The rows to predict; what becomes of the others is said.
std::vector<Index> rows_to_predict(const PredictCall& call, const Encoder& encoder, const Table& table,
                                   bool with_targets) {
  if (!call.na) {
    return call.unusable.read("predict", encoder, table, with_targets,
                              "--na prints NA for such rows, --drop-missing leaves them out");
  }
  for (const std::string& text : encoder.filled_without_mark(table)) say("predict", "warning: " + text);
  for (const std::string& text : encoder.unseen_levels(table)) say("predict", "warning: " + text);
  EncodableRows found = encoder.encodable_rows(table, with_targets);
  const Index others = table.rows() - std::ssize(found.rows);
  if (others > 0) say("predict", message("NA for ", others, " of ", table.rows(), " rows: ", found.trouble));
  return std::move(found.rows);
}

/// Prints the rows of the table in order, predicted or not.
class Printer {
 public:
  Printer(const PredictCall& call, const Table& table, std::ostream& out)
      : call_(call), table_(table), writer_(out, call.json) {}

  void begin(const std::vector<std::string>& predicted) {
    std::vector<std::string> names;
    for (const Column& column : table_.columns()) {
      if (!call_.keep) break;
      const bool taken = std::find(predicted.begin(), predicted.end(), column.name) != predicted.end();
      require(!taken, "--keep: ", call_.rows, " has a column '", column.name, "', as the predictions have; rename it");
      names.push_back(column.name);
    }
    names.insert(names.end(), predicted.begin(), predicted.end());
    width_ = predicted.size();
    writer_.begin(names);
  }

  void row(Index row, const Columns& columns, Index i) {
    fill_up_to(row);
    begin_row(row);
    for (const Vector& column : columns.values) writer_.field(column[i]);
    writer_.end_row();
    next_ = row + 1;
  }

  void end() {
    fill_up_to(table_.rows());
    writer_.end();
  }

 private:
  /// NA for the rows before `end` that have not been predicted.
  void fill_up_to(Index end) {
    for (; call_.na && next_ < end; ++next_) {
      begin_row(next_);
      for (std::size_t k = 0; k < width_; ++k) writer_.missing();
      writer_.end_row();
    }
  }
  void begin_row(Index row) {
    if (call_.keep) write_kept(table_, row, writer_);
  }

  const PredictCall& call_;
  const Table& table_;
  RowWriter writer_;
  std::size_t width_ = 0;
  Index next_ = 0;
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

/// Predicts and prints block by block; `printed` counts rows.
void print_all(const Wanted& wanted, const std::optional<ShiftWeights>& shift, const Model& model, const Dataset& data,
               const std::vector<Index>& rows, const Run& run, Printer& printer, Index& printed) {
  const Index n = std::ssize(rows);
  Task task(run, "predicting", static_cast<double>(n));
  for (Index block = 0; block < std::max<Index>(1, block_count(n, rows_per_block)); ++block) {
    const Range range = block_range(n, rows_per_block, block);
    const auto x = data.x.middleCols(range.begin, range.size());
    const auto y = data.y.middleCols(range.begin, range.size());
    const Index* row_of = rows.data() + range.begin;
    Wanted own = wanted;
    if (shift) own.shift = ShiftWeights{shift->calibration, shift->rows.segment(range.begin, range.size())};
    Columns columns = predict_any_block(own, model, x, y, row_of, run);
    if (!wanted.bands.empty()) columns = with_bands(own, model, x, y, row_of, run, std::move(columns));
    if (block == 0) printer.begin(columns.names);
    for (Index i = 0; i < range.size(); ++i) {
      printer.row(rows[static_cast<std::size_t>(range.begin + i)], columns, i);
    }
    printed += range.size();
    task.advance(static_cast<double>(range.size()));
    task.poll();
    check_interrupted();
  }
  printer.end();
}

void predict(const PredictCall& call) {
  const Wanted wanted = what_is_wanted(call);
  check_output(call.output, {call.model, call.rows});
  const Model model = read_model(call.model, call.rows);
  if (!wanted.bands.empty()) check_bands(call.model, model, wanted.bands.front(), wanted.method);
  if (call.exact_quantiles) {
    model_of_quantiles(model);
    require(!model.target, "--exact-quantiles are for a target of kind real, this one is of kind ",
            model.target ? model.target->kind().text() : "");
  }
  require(call.mass_at.empty() || model.target,
          "--mass-at: the target was fitted as any real number, of which no value ",
          "has a probability; fit with --target-kind count, ordinal or with-atoms");
  const Table table = call.csv.read(call.rows);
  const bool with_targets = call.log_density || call.cdf;
  if (with_targets) check_targets_there(call, model, table);
  const std::vector<Index> rows = rows_to_predict(call, model.encoder, table, with_targets);
  const Dataset data = with_targets
                           ? model.encoder.encode(table, rows)
                           : Dataset{.x = model.encoder.encode_inputs(table, rows), .y = Matrix(0, std::ssize(rows))};

  // On a terminal the rows themselves show the progress, and a bar would stand between them.
  const Run run = start_run(call.threads, is_terminal(call.output));
  const std::optional<ShiftWeights> shift = shift_of(call, model, table, rows, data.x, run);
  AtomicFile file(call.output.empty() ? "-" : call.output);
  Printer printer(call, table, file.stream());
  Index printed = 0;
  try {
    print_all(wanted, shift, model, data, rows, run, printer, printed);
  } catch (const Cancelled&) {
    if (!file.is_written_in_place() || printed == 0) throw;
    file.stream().flush();
    throw Interrupted(
        message("interrupted; what is written ends after ", printed, " of ", rows.size(), " predictions"));
  }
  file.commit();
}

}  // namespace

void add_predict(CLI::App& app) {
  const auto call = std::make_shared<PredictCall>();
  CLI::App& verb = *app.add_subcommand("predict", "Say what a model knows of y for every row of a table");
  add_option(verb, "model", call->model, "MODEL", "A model file written by condens fit")->required();
  add_option(verb, "rows", call->rows, "ROWS.csv", "Table with the input columns; - for standard input")->required();
  const std::string group = "What to print (default: mean, std and the quantiles .05, .5, .95)";
  verb.add_flag("--mean", call->mean, "Mean of y")->group(group);
  verb.add_flag("--std", call->std, "Standard deviation of y")->group(group);
  verb.add_flag("--mode", call->mode, "The most likely y")->group(group);
  add_option(verb, "--quantiles", call->quantiles, "p,p,...", "Quantiles of y: columns q0.05, q0.5, ...", group);
  verb.add_flag("--exact-quantiles", call->exact_quantiles,
                "The quantiles that a model of quantiles has estimated, at its levels: columns exact_q0.05, ...")
      ->group(group);
  add_option(verb, "--interval", call->interval, "p",
             "Central interval that holds y with probability p; with a guarantee after fit --conformal", group);
  verb.add_flag(
          "--shift", call->shift,
          "With --interval of a model from fit --conformal: these rows come from elsewhere than those of the fit; "
          "how often such inputs are among them, against there, is told by a classifier")
      ->group(group);
  add_option(verb, "--shift-weights", call->shift_weights, "COLUMN",
             "The same, told by a column of the table and of the one that the model was fitted to", group);
  add_option(verb, "--shift-rows", call->shift_rows, "TRAIN.csv", "The table that the model was fitted to, for these",
             group);
  verb.add_flag("--log-density", call->log_density, "log p(y | x) at the y in the table")->group(group);
  verb.add_flag("--cdf", call->cdf, "P(Y <= y | x) at the y in the table")->group(group);
  add_option(verb, "--mass-at", call->mass_at, "y,y,...",
             "P(Y = y | x) of values of a counted or ordinal target, or one with atoms: columns mass_at_0, ...", group);
  add_option(verb, "--bands", call->bands, "p",
             "Beside every column but samples its error bars of level p, of a model from fit --bootstrap: columns "
             "mean_low, mean_high, ...",
             group);
  add_option(verb, "--bands-method", call->bands_method, "NAME",
             "percentile (default), basic, or normal: how they follow from the replicates", group);
  add_option(verb, "--sample", call->samples, "K", "K random draws of y: columns sample1, sample2, ...", group);
  add_option(verb, "--seed", call->seed, "N", "Seed of --sample (default: 0)");
  add_option(verb, "-o,--output", call->output, "OUT.csv", "Where to (default: standard output)", "Output");
  verb.add_flag("--keep", call->keep, "Print the columns of the table first")->group("Output");
  const std::string unusable =
      "Rows with missing values, or levels that the training data did not have (default: refuse the file)";
  CLI::Option* drop = verb.add_flag("--drop-missing", call->unusable.drop, "Leave them out")->group(unusable);
  verb.add_flag("--na", call->na, "Print NA for them, in their places")->group(unusable)->excludes(drop);
  verb.add_flag("--json", call->json, "JSON: a list of one object for each row")->group("Output");
  add_option(verb, "--threads", call->threads, "N", "Threads (default: all); the result is the same", "Output");
  call->csv.add_to(verb);
  verb.footer(
      "With several targets the columns are named y1_mean, y2_mean, ...\n"
      "\nExamples:\n"
      "  condens predict geyser.json new.csv --mean --interval .9\n"
      "  condens predict geyser.json new.csv --mean --quantiles .5,.95 --bands .9\n"
      "  condens predict geyser.json new.csv --keep --sample 3 --seed 1 -o draws.csv");
  verb.callback([call] { predict(*call); });
}

}  // namespace condens::cli
