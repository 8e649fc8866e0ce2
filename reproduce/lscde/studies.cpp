#include "studies.hpp"

#include <iostream>
#include <limits>

#include "common/data_files.hpp"
#include "common/test_score.hpp"
#include "condens/core/errors.hpp"
#include "halves.hpp"
#include "robots.hpp"

namespace condens::reproduce {

namespace {

constexpr Index robot_train_rows = 100;
constexpr Index robot_test_rows = 900;
constexpr Index quick_rows = 100;  ///< larger sets are left out in development
constexpr Index quick_repetitions = 2;

TrialRecord run_trial(const Method& method, const Problem& problem, Index repetition) {
  TrialRecord out(number_names().size(), std::numeric_limits<double>::quiet_NaN());
  const auto number = [&](Number place) -> double& { return out[static_cast<std::size_t>(place)]; };
  const double begin = thread_seconds();
  std::unique_ptr<ConditionalDensity> model;
  try {
    model = fit(method, problem.train, repetition);
  } catch (const NumericalError& error) {
    std::cerr << "reproduce_lscde: " << method.label << ": " << error.what() << '\n';
  }
  number(Number::seconds) = thread_seconds() - begin;
  if (!model) return out;
  const TestScore score = standardized_score(problem.train, log_density(method, *model, problem.test));
  number(Number::exact) = score.exact;
  number(Number::capped) = score.capped;
  return out;
}

Study study_of(const std::vector<Robot>& robots, Scale scale) {
  Study out{.cases = {},
            .methods = table_methods(),
            .repetitions = scale == Scale::full ? repeats : quick_repetitions,
            .printed_times = printed_robot_times,
            .same_data = false};
  std::erase_if(out.methods, [](const Method& method) { return !takes_several_targets(method); });
  for (const Robot& robot : robots) {
    out.cases.push_back({.name = robot.name,
                         .n = robot_train_rows,
                         .inputs = robot.sample(1, 0).x.rows(),
                         .printed = robot.printed,
                         .problem = [robot](Index repetition) -> Problem {
                           const std::uint64_t seed = 2 * static_cast<std::uint64_t>(repetition);
                           return {robot.sample(robot_train_rows, seed), robot.sample(robot_test_rows, seed + 1)};
                         }});
  }
  return out;
}

}  // namespace

const std::vector<std::string>& number_names() {
  static const std::vector<std::string> names = {"exact", "capped", "seconds"};
  return names;
}

Study benchmark_study(Scale scale, const std::string& directory) {
  Study out{.cases = {},
            .methods = table_methods(),
            .repetitions = scale == Scale::full ? repeats : quick_repetitions,
            .printed_times = printed_times,
            .same_data = true};
  for (const BenchmarkSet& set : benchmark_sets) {
    const std::optional<Dataset> data = load(directory, set.name);
    if (!data) std::cerr << "reproduce_lscde: data set " << set.name << " is not available and left out\n";
    if (!data || (scale == Scale::quick && data->size() > quick_rows)) continue;
    const std::vector<Split> halves = benchmark_halves(data->size());
    out.cases.push_back({.name = set.name,
                         .n = std::ssize(halves.front().train),
                         .inputs = data->x.rows(),
                         .printed = set.printed,
                         .problem = [data = *data, halves](Index repetition) -> Problem {
                           const Split& half = halves[static_cast<std::size_t>(repetition)];
                           return {data.subset(half.train), data.subset(half.test)};
                         }});
  }
  return out;
}

Study weakened_study(Scale scale, const std::string& directory) {
  Study out = benchmark_study(scale, directory);
  out.methods = weakened_methods();
  return out;
}

Study robot_study(Scale scale) { return study_of(robots(), scale); }

Study badly_measured_study(Scale scale) { return study_of(badly_measured_robots(), scale); }

void run_study(const Study& study, RecordBook& book, double minutes) {
  std::vector<Trial> trials;
  for (const Case& from : study.cases)
    for (Index r = 0; r < study.repetitions; ++r)
      for (const Method& method : study.methods)
        trials.push_back({.key = {.data = from.name, .level = from.n, .method = method.label, .repetition = r},
                          .run = [&, r] { return run_trial(method, from.problem(r), r); },
                          .small = [&] { return run_trial(method, small_part(from.problem(0)), 0); }});
  run_trials(std::move(trials), book, minutes);
}

}  // namespace condens::reproduce
