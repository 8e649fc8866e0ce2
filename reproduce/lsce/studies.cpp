#include "studies.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string_view>

#include "brush.hpp"
#include "common/data_files.hpp"
#include "common/test_score.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/linalg/subspaces.hpp"
#include "humanoid/transitions.hpp"
#include "printed.hpp"

namespace condens::reproduce {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t split_seed = 2015;
constexpr std::uint64_t transition_seed = 34;
constexpr Index most_test_rows = 2000;

/// Section 3.4: how many transitions there are, for training and test together.
struct RobotChoice {
  const char* name;  ///< in Table 1
  Index joints;
  Index rows;
};
constexpr RobotChoice robot_choices[] = {{"2 Joints", 2, 500}, {"4 Joints", 4, 1000}, {"9 Joints", 9, 1500}};

/// Error_CDE of y divided by `unit`: densities, and their squared norms, grow by the product of its entries.
double squared_error(const Vector& unit, const GaussianMixtures& laws, const Dataset& test) {
  return unit.prod() * laws.squared_loss(test.y, {.threads = 1, .observer = {}}).mean();
}

/// Error_DR, |P - Q|_F.
double subspace_error(const Matrix& estimate, const Matrix& truth) {
  return std::numbers::sqrt2 * subspace_change(estimate, truth).distance;
}

TrialRecord run_trial(const Method& method, const Problem& problem, Index repetition) {
  TrialRecord out(number_names().size(), none);
  const auto number = [&](Number place) -> double& { return out[static_cast<std::size_t>(place)]; };
  std::optional<Matrix> truth = problem.components;
  if (problem.toy) truth = problem.toy->components();
  const double begin = thread_seconds();
  std::optional<Fitted> fitted;
  try {
    fitted = fit(method, problem.train, truth, repetition);
  } catch (const NumericalError& error) {
    std::cerr << "reproduce_lsce: " << method.label << ": " << error.what() << '\n';
  }
  number(Number::seconds) = thread_seconds() - begin;
  if (!fitted) return out;
  const Run one_thread{.threads = 1, .observer = {}};
  const GaussianMixtures laws = fitted->laws(problem.test.x);
  const Vector deviation = Standardizer::fit(problem.train.y, Vector()).scale();
  number(Number::squared) = squared_error(deviation, laws, problem.test);
  if (problem.target_range.size() > 0) number(Number::ranged) = squared_error(problem.target_range, laws, problem.test);
  number(Number::nll) = standardized_score(problem.train, laws.log_pdf(problem.test.y, one_thread)).capped;
  number(Number::components) = static_cast<double>(fitted->n_components);
  if (problem.toy) number(Number::truth) = squared_error(deviation, problem.toy->truth(problem.test.x), problem.test);
  if (truth && fitted->components.rows() > 0) number(Number::subspace) = subspace_error(fitted->components, *truth);
  return out;
}

Problem draw(const Toy& toy, Index n_train, Index n_test, Index repetition) {
  const std::uint64_t seed = 2 * static_cast<std::uint64_t>(repetition);
  return {.train = toy.sample(n_train, seed), .test = toy.sample(n_test, seed + 1), .toy = toy};
}

/// n random rows, and the others, or as many of them as count.
Problem split(const Dataset& data, Index n, Index repetition) {
  RandomStream random(split_seed, static_cast<std::uint64_t>(repetition));
  const std::vector<Index> order = random.permutation(data.size());
  const auto middle = order.begin() + n;
  const auto end = middle + std::min(data.size() - n, most_test_rows);
  const Matrix y = data.y;
  return {.train = data.subset({order.begin(), middle}),
          .test = data.subset({middle, end}),
          .target_range = y.rowwise().maxCoeff() - y.rowwise().minCoeff()};
}

void append(std::vector<Method>& methods, const std::vector<Method>& more) {
  methods.insert(methods.end(), more.begin(), more.end());
}

/// The paper's, and what the library recommends in their place.
std::vector<Method> sumie_methods() {
  std::vector<Method> out = paper_methods();
  for (const Method& method : recommended_methods())
    if (method.scheme == Scheme::lsce || method.scheme == Scheme::lsmi || method.scheme == Scheme::none)
      out.push_back(method);
  return out;
}

}  // namespace

