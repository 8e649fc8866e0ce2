// condens compare: several models on the same random halves of the same data.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <sstream>

#include "arguments.hpp"
#include "condens/core/errors.hpp"
#include "condens/data/standardizer.hpp"
#include "condens/io/csv.hpp"
#include "condens/metrics/scores.hpp"
#include "condens/selection/random_splits.hpp"
#include "console.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

struct CompareCall {
  std::vector<std::string> tables;
  ColumnFlags columns;
  CsvFlags csv;
  std::string models = "lscde";
  Index repeats = 10;
  double test_fraction = 0.5;
  bool standardized = false;
  Index seed = 0;
  bool json = false;
  int threads = 0;
  bool quiet = false;
};

/// "lscde" or "lscde:paper".
struct Contestant {
  std::string label;
  const ModelInfo* model;
  std::string preset;
};

struct Measure {
  std::string name;
  std::vector<double> values;  ///< one per repeat
};

struct Line {
  std::string data;
  std::string model;
  std::vector<Measure> measures;  ///< the first one is nll
};

std::vector<Contestant> contestants(const std::string& text) {
  std::vector<Contestant> out;
  for (const std::string& label : split_names(text)) {
    const std::size_t colon = std::min(label.find(':'), label.size());
    const ModelInfo& model = find_model(label.substr(0, colon));
    const std::string preset = colon < label.size() ? label.substr(colon + 1) : "";
    model.defaults(preset);
    out.push_back({label, &model, preset});
  }
  require(!out.empty(), "--models is empty, expected names from condens models");
  return out;
}

bool has_option(const ModelInfo& model, std::string_view name) {
  return std::any_of(model.options.begin(), model.options.end(), [&](const auto& o) { return o.name == name; });
}

/// One fit and its scores, in the order of measure_names().
std::vector<double> run_once(const Contestant& contestant, const Dataset& train, const Dataset& test, Index seed,
                             const Run& run) {
  using Clock = std::chrono::steady_clock;
  Document options(Document::Object{});
  if (has_option(*contestant.model, "seed")) options.set("seed", seed);
  const auto begin = Clock::now();
  const auto model = contestant.model->fit(train, contestant.preset, options, run);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const Scores scores = score(*model, test, {.levels = {0.9}, .energy_score = false, .highest_density = false}, run);
  double crps = 0;
  double coverage = 0;
  for (const TargetScores& target : scores.targets) {
    crps += target.crps.value / static_cast<double>(scores.targets.size());
    coverage += target.coverage.front().central.value / static_cast<double>(scores.targets.size());
  }
  // p on the scale of y / s is s p: the papers report its nll.
  const Standardizer scale = Standardizer::fit(train.y, train.weights);
  double log_scale = 0;
  for (Index j = 0; j < scale.dimension(); ++j) log_scale += std::log(scale.scale()[j]);
  return {scores.nll.value, scores.nll.value - log_scale, scores.squared_loss.value, crps, coverage, seconds};
}

const std::vector<std::string>& measure_names() {
  static const std::vector<std::string> names{"nll",  "nll_standardized", "squared_loss",
                                              "crps", "coverage_0.9",     "seconds"};
  return names;
}

std::vector<Line> compare_on(const CompareCall& call, const std::string& path, const std::vector<Contestant>& models) {
  const Table table = call.csv.read(path);
  const Encoder encoder = Encoder::fit(table, call.columns.options());
  const Dataset data = encoder.encode(table, call.columns.drop_missing);
  if (data.size() < table.rows()) {
    say("compare", message(path, ": left out ", table.rows() - data.size(), " rows with missing values"));
  }
  require(data.size() >= 2, path, ": ", data.size(), " row, expected at least 2, one to fit and one to test");
  const std::vector<Split> splits =
      random_splits(data.size(), call.repeats, call.test_fraction, static_cast<std::uint64_t>(call.seed));
  const double fits = static_cast<double>(splits.size() * models.size());

  std::vector<Line> lines;
  for (const Contestant& model : models) lines.push_back({path, model.label, {}});
  for (Line& line : lines) {
    for (const std::string& name : measure_names()) line.measures.push_back({name, {}});
  }
  double done_fits = 0;
  const Run outer = start_run(call.threads, call.quiet);
  for (std::size_t r = 0; r < splits.size(); ++r) {
    const Dataset train = data.subset(splits[r].train);
    const Dataset test = data.subset(splits[r].test);
    for (std::size_t k = 0; k < models.size(); ++k) {
      const std::string task = message(path, ": ", models[k].label, ", split ", r + 1, " of ", splits.size());
      const Run run{.threads = call.threads, .observer = [&](std::string_view, double fraction) {
                      return outer.observer(task, (done_fits + fraction) / fits);
                    }};
      try {
        const auto values = run_once(models[k], train, test, call.seed + static_cast<Index>(r), run);
        for (std::size_t m = 0; m < values.size(); ++m) lines[k].measures[m].values.push_back(values[m]);
      } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(task + ": " + error.what());
      } catch (const NumericalError& error) {
        throw NumericalError(task + ": " + error.what());
      }
      check_interrupted();
      done_fits += 1;
    }
  }
  return lines;
}

