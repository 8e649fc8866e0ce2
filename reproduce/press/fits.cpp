#include "fits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "common/test_score.hpp"

namespace condens::reproduce {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

TrialRecord run_trial(const Sample& sample, const Method& method, Index states, Index seed) {
  TrialRecord out(number_names().size(), none);
  const auto number = [&](Number place) -> double& { return out[static_cast<std::size_t>(place)]; };
  const double begin = thread_seconds();
  const Press model = fit(method, sample.train, states, seed);
  number(Number::seconds) = thread_seconds() - begin;
  number(Number::states) = static_cast<double>(model.n_states());
  number(Number::freedom) = model.degrees_of_freedom();
  number(Number::mse) = mean_square(model, sample.train);
  number(Number::aic) = aic_of(model, states > 0 ? states : model.n_states(), sample.train);
  number(Number::iterations) = model.report().details.at("iterations").as_number();
  if (sample.test.size() == 0) return out;
  number(Number::test_mse) = mean_square(model, sample.test);
  number(Number::test_mad) = (sample.test.y.row(0).transpose() - fitted_means(model, sample.test.x)).cwiseAbs().mean();
  number(Number::test_nll) = -model.log_density(sample.test.x, sample.test.y, {.threads = 1, .observer = {}}).mean();
  return out;
}

}  // namespace

const std::vector<std::string>& number_names() {
  static const std::vector<std::string> names = {"states",   "freedom",  "mse",        "aic",    "test_mse",
                                                 "test_mad", "test_nll", "iterations", "seconds"};
  return names;
}

Method paper_method() { return {"paper", PressOptions::paper()}; }

Method minimum_method() {
  Method out{"all rows to the minimum", PressOptions::paper()};
  out.options.holdout = 0;
  return out;
}

Method informed_method() {
  Method out{"informed starts", PressOptions::paper()};
  out.options.start = PressStart::informed;
  out.options.n_starts = 3;
  return out;
}

Method recommended_method() { return {"our PRESS", {}}; }

std::vector<Index> one_to(Index last) {
  std::vector<Index> out(static_cast<std::size_t>(last));
  std::iota(out.begin(), out.end(), Index{1});
  return out;
}

Press fit(const Method& method, const Dataset& train, Index states, Index seed, int threads) {
  PressOptions options = method.options;
  if (states > 0) options.n_states = {static_cast<double>(states)};
  options.seed = seed;
  return Press::fit(train, options, {.threads = threads, .observer = {}});
}

Vector fitted_means(const Press& model, const MatrixView& x) {
  return (model.state_means().row(0) * model.state_weights(x)).transpose();
}

double mean_square(const Press& model, const Dataset& data) {
  return (data.y.row(0).transpose() - fitted_means(model, data.x)).squaredNorm() / static_cast<double>(data.size());
}

double aic_of(const Press& model, Index states, const Dataset& train) {
  const auto n = static_cast<double>(train.size());
  const auto parameters = static_cast<double>((states - 1) * (train.x.rows() + 1));
  return n * std::log(mean_square(model, train)) + 2 * parameters;
}

void run_study(const Study& study, RecordBook& book, double minutes) {
  std::vector<Trial> trials;
  for (Index seed = 0; seed < study.repetitions; ++seed)
    for (const Method& method : study.methods)
      for (const Index states : study.states)
        trials.push_back(
            {{study.sample.name, states, method.label, seed},
             [&study, &method, states, seed] { return run_trial(study.sample, method, states, seed); },
             [&study, &method, states] { return run_trial(small_part(study.sample), method, states, 0); }});
  run_trials(std::move(trials), book, minutes);
}

Repetitions numbers_of(const RecordBook& book, const Study& study, const std::string& method, Index states,
                       Number number) {
  return repetitions_of(book, study.sample.name, states, method, study.repetitions, static_cast<std::size_t>(number));
}

std::vector<Index> chosen_states(const RecordBook& book, const Study& study, const std::string& method) {
  std::vector<Index> out;
  for (Index seed = 0; seed < study.repetitions; ++seed) {
    Index best = 0;
    double lowest = std::numeric_limits<double>::infinity();
    bool complete = true;
    for (const Index states : study.states) {
      const TrialRecord* record = book.find({study.sample.name, states, method, seed});
      complete = complete && record != nullptr;
      if (!complete) break;
      const double value = (*record)[static_cast<std::size_t>(Number::aic)];
      if (value < lowest) best = states;
      lowest = std::min(lowest, value);
    }
    if (complete) out.push_back(best);
  }
  return out;
}

std::string tally(const std::vector<Index>& chosen) {
  std::map<Index, Index> counts;
  for (const Index states : chosen) ++counts[states];
  std::string out;
  for (const auto& [states, count] : counts) {
    out += (out.empty() ? "" : ", ") + std::to_string(states) + " (" + std::to_string(count) + ")";
  }
  return out.empty() ? "-" : out;
}

}  // namespace condens::reproduce
