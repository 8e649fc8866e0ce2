#include "answers.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "condens/model/bands.hpp"
#include "condens/model/capabilities.hpp"
#include "condens/registry.hpp"
#include "core/names.hpp"
#include "row_writer.hpp"

namespace condens::cli {

namespace {

// The laws of so many rows are in memory together.
constexpr Index rows_per_block = 1024;

/// Result columns, filled block by block.
struct Columns {
  std::vector<std::string> names;
  std::vector<Vector> values;
  std::vector<Document> distributions = {};  // of every row, where they are wanted

  void add(std::string name, Vector column) {
    names.push_back(std::move(name));
    values.push_back(std::move(column));
  }
};

struct BlockOfRows {
  MatrixView x;
  MatrixView y;         // without rows where targets are not needed
  const Index* row_of;  // their numbers in the block
  Index first;          // rows of the table before the block
  Index all_rows;       // that are asked for, here and in other blocks
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

/// "cdf_at_0.5", ...: a column for each of some values of y, of `value` at these values for every law (k n).
template <class Value>
void add_at(const std::string& name, const std::vector<double>& values, Index laws, const Value& value, Columns& out) {
  if (values.empty()) return;
  const auto count = static_cast<Index>(values.size());
  const Vector points = Eigen::Map<const Vector>(values.data(), count).replicate(laws, 1);
  const Vector found = value(points);
  for (Index k = 0; k < count; ++k) {
    out.add(name + format_number(values[static_cast<std::size_t>(k)]),
            Eigen::Map<const Vector, 0, Eigen::InnerStride<>>(found.data() + k, laws, Eigen::InnerStride<>(count)));
  }
}

/// Everything that concerns one target.
template <class Laws>
void add_target(const Wanted& wanted, const Asked& asked, const Laws& laws, const VectorView& y, const Run& run,
                Columns& out) {
  const std::string& prefix = asked.prefix;
  if (wanted.flags.mean) out.add(prefix + "mean", laws.mean(run).row(0));
  if (wanted.flags.std) out.add(prefix + "std", laws.variance(run).row(0).cwiseSqrt());
  if (wanted.flags.mode) out.add(prefix + "mode", laws.mode(run).row(0));
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
  if (wanted.flags.cdf) out.add(prefix + "cdf", laws.cdf(y, run));
  const auto density = [&](const Vector& at) -> Vector { return laws.log_pdf(at.transpose(), run).array().exp(); };
  add_at(prefix + "density_at_", wanted.densities, laws.size(), density, out);
  add_at(
      prefix + "cdf_at_", wanted.cdfs, laws.size(), [&](const Vector& at) { return laws.cdf(at, run); }, out);
}

/// The model whose quantiles are estimates themselves.
const HasQuantiles& model_of_quantiles(const Model& model, const std::string& dashes) {
  const auto* out = capability<HasQuantiles>(*model.density);
  require(out != nullptr, dashes, "exact-quantiles: ", model.density->model_name(), " estimates no quantiles, only ",
          list_names(models_that("has_quantiles")), " does; ", dashes,
          "quantiles p,p,... gives those of any model's distribution");
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

/// Draws of one row come from the stream of its number in the table, whatever the block.
template <class Laws>
void add_samples(const Wanted& wanted, const Laws& laws, const BlockOfRows& block,
                 const std::vector<std::string>& prefixes, const Run& run, Columns& out) {
  const Index per_row = wanted.flags.samples;
  const auto seed = static_cast<std::uint64_t>(wanted.flags.seed);
  std::vector<Matrix> draws(static_cast<std::size_t>(laws.size()));
  parallel_for(laws.size(), resolve_threads(run.threads), [&](Index i) {
    RandomStream random(seed, static_cast<std::uint64_t>(block.first + block.row_of[i]));
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

Document list_of(const MatrixView& numbers) {
  return Document(std::vector<double>(numbers.reshaped().begin(), numbers.reshaped().end()));
}

/// {"weights": [...], "means": [...], "scales": [...]}, without components of weight zero; of several targets every
/// mean is a list, and where they are correlated "covariances", lists of rows, stand in the place of scales.
Document mixture_document(const GaussianMixture& law) {
  std::vector<double> weights;
  Document::Array means, spreads;
  const bool one = law.dimension() == 1;
  for (Index l = 0; l < law.n_components(); ++l) {
    if (law.weights()[l] <= 0.0) continue;
    weights.push_back(law.weights()[l]);
    means.push_back(one ? Document(law.means()(0, l)) : list_of(law.means().col(l)));
    if (law.components().correlated()) {
      Document::Array rows;
      const Matrix covariance = law.components().covariance(l);
      for (Index j = 0; j < law.dimension(); ++j) rows.push_back(list_of(covariance.col(j)));
      spreads.emplace_back(std::move(rows));
    } else {
      spreads.push_back(one ? Document(law.scales()(0, l)) : list_of(law.scales().col(l)));
    }
  }
  Document out;
  out.set("weights", Document(weights)).set("means", std::move(means));
  return out.set(law.components().correlated() ? "covariances" : "scales", std::move(spreads));
}

/// What one distribution takes; refused where there are too many.
void check_distributions(const Wanted& wanted, const GaussianMixtures& laws, Index rows) {
  const Index numbers = rows * laws.n_components() * (1 + 2 * laws.dimension());
  if (numbers <= wanted.most_numbers) return;
  throw TooManyNumbers(message(wanted.flags.dashes, "distribution: ", rows, " rows of ", laws.n_components(),
                               " components, expected at most ", wanted.most_numbers, " numbers; send fewer rows"));
}

std::vector<Document> distributions_of(const GaussianMixtures& laws) {
  std::vector<Document> out;
  for (Index i = 0; i < laws.size(); ++i) out.push_back(mixture_document(laws[i]));
  return out;
}

/// The mixture is that of x(y) (target_support.hpp) of a y that is no atom.
std::vector<Document> distributions_of(const TargetDistributions& laws, const TargetKind& kind) {
  const bool has_atoms = !laws.support().atoms.empty();
  const Matrix shares = has_atoms ? laws.atom_probabilities() : Matrix();
  std::vector<Document> out = distributions_of(laws.base());
  for (Index i = 0; i < laws.size(); ++i) {
    Document& own = out[static_cast<std::size_t>(i)];
    own.set("kind", kind.text());
    if (has_atoms) own.set("atoms", Document(laws.support().atoms)).set("probabilities", list_of(shares.col(i)));
  }
  return out;
}

Columns predict_block(const Wanted& wanted, const Model& model, const BlockOfRows& block, const Run& run) {
  const auto& [x, y, row_of, first, all_rows] = block;
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
  if (wanted.flags.exact_quantiles) add_exact_quantiles(model_of_quantiles(model, wanted.flags.dashes), x, here, out);
  if (wanted.flags.log_density) out.add("log_density", laws.log_pdf(y, here));
  if (wanted.flags.samples > 0) add_samples(wanted, laws, block, prefixes, here, out);
  if (wanted.flags.distribution) {
    check_distributions(wanted, laws, all_rows);
    out.distributions = distributions_of(laws);
  }
  return out;
}

Columns predict_kind_block(const Wanted& wanted, const Model& model, const BlockOfRows& block, const Run& run) {
  const auto& [x, y, row_of, first, all_rows] = block;
  const Run here{.threads = run.threads, .observer = {}};
  const TargetDistributions laws = model.target->predict(*model.density, x, here);
  Columns out;
  add_target(wanted, {model, x, wanted.shift}, laws, y.rows() > 0 ? Vector(y.row(0)) : Vector(), here, out);
  add_at(
      "mass_at_", wanted.masses, laws.size(), [&](const Vector& at) { return laws.mass_at(at, here); }, out);
  if (wanted.flags.log_density) out.add("log_density", laws.log_pdf(y, here));
  if (wanted.flags.samples > 0) add_samples(wanted, laws, block, {""}, here, out);
  if (wanted.flags.distribution) {
    check_distributions(wanted, laws.base(), all_rows);
    out.distributions = distributions_of(laws, model.target->kind());
  }
  return out;
}

Columns predict_any_block(const Wanted& wanted, const Model& model, const BlockOfRows& block, const Run& run) {
  return model.target ? predict_kind_block(wanted, model, block, run) : predict_block(wanted, model, block, run);
}

/// Behind every column but samples, "mean_low" and "mean_high": what the replicates say of "mean".
Columns with_bands(const Wanted& wanted, const Model& model, const BlockOfRows& block, const Run& run,
                   Columns columns) {
  Wanted asked = wanted;
  asked.flags.samples = 0;
  asked.flags.distribution = false;
  const Index count = model.replicates->size();
  std::vector<Matrix> values(columns.values.size());
  for (Index r = 0; r < count; ++r) {
    const Columns own = predict_any_block(asked, replicate_of(model, r), block, run);
    values.resize(own.values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (r == 0) values[k].resize(block.x.cols(), count);
      values[k].col(r) = own.values[k];
    }
    check_cancelled();
  }
  Columns out;
  out.distributions = std::move(columns.distributions);
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

/// Prints the rows of tables in order, predicted or not.
class Printer {
 public:
  Printer(const AnswerFlags& flags, const std::string& source, bool json, std::ostream& out)
      : flags_(flags), source_(source), writer_(out, json) {}

  void begin(const Columns& columns, const Table& table) {
    std::vector<std::string> predicted = columns.names;
    if (flags_.distribution) predicted.emplace_back("distribution");
    std::vector<std::string> names;
    for (const Column& column : table.columns()) {
      if (!flags_.keep) break;
      const bool taken = std::find(predicted.begin(), predicted.end(), column.name) != predicted.end();
      require(!taken, flags_.dashes, "keep: ", source_, " has a column '", column.name,
              "', as the predictions have; rename it");
      names.push_back(column.name);
    }
    names.insert(names.end(), predicted.begin(), predicted.end());
    width_ = predicted.size();
    writer_.begin(names);
  }

  void row(const Table& table, Index row, const Columns& columns, Index i) {
    fill_up_to(table, row);
    begin_row(table, row);
    for (const Vector& column : columns.values) writer_.field(column[i]);
    if (flags_.distribution) writer_.field(columns.distributions[static_cast<std::size_t>(i)]);
    writer_.end_row();
    next_ = row + 1;
  }

  void end_table(const Table& table) {
    fill_up_to(table, table.rows());
    next_ = 0;
  }
  void end() { writer_.end(); }

 private:
  /// NA for the rows before `end` that have not been predicted.
  void fill_up_to(const Table& table, Index end) {
    for (; flags_.na && next_ < end; ++next_) {
      begin_row(table, next_);
      for (std::size_t k = 0; k < width_; ++k) writer_.missing();
      writer_.end_row();
    }
  }
  void begin_row(const Table& table, Index row) {
    if (flags_.keep) write_kept(table, row, writer_);
  }

  const AnswerFlags& flags_;
  const std::string& source_;
  RowWriter writer_;
  std::size_t width_ = 0;
  Index next_ = 0;
};

/// Numbers in the answer for one row, but for distributions and levels that a model chose.
Index numbers_of_a_row(const Wanted& wanted, const Model& model) {
  const AnswerFlags& flags = wanted.flags;
  const std::size_t points = wanted.quantiles.size() + wanted.densities.size() + wanted.cdfs.size();
  const Index of_target = static_cast<Index>(flags.mean) + flags.std + flags.mode + flags.cdf +
                          static_cast<Index>(points + 2 * wanted.interval.size());
  const auto targets = std::ssize(model.encoder.targets());
  const Index values = of_target * targets + std::ssize(wanted.masses) + flags.log_density;
  return values * (wanted.bands.empty() ? 1 : 3) + flags.samples * targets;
}

/// Values of y: numbers, and LOW:HIGH:COUNT, so many of them evenly spaced.
std::vector<double> split_values(const std::string& flag, const std::string& text) {
  constexpr double most = 100'000;
  std::vector<double> out;
  for (const std::string& part : split_names(text)) {
    std::vector<double> numbers;
    bool good = true;
    for (std::size_t begin = 0; begin <= part.size() && good;) {
      const std::size_t end = std::min(part.find(':', begin), part.size());
      const std::optional<double> number = parse_number(std::string_view(part).substr(begin, end - begin));
      good = number && std::isfinite(*number);
      if (good) numbers.push_back(*number);
      begin = end + 1;
    }
    if (good && numbers.size() == 1) {
      out.push_back(numbers[0]);
      continue;
    }
    good = good && numbers.size() == 3 && numbers[0] < numbers[1] && numbers[2] >= 2 && numbers[2] <= most &&
           numbers[2] == std::floor(numbers[2]);
    require(good, flag, " = '", part, "', expected a number, or LOW:HIGH:COUNT with LOW < HIGH and 2 to ",
            static_cast<Index>(most), " values");
    const auto last = static_cast<Index>(numbers[2]) - 1;
    for (Index k = 0; k <= last; ++k) {
      out.push_back(numbers[0] + (numbers[1] - numbers[0]) * static_cast<double>(k) / static_cast<double>(last));
    }
  }
  std::vector<double> sorted = out;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  require(twice == sorted.end(), flag, " has '", twice == sorted.end() ? "" : format_number(*twice), "' twice");
  return out;
}

}  // namespace

Wanted Wanted::of(const AnswerFlags& flags) {
  Wanted out{.flags = flags};
  const auto named = [&](const char* option) { return flags.dashes + option; };
  out.quantiles = split_probabilities(named("quantiles"), flags.quantiles);
  out.interval = split_probabilities(named("interval"), flags.interval);
  out.densities = split_values(named("density-at"), flags.density_at);
  out.cdfs = split_values(named("cdf-at"), flags.cdf_at);
  out.masses = split_values(named("mass-at"), flags.mass_at);
  out.bands = split_probabilities(named("bands"), flags.bands);
  require(out.interval.size() <= 1, named("interval"), " = '", flags.interval,
          "', expected one number between 0 and 1");
  require(out.bands.size() <= 1, named("bands"), " = '", flags.bands, "', expected one number between 0 and 1");
  out.method = choice_of<BandMethod>(named("bands-method"), flags.bands_method);
  constexpr Index most_samples = 1'000'000;  // columns of the output
  require(flags.samples >= 0 && flags.samples <= most_samples, named("sample"), " = ", flags.samples,
          ", expected a number of draws, at most ", most_samples);
  require(flags.seed >= 0, named("seed"), " = ", flags.seed, ", expected a whole number >= 0");
  const bool any = flags.mean || flags.std || flags.mode || !out.quantiles.empty() || flags.exact_quantiles ||
                   !out.interval.empty() || flags.log_density || flags.cdf || !out.densities.empty() ||
                   !out.cdfs.empty() || !out.masses.empty() || flags.distribution || flags.samples > 0;
  if (!any) {
    out.flags.mean = out.flags.std = true;
    out.quantiles = {0.05, 0.5, 0.95};
  }
  return out;
}

void Wanted::check(const Model& model, const std::string& file) const {
  const std::string& dashes = flags.dashes;
  if (!bands.empty()) check_bands(file, model, bands.front(), method, dashes);
  if (flags.exact_quantiles) {
    model_of_quantiles(model, dashes);
    require(!model.target, dashes, "exact-quantiles are for a target of kind real, this one is of kind ",
            model.target ? model.target->kind().text() : "");
  }
  require(flags.mass_at.empty() || model.target, dashes,
          "mass-at: the target was fitted as any real number, of which no value ",
          "has a probability; fit with --target-kind count, ordinal or with-atoms");
}

void check_asked_columns(const Wanted& wanted, const Model& model, const Table& table, const std::string& source) {
  const AnswerFlags& flags = wanted.flags;
  if (!wanted.needs_targets()) return;
  for (const EncodedColumn& target : model.encoder.targets()) {
    require(table.find(target.name) != nullptr, source, ": ", flags.dashes, flags.cdf ? "cdf" : "log-density",
            " needs the target column '", target.name, "', which is not there");
  }
}

void check_usable(const Wanted& wanted, const RowSurvey& survey, const Tell& tell) {
  const AnswerFlags& flags = wanted.flags;
  if (!flags.na) {
    const std::string& dashes = flags.dashes;
    return flags.unusable.check(
        survey, message(dashes, "na prints NA for such rows, ", dashes, "drop-missing leaves them out"), tell);
  }
  if (survey.unusable() == 0) return;
  tell(message("NA for ", survey.unusable(), " of ", survey.rows(), " rows: ", survey.trouble()));
}

AskedRows asked_rows(const Wanted& wanted, const Model& model, const Table& table, const std::string& source,
                     const Tell& tell) {
  check_asked_columns(wanted, model, table, source);
  RowSurvey survey(model.encoder, wanted.needs_targets());
  std::vector<Index> rows = survey.add(table);
  survey.tell_of_levels(tell);
  check_usable(wanted, survey, tell);
  return asked_rows(wanted, model, table, std::move(rows), 0);
}

AskedRows asked_rows(const Wanted& wanted, const Model& model, const Table& block, std::vector<Index> rows,
                     Index first) {
  const Encoder& encoder = model.encoder;
  Dataset data = wanted.needs_targets()
                     ? encoder.encode_block(block, rows)
                     : Dataset{.x = encoder.encode_inputs(block, rows), .y = Matrix(0, std::ssize(rows))};
  return {block, std::move(rows), std::move(data), first};
}

class AnswerWriter::Impl {
 public:
  Impl(const Wanted& wanted, const Model& model, const std::string& source, bool json, std::ostream& out,
       const Run& run, const std::function<void(Index)>& wrote)
      : wanted_(wanted), model_(model), run_(run), wrote_(wrote), printer_(wanted_.flags, source, json, out) {
    require(!wanted.flags.distribution || json, wanted.flags.dashes,
            "distribution: a list of components has no place in CSV, expected JSON");
  }

  void write(const AskedRows& asked, Task& task) {
    const Index n = std::ssize(asked.rows);
    const Index width = numbers_of_a_row(wanted_, model_);
    if (n * width > wanted_.most_numbers) {
      throw TooManyNumbers(message(n, " rows of ", width, " numbers each, expected at most ", wanted_.most_numbers,
                                   " numbers in an answer; ask for fewer, or send fewer rows"));
    }
    for (Index k = 0; k < std::max<Index>(1, block_count(n, rows_per_block)); ++k) {
      const Range range = block_range(n, rows_per_block, k);
      const Columns columns = answers(asked, range);
      if (!begun_) printer_.begin(columns, asked.table);
      begun_ = true;
      for (Index i = 0; i < range.size(); ++i) {
        printer_.row(asked.table, asked.rows[static_cast<std::size_t>(range.begin + i)], columns, i);
      }
      wrote_(range.size());
      task.advance(static_cast<double>(range.size()));
      task.poll();
    }
    printer_.end_table(asked.table);
  }

  void end() { printer_.end(); }

 private:
  Columns answers(const AskedRows& asked, const Range& range) const {
    const BlockOfRows block{asked.data.x.middleCols(range.begin, range.size()),
                            asked.data.y.middleCols(range.begin, range.size()), asked.rows.data() + range.begin,
                            asked.first, std::ssize(asked.rows)};
    Wanted own = wanted_;
    if (wanted_.shift) {
      own.shift = ShiftWeights{wanted_.shift->calibration, wanted_.shift->rows.segment(range.begin, range.size())};
    }
    Columns columns = predict_any_block(own, model_, block, run_);
    return wanted_.bands.empty() ? columns : with_bands(own, model_, block, run_, std::move(columns));
  }

  const Wanted& wanted_;
  const Model& model_;
  const Run& run_;
  const std::function<void(Index)>& wrote_;
  Printer printer_;
  bool begun_ = false;
};

AnswerWriter::AnswerWriter(const Wanted& wanted, const Model& model, const std::string& source, bool json,
                           std::ostream& out, const Run& run, const std::function<void(Index)>& wrote)
    : impl_(std::make_unique<Impl>(wanted, model, source, json, out, run, wrote)) {}
AnswerWriter::~AnswerWriter() = default;
void AnswerWriter::write(const AskedRows& asked, Task& task) { impl_->write(asked, task); }
void AnswerWriter::end() { impl_->end(); }

void write_answers(const Wanted& wanted, const Model& model, const AskedRows& asked, const std::string& source,
                   bool json, std::ostream& out, const Run& run, const std::function<void(Index)>& wrote) {
  AnswerWriter writer(wanted, model, source, json, out, run, wrote);
  Task task(run, "predicting", static_cast<double>(asked.rows.size()));
  writer.write(asked, task);
  writer.end();
}

void AnswerFlags::add_to(CLI::App& verb) {
  const std::string group = "What to print (default: mean, std and the quantiles .05, .5, .95)";
  verb.add_flag("--mean", mean, "Mean of y")->group(group);
  verb.add_flag("--std", std, "Standard deviation of y")->group(group);
  verb.add_flag("--mode", mode, "The most likely y")->group(group);
  add_option(verb, "--quantiles", quantiles, "p,p,...", "Quantiles of y: columns q0.05, q0.5, ...", group);
  verb.add_flag("--exact-quantiles", exact_quantiles,
                "The quantiles that a model of quantiles has estimated, at its levels: columns exact_q0.05, ...")
      ->group(group);
  add_option(verb, "--interval", interval, "p",
             "Central interval that holds y with probability p; with a guarantee after fit --conformal", group);
  verb.add_flag("--log-density", log_density, "log p(y | x) at the y in the table")->group(group);
  verb.add_flag("--cdf", cdf, "P(Y <= y | x) at the y in the table")->group(group);
  add_option(verb, "--density-at", density_at, "y,y,...",
             "p(y | x) at these y, LOW:HIGH:COUNT for a grid: columns density_at_60, ...; of a value that has a "
             "probability, that",
             group);
  add_option(verb, "--cdf-at", cdf_at, "y,y,...", "P(Y <= y | x), as above: columns cdf_at_60, ...", group);
  add_option(verb, "--mass-at", mass_at, "y,y,...",
             "P(Y = y | x) of values of a counted or ordinal target, or one with atoms: columns mass_at_0, ...", group);
  verb.add_flag("--distribution", distribution,
                "The whole distribution, as the weights, means and scales of a mixture of Gaussians; JSON only")
      ->group(group);
  add_option(verb, "--bands", bands, "p",
             "Beside every column but samples its error bars of level p, of a model from fit --bootstrap: columns "
             "mean_low, mean_high, ...",
             group);
  add_option(verb, "--bands-method", bands_method, "NAME",
             "percentile (default), basic, or normal: how they follow from the replicates", group);
  add_option(verb, "--sample", samples, "K", "K random draws of y: columns sample1, sample2, ...", group);
  add_option(verb, "--seed", seed, "N", "Seed of --sample (default: 0)");
  verb.add_flag("--keep", keep, "Print the columns of the table first")->group("Output");
  const std::string unusable_rows =
      "Rows with missing values, or levels that the training data did not have (default: refuse the file)";
  CLI::Option* drop = verb.add_flag("--drop-missing", unusable.drop, "Leave them out")->group(unusable_rows);
  verb.add_flag("--na", na, "Print NA for them, in their places")->group(unusable_rows)->excludes(drop);
}

}  // namespace condens::cli
