#include "condens/comparison/comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <utility>

#include "comparison/comparison_splits.hpp"
#include "condens/core/errors.hpp"
#include "condens/metrics/scores.hpp"
#include "model/inner_fits.hpp"

namespace condens {

namespace {

struct Place {
  std::size_t model = 0;
  Index split = 0;

  bool is_before(const Place& other) const { return std::pair(split, model) < std::pair(other.split, other.model); }
};

/// The trials to come. Models that no one has finished yet come first, then the one that took longest: a
/// thread that begins a long fit last would leave the others idle.
class Queue {
 public:
  explicit Queue(std::size_t models) : took_(models, std::numeric_limits<double>::infinity()) {}

  void add(const Place& place) { waiting_.push_back(place); }
  Index size() const { return std::ssize(waiting_); }

  Place next() {
    const std::scoped_lock lock(mutex_);
    const auto longest = std::max_element(waiting_.begin(), waiting_.end(), [&](const Place& a, const Place& b) {
      return took_[a.model] < took_[b.model];
    });
    const Place out = *longest;
    waiting_.erase(longest);
    return out;
  }
  void finished(const Place& place, double seconds) {
    const std::scoped_lock lock(mutex_);
    took_[place.model] = seconds;
  }

 private:
  std::mutex mutex_;
  std::vector<Place> waiting_;
  std::vector<double> took_;
};

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

Trial run_trial(const Contestant& model, const Dataset& data, const Split& split, Index seed, const Run& run) {
  const Dataset train = data.subset(split.train);
  const Dataset test = data.subset(split.test);
  const Clock clock;
  const FittedContestant fitted = model.fit(train, seed, run);
  Trial out{.seconds = clock.seconds()};
  if (fitted.density->report().status == "interrupted") throw Cancelled();  // some models keep the best so far
  const ScoreOptions wanted{.levels = {0.9}, .energy_score = false, .highest_density = false};
  const Scores scores = score(*fitted.density, fitted.target, test, wanted, run);
  const auto targets = static_cast<double>(scores.targets.size());
  out.nll = scores.nll.value;
  out.crps = out.coverage = 0.0;
  for (const TargetScores& target : scores.targets) {
    out.crps += target.crps.value / targets;
    out.coverage += target.coverage.front().central.value / targets;
  }
  if (!scores.squared_loss) return out;
  out.squared_loss = scores.squared_loss->value;
  // p on the scale of y / s is s p: the papers report its nll.
  const Standardizer scale = Standardizer::fit(train.y, train.weights);
  double log_scale = 0;
  for (Index j = 0; j < scale.dimension(); ++j) log_scale += std::log(scale.scale()[j]);
  out.nll_standardized = out.nll - log_scale;
  return out;
}

void check_models(const std::vector<Contestant>& models) {
  require(!models.empty(), "compare: there are no models, expected at least one");
  for (std::size_t k = 0; k < models.size(); ++k) {
    const bool twice = std::any_of(models.begin(), models.begin() + static_cast<std::ptrdiff_t>(k),
                                   [&](const Contestant& other) { return other.label == models[k].label; });
    require(!twice, "compare: two models are called '", models[k].label, "', expected different labels");
  }
}

/// The trials of one comparison: those that the book holds, and those to come.
class Trials {
 public:
  Trials(const Dataset& data, const std::vector<Contestant>& models, const ComparisonOptions& options, TrialBook* book)
      : data_(data),
        models_(models),
        splits_(comparison_splits(data.size(), options)),
        book_(book),
        queue_(models.size()),
        out_{options, {}, {}} {
    for (const Contestant& model : models) {
      out_.labels.push_back(model.label);
      out_.trials.emplace_back(splits_.size());
    }
    for (Index r = 0; r < options.repeats; ++r) {
      for (std::size_t k = 0; k < models.size(); ++k) recall({k, r});
    }
  }

  /// Those to come, side by side.
  void run(const Run& run) {
    const Index count = queue_.size();
    Task task(run, "compare", static_cast<double>(count));
    fit_side_by_side(count, run, task, [&](Index, const Run& own) { run_next(own); });
  }

  Comparison result() const {
    if (failures_ == std::ssize(models_) * std::ssize(splits_)) std::rethrow_exception(first_error_);
    return out_;
  }

 private:
  void recall(const Place& place) {
    const Trial* known = book_ == nullptr ? nullptr : book_->find(place.model, place.split);
    if (known == nullptr) return queue_.add(place);
    trial_at(place) = *known;
    queue_.finished(place, known->seconds);
  }

  void run_next(const Run& run) {
    const Place place = queue_.next();
    const Clock clock;
    Trial& trial = trial_at(place);
    try {
      trial = run_trial(models_[place.model], data_, splits_[static_cast<std::size_t>(place.split)],
                        out_.options.seed + place.split, run);
      const std::scoped_lock lock(mutex_);
      if (book_ != nullptr) book_->add(place.model, place.split, trial);
    } catch (const std::invalid_argument& error) {
      fail(place, error);
    } catch (const NumericalError& error) {
      fail(place, error);
    }
    queue_.finished(place, clock.seconds());
  }

  /// Within a handler of `error`.
  void fail(const Place& place, const std::exception& error) {
    trial_at(place) = {.failure = error.what()};
    const std::scoped_lock lock(mutex_);
    ++failures_;
    if (first_error_ && !place.is_before(first_)) return;
    first_ = place;
    first_error_ = std::current_exception();
  }

  Trial& trial_at(const Place& place) { return out_.trials[place.model][static_cast<std::size_t>(place.split)]; }

  const Dataset& data_;
  const std::vector<Contestant>& models_;
  const std::vector<Split> splits_;
  TrialBook* book_;
  Queue queue_;
  Comparison out_;
  std::mutex mutex_;  // of the book and the failures
  Index failures_ = 0;
  Place first_ = {};  // that failed
  std::exception_ptr first_error_;
};

}  // namespace

std::vector<Split> comparison_splits(Index n, const ComparisonOptions& options) {
  if (options.cv == SplitOrder::time) return time_splits(n, options.repeats, options.test_fraction);
  return random_splits(n, options.repeats, options.test_fraction, static_cast<std::uint64_t>(options.seed));
}

Comparison compare_models(const Dataset& data, const std::vector<Contestant>& models, const ComparisonOptions& options,
                          const Run& run, TrialBook* book) {
  validate_options(options, "compare");
  data.check("compare");
  check_models(models);
  Trials trials(data, models, options, book);
  trials.run(run);
  return trials.result();
}

}  // namespace condens