const std::vector<std::string>& number_names() {
  static const std::vector<std::string> names = {"squared",  "ranged",     "truth",  "nll",
                                                 "subspace", "components", "seconds"};
  return names;
}

Case split_case(const std::string& name, Index n, const Dataset& data) {
  return {name, {n}, [data](Index level, Index repetition) { return split(data, level, repetition); }};
}

Study artificial_study(Scale scale) {
  const bool full = scale == Scale::full;
  Study out{{}, paper_methods(), full ? 20 : 2};
  append(out.methods, masked_methods());
  append(out.methods, sliced_methods());
  append(out.methods, true_methods());
  append(out.methods, recommended_methods());
  const std::vector<Index> sizes = full ? std::vector<Index>{50, 100, 200, 300, 400} : std::vector<Index>{50, 100};
  for (const Toy& toy : {toy_a(), toy_b()})
    out.cases.push_back({toy.name, sizes, [toy](Index n, Index repetition) { return draw(toy, n, 1000, repetition); }});
  return out;
}

Study benchmark_study(Scale scale, const std::string& directory) {
  const bool full = scale == Scale::full;
  Study out{{}, paper_methods(), full ? 10 : 2};
  append(out.methods, masked_methods());
  append(out.methods, sliced_methods());
  append(out.methods, recommended_methods());
  for (const PrintedRow& row : printed_rows) {
    if (row.file[0] == '\0') continue;
    const std::optional<Dataset> data = load(directory, row.file);
    if (!data) {
      std::cerr << "reproduce_lsce: data set " << row.name << " is not available and left out\n";
      continue;
    }
    const Index n = full ? row.n : std::min<Index>(row.n, 60);
    out.cases.push_back(split_case(row.name, n, *data));
  }
  return out;
}

Study robot_study(Scale scale) {
  const bool full = scale == Scale::full;
  Study out{{}, paper_methods(), full ? 10 : 2};
  append(out.methods, masked_methods());
  append(out.methods, recommended_methods());
  const Humanoid robot = make_humanoid();
  for (const RobotChoice& choice : robot_choices) {
    const PrintedRow& row = printed_row(choice.name);
    const Dataset data =
        sample_transitions(robot, studied_joints(choice.joints), lsce_noise, choice.rows, transition_seed);
    out.cases.push_back(split_case(row.name, full ? row.n : std::min<Index>(row.n, 60), data));
  }
  return out;
}

Dataset sumie_data() {
  constexpr Index n_transitions = 722;
  constexpr std::uint64_t seed = 722;
  return brush_transitions(n_transitions, seed);
}

Study sumie_study(Scale scale) {
  const bool full = scale == Scale::full;
  Study out{{}, sumie_methods(), full ? 10 : 2};
  const Dataset data = sumie_data();
  for (const PrintedRow& row : printed_rows)
    if (std::string_view(row.name).starts_with("Sumi-e"))
      out.cases.push_back(split_case(row.name, full ? row.n : row.n / 4, data));
  return out;
}

Method sumie_method(const std::string& label) {
  for (const Method& method : sumie_methods())
    if (method.label == label) return method;
  throw std::invalid_argument("no method '" + label + "' of the brush");
}

void run_study(const Study& study, RecordBook& book, double minutes) {
  std::vector<Trial> trials;
  for (const Case& from : study.cases)
    for (const Index level : from.levels)
      for (Index r = 0; r < study.repetitions; ++r)
        for (const Method& method : study.methods)
          trials.push_back({{from.name, level, method.label, r},
                            [&, level, r] { return run_trial(method, from.problem(level, r), r); },
                            [&, level] { return run_trial(method, small_part(from.problem(level, 0)), 0); }});
  run_trials(std::move(trials), book, minutes);
}

}  // namespace condens::reproduce
