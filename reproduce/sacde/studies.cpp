#include "studies.hpp"

#include <algorithm>
#include <future>
#include <iostream>
#include <numeric>

#include "common/data_files.hpp"
#include "data/splits.hpp"
#include "humanoid/transitions.hpp"
#include "irrelevant_inputs.hpp"

namespace condens::reproduce {

namespace {

constexpr std::uint64_t split_seed = 2015;
constexpr std::uint64_t transition_seed = 37;
constexpr Index most_repetitions = 100;    // sections 3.5 and 3.6; 3.3 and 3.4 do not say
constexpr Index reading_repetitions = 10;  // of what is not in the paper
constexpr Index quick_repetitions = 2;

std::vector<Method> all_methods() {
  std::vector<Method> out = paper_methods();
  for (Method& method : recommended_methods()) out.push_back(std::move(method));
  return available(out);
}

/// Training rows are the same for a larger number of test rows.
Problem draw(const Toy& toy, Index n_train, Index n_test, Index repetition) {
  const std::uint64_t seed = 2 * static_cast<std::uint64_t>(repetition);
  Problem out{.train = toy.sample(n_train, seed), .test = toy.sample(n_test, seed + 1), .toy = toy};
  for (Index d = 0; d < toy.n_targets; ++d) out.relevant.push_back(toy.relevant(d));
  return out;
}

std::vector<Case> size_cases(Scale scale) {
  const std::vector<Index> sizes =
      scale == Scale::full ? std::vector<Index>{200, 500, 1000, 2500, 5000} : std::vector<Index>{100, 200};
  const Index n_test = scale == Scale::full ? 10000 : 1000;
  std::vector<Case> out;
  for (const Toy& toy : {toy_1(), toy_2()})
    out.push_back({toy.name, sizes, [=](Index n, Index repetition) { return draw(toy, n, n_test, repetition); }});
  return out;
}

Index printed_repetitions(Scale scale) { return scale == Scale::full ? most_repetitions : quick_repetitions; }

Index few_repetitions(Scale scale) { return scale == Scale::full ? reading_repetitions : quick_repetitions; }

/// A random half of the rows, and the others.
Problem half(const Dataset& data, Index relevant, Index repetition) {
  const Split split =
      random_splits(data.size(), most_repetitions, 0.5, split_seed)[static_cast<std::size_t>(repetition)];
  Problem out{.train = data.subset(split.train), .test = data.subset(split.test)};
  out.relevant.resize(static_cast<std::size_t>(relevant));
  std::iota(out.relevant.begin(), out.relevant.end(), Index{0});
  return out;
}

/// The transitions are simulated once, where the first trial asks for them.
Study transition_study(Scale scale, const std::string& name, Index joints, const ActionNoise& noise) {
  const bool full = scale == Scale::full;
  const Index rows = full ? 10000 : 400;
  const std::shared_future<Dataset> all =
      std::async(std::launch::deferred, [=] {
        return sample_transitions(make_humanoid(), studied_joints(joints), noise, rows, transition_seed);
      }).share();
  Study out{{}, available(humanoid_methods()), [=](Index) { return full ? 20 : 2; }};
  out.cases.push_back(
      {name, full ? std::vector<Index>{0, 5, 10, 15, 20} : std::vector<Index>{0, 5}, [all](Index m, Index repetition) {
         const Dataset& data = all.get();
         return half(with_noisy_mixtures(data, m, static_cast<std::uint64_t>(repetition)), data.x.rows(), repetition);
       }});
  return out;
}

void say_missing(const char* name) {
  std::cerr << "reproduce_sacde: data set " << name << " is not available and left out\n";
}

}  // namespace

Study sizes_study(Scale scale) {
  return {size_cases(scale), all_methods(), [=](Index) { return printed_repetitions(scale); }};
}

Study candidates_study(Scale scale) {
  std::vector<Method> methods;
  for (const Index candidates : {5, 10, 20})
    for (Method& method : selection_methods(candidates)) methods.push_back(std::move(method));
  return {size_cases(scale), available(methods), [=](Index) { return printed_repetitions(scale); }};
}

Study dimensions_study(Scale scale) {
  Study out{{}, available(paper_methods()), [=](Index) { return few_repetitions(scale); }};
  const Index n_test = scale == Scale::full ? 10000 : 1000;
  for (const Toy& toy : {toy_1(1), toy_1(3), toy_1(10), toy_2(1), toy_2(3)})
    out.cases.push_back({toy.name + " with " + std::to_string(toy.n_inputs) + " inputs",
                         scale == Scale::full ? std::vector<Index>{200, 1000} : std::vector<Index>{100},
                         [=](Index n, Index repetition) { return draw(toy, n, n_test, repetition); }});
  return out;
}

Study readings_study(Scale scale) {
  std::vector<Method> methods = all_methods();
  for (Method& method : available({truncated_method()})) methods.push_back(std::move(method));
  Study out{{}, std::move(methods), [=](Index) { return few_repetitions(scale); }};
  for (const Sinc sinc : {Sinc::plain, Sinc::normalised}) {
    for (const Irrelevant irrelevant : {Irrelevant::noisy_copies, Irrelevant::uniform}) {
      const Toy toy = toy_1(5, sinc, irrelevant);
      const std::string name = std::string(sinc == Sinc::plain ? "plain" : "normalised") + " sinc; " +
                               (irrelevant == Irrelevant::noisy_copies ? "noisy copies" : "uniform");
      const Index n_test = scale == Scale::full ? 10000 : 1000;
      out.cases.push_back({name, {300}, [=](Index n, Index repetition) { return draw(toy, n, n_test, repetition); }});
    }
  }
  return out;
}

Study selection_study(Scale scale) {
  std::vector<Method> methods = paper_methods();
  methods.resize(3);  // SA-CDE, SA-LSCDE, FW-LSCDE
  for (Method& method : selection_readings()) methods.push_back(std::move(method));
  Study out{size_cases(scale), available(methods), [=](Index) { return few_repetitions(scale); }};
  for (Case& own : out.cases) own.levels = {scale == Scale::full ? Index{500} : Index{200}};
  return out;
}

Study irrelevant_study(Scale scale, const std::string& directory) {
  const bool full = scale == Scale::full;
  const std::vector<Index> counts =
      full ? std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10} : std::vector<Index>{0, 5};
  Study out{{}, all_methods(), [=](Index) { return printed_repetitions(scale); }};
  out.cases.push_back({"toy data 1 with m more", counts, [](Index m, Index repetition) {
                         Problem problem = draw(toy_1(10), 150, 2000, repetition);
                         for (Dataset* part : {&problem.train, &problem.test}) part->x = Matrix(part->x.topRows(1 + m));
                         return problem;
                       }});
  for (const char* name : {"geyser", "crabs"}) {
    const std::optional<Dataset> data = load(directory, name);
    if (!data) {
      say_missing(name);
      continue;
    }
    out.cases.push_back({name, counts, [data = *data](Index m, Index repetition) {
                           return half(with_noisy_copies(data, m, static_cast<std::uint64_t>(repetition)),
                                       data.x.rows(), repetition);
                         }});
  }
  return out;
}

Study humanoid_study(Scale scale, Index joints) {
  return transition_study(scale, "humanoid with " + std::to_string(joints) + " joints", joints, sacde_noise);
}

Study bimodal_study(Scale scale) {
  return transition_study(scale, "humanoid with 2 joints and bimodal noise", 2, lsce_noise);
}

Study benchmark_study(Scale scale, const std::string& directory) {
  Study out{{}, all_methods(), [=](Index) { return printed_repetitions(scale); }};
  for (const BenchmarkChoice& choice : benchmark_choice) {
    const std::optional<Dataset> data = load(directory, choice.name);
    if (!data) {
      say_missing(choice.name);
      continue;
    }
    out.cases.push_back({std::string(choice.name) + " with five more", {5}, [data = *data](Index m, Index repetition) {
                           return half(with_noisy_mixtures(data, m, static_cast<std::uint64_t>(repetition)),
                                       data.x.rows(), repetition);
                         }});
  }
  return out;
}

}  // namespace condens::reproduce
