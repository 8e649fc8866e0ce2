#include "examples.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>

#include "common/data_files.hpp"
#include "common/markdown.hpp"
#include "common/test_score.hpp"
#include "condens/registry.hpp"
#include "example_data.hpp"
#include "fits.hpp"
#include "pictures.hpp"

namespace condens::reproduce {

namespace {

constexpr Index n_train = 200;  // not printed
constexpr Index n_test = 2000;
constexpr Index planned = 5;
const Run one_thread{.threads = 1, .observer = {}};

enum class Field { error, excess, states, freedom };
const std::vector<std::string> field_names = {"error", "excess", "states", "freedom"};

struct Contender {
  std::string label;
  std::string model;
  std::string preset;
  std::vector<double> hidden = {};
};
const std::vector<Contender> contenders = {{"paper", "press", "paper"},
                                           {"ten hidden units", "press", "paper", {10}},
                                           {"our PRESS", "press", "recommended"},
                                           {"our NW", "nw", "recommended"}};

std::unique_ptr<ConditionalDensity> fit_example(const Contender& contender, const Dataset& train, Index seed) {
  Document options(Document::Object{});
  if (contender.model == "press") options.set("seed", seed);
  if (!contender.hidden.empty()) {
    options.set("hidden", Document::Array(contender.hidden.begin(), contender.hidden.end()));
    options.set("n_states", Document::Array{1, 2, 3, 4, 5});
  }
  return find_model(contender.model).fit(train, contender.preset, options, one_thread);
}

Vector means_of(const ConditionalDensity& model, const MatrixView& x) {
  return model.predict(x, one_thread).mean(one_thread).row(0).transpose();
}

TrialRecord run_trial(const Example& example, const Contender& contender, Index rows, Index seed) {
  TrialRecord out(field_names.size(), std::numeric_limits<double>::quiet_NaN());
  const auto field = [&](Field place) -> double& { return out[static_cast<std::size_t>(place)]; };
  const auto model = fit_example(contender, draw(example, rows, 2 * seed), seed);
  const Dataset test = draw(example, n_test, 2 * seed + 1);
  const Vector truth = means_at(example, test.x);
  field(Field::error) = std::sqrt((means_of(*model, test.x) - truth).squaredNorm() / n_test);
  const Vector z = (test.y.row(0).transpose() - truth) / example.deviation;
  const double own = 0.5 * z.squaredNorm() / n_test + std::log(example.deviation * std::sqrt(2 * std::numbers::pi));
  field(Field::excess) = -model->log_density(test.x, test.y, one_thread).mean() - own;
  const auto* press = dynamic_cast<const Press*>(model.get());
  if (press == nullptr) return out;
  field(Field::states) = static_cast<double>(press->n_states());
  field(Field::freedom) = press->degrees_of_freedom();
  return out;
}

Repetitions field_of(const RecordBook& book, const Example& example, const Contender& contender, Field field,
                     Index repetitions) {
  Repetitions out;
  for (Index seed = 0; seed < repetitions; ++seed) {
    const TrialRecord* record = book.find({example.name, n_train, contender.label, seed});
    if (record == nullptr || !std::isfinite((*record)[static_cast<std::size_t>(field)])) continue;
    out.values.push_back((*record)[static_cast<std::size_t>(field)]);
    out.numbers.push_back(seed);
  }
  return out;
}

void print(const RecordBook& book, Index repetitions, std::ostream& out) {
  MarkdownTable table(
      {"example, method", "J (times)", "ν", "root mean squared error of the mean", "E log p/estimate (nats)"});
  for (const Example& example : examples)
    for (const Contender& contender : contenders) {
      const auto field = [&](Field place) { return field_of(book, example, contender, place, repetitions).values; };
      if (field(Field::error).empty()) continue;
      std::vector<Index> states;
      for (const double value : field(Field::states)) states.push_back(static_cast<Index>(value));
      table.add({std::string(example.name) + ", " + contender.label, tally(states),
                 mean_cell(field(Field::freedom), repetitions, 2), mean_cell(field(Field::error), repetitions, 3),
                 mean_cell(field(Field::excess), repetitions, 3)});
    }
  if (!table.empty()) table.print(out);
}

Panel panel_of(const Example& example) {
  const Dataset train = draw(example, n_train, 0);
  Panel out{.title = example.name, .x_label = "x", .y_label = "y"};
  out.clouds.push_back({"data", train.x.row(0).transpose(), train.y.row(0).transpose(), "#999999"});
  const Vector x = Vector::LinSpaced(400, 0, 1);
  const Matrix points = x.transpose();
  out.curves.push_back({"truth", x, means_at(example, points), 6, true});
  std::size_t color = 0;
  for (const Contender& contender : contenders)
    out.curves.push_back({contender.label, x, means_of(*fit_example(contender, train, 0), points), color++});
  return out;
}

}  // namespace

void run_examples(const Command& command, std::ostream& out) {
  const bool quick = command.scale == Scale::quick;
  const Index repetitions = quick ? 2 : planned;
  RecordBook book(std::filesystem::path(command.records) / (quick ? "quick-examples.csv" : "examples.csv"),
                  field_names);
  std::vector<Trial> trials;
  for (Index seed = 0; seed < repetitions; ++seed)
    for (const Example& example : examples)
      for (const Contender& contender : contenders)
        trials.push_back({{example.name, n_train, contender.label, seed},
                          [&example, &contender, seed] { return run_trial(example, contender, n_train, seed); },
                          [&example, &contender] { return run_trial(example, contender, small_rows, 0); }});
  run_trials(std::move(trials), book, command.minutes);
  out << "n = " << n_train << ", " << repetitions << " samples.\n\n";
  print(book, repetitions, out);
  book.print_older(out);
  std::vector<Panel> panels;
  for (const Example& example : examples) panels.push_back(panel_of(example));
  std::filesystem::create_directories(command.pictures);
  write_text(std::filesystem::path(command.pictures) / "figure-1.svg", draw_panels(panels, 2));
  out << "[Picture](pictures/figure-1.svg): the first sample. The fifth example is the motorcycle data below.\n\n";
}

}  // namespace condens::reproduce