Score summary(const Measure& measure) {
  return mean_score(Eigen::Map<const Vector>(measure.values.data(), static_cast<Index>(measure.values.size())));
}

std::string as_csv(const std::vector<Line>& lines) {
  std::ostringstream out;
  CsvWriter csv(out);
  csv.field("data").field("model");
  for (const Measure& measure : lines.front().measures) csv.field(measure.name).field(measure.name + "_se");
  csv.end_row();
  for (const Line& line : lines) {
    csv.field(line.data).field(line.model);
    for (const Measure& measure : line.measures) {
      const Score score = summary(measure);
      csv.field(score.value);
      csv.field(score.standard_error);
    }
    csv.end_row();
  }
  return out.str();
}

std::string as_json(const CompareCall& call, const std::vector<Line>& lines) {
  Document::Array results;
  for (const Line& line : lines) {
    Document entry;
    entry.set("data", line.data).set("model", line.model);
    for (const Measure& measure : line.measures) {
      const Score score = summary(measure);
      Document value;
      value.set("mean", score.value).set("standard_error", score.standard_error);
      entry.set(measure.name, std::move(value.set("values", Document(measure.values))));
    }
    results.push_back(std::move(entry));
  }
  Document out;
  out.set("repeats", std::int64_t{call.repeats}).set("test_fraction", call.test_fraction);
  return to_json_text(out.set("seed", std::int64_t{call.seed}).set("results", std::move(results)));
}

void compare(const CompareCall& call) {
  require(call.seed >= 0, "--seed = ", call.seed, ", expected a whole number >= 0");
  const std::vector<Contestant> models = contestants(call.models);
  std::vector<Line> lines;
  for (const std::string& path : call.tables) {
    std::vector<Line> own = compare_on(call, path, models);
    std::stable_sort(own.begin(), own.end(), [](const Line& a, const Line& b) {
      return summary(a.measures.front()).value < summary(b.measures.front()).value;
    });
    lines.insert(lines.end(), own.begin(), own.end());
  }
  if (!call.standardized) {
    for (Line& line : lines) line.measures.erase(line.measures.begin() + 1);
  }
  clear_progress();
  write_result("-", call.json ? as_json(call, lines) : as_csv(lines));
}

}  // namespace

void add_compare(CLI::App& app) {
  const auto call = std::make_shared<CompareCall>();
  CLI::App& verb = *app.add_subcommand("compare", "A leaderboard of models over repeated random splits");
  add_option(verb, "tables", call->tables, "TRAIN.csv", "One table or several, each with a leaderboard of its own")
      ->required();
  call->columns.add_to(verb);
  add_option(verb, "--models", call->models, "a,b,c", "Names, or name:preset (default: lscde); see condens models",
             "Comparison");
  add_option(verb, "--repeats", call->repeats, "R", "Random splits, the same for all models (default: 10)",
             "Comparison");
  add_option(verb, "--test-fraction", call->test_fraction, "f", "Share of rows to test on (default: 0.5)",
             "Comparison");
  add_option(verb, "--seed", call->seed, "N", "Seed of splits and fits (default: 0)", "Comparison");
  verb.add_flag("--standardized", call->standardized, "Also nll on the scale of y / its std in training, as in papers")
      ->group("Output");
  verb.add_flag("--json", call->json, "JSON instead of CSV, with the values of every split")->group("Output");
  add_option(verb, "--threads", call->threads, "N", "Threads (default: all); scores are the same", "Output");
  verb.add_flag("--quiet", call->quiet, "No progress bar")->group("Output");
  call->csv.add_to(verb);
  verb.footer(
      "The best nll comes first; nll, squared_loss and crps: lower is better. Columns ending in _se are standard\n"
      "errors of the mean over splits. With several targets, crps and coverage_0.9 are means over targets.\n"
      "\nExample:\n"
      "  condens compare geyser.csv --target waiting --models lscde,lscde:paper --repeats 20");
  verb.callback([call] { compare(*call); });
}

}  // namespace condens::cli
