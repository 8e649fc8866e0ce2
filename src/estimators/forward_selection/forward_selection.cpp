#include "condens/estimators/forward_selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "condens/core/errors.hpp"
#include "model/inner_fits.hpp"
#include "model/preparation.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = ForwardSelection::class_name;

using Rows = std::vector<Index>;

/// A model of some inputs and its score; without a density no model and an infinite score.
struct Scored {
  std::shared_ptr<const ConditionalDensity> model = nullptr;
  double score = infinity;
  double standard_error = 0.0;
};

/// Where the score of a subset comes from: the model's own comparison by the same folds, or rows held out here.
enum class Source { report, held_out };

/// Thrown where the model reports no score.
struct Unreported {};

/// Fits and scores the inner model on subsets of the inputs.
class Scorer {
 public:
  Scorer(const Dataset& data, const ForwardOptions& options, const InnerModel& inner, Source source)
      : data_(data),
        options_(options),
        fits_(owner, inner, options.options, options.scoring, options.seed, data),
        source_(source) {}

  Scored operator()(const Rows& rows, const Run& run) const {
    const Dataset subset = select_inputs(data_, rows);
    Scored out;
    if (source_ == Source::report && !fits_.takes_folds()) throw Unreported{};
    try {
      out.model = fit(subset, rows, options_.cv, run);
      if (source_ == Source::held_out) {
        cross_validate(subset, rows, run, out);
      } else {
        const Document& details = out.model->report().details;
        if (details.find("score") == nullptr) throw Unreported{};
        out.score = details.at("score").as_number();
        out.standard_error = details.at("score_standard_error").as_number();
      }
    } catch (const NumericalError&) {
      return {};
    }
    return out;
  }

 private:
  /// Of given centres, which have all inputs, a subset takes its rows.
  std::unique_ptr<ConditionalDensity> fit(const Dataset& subset, const Rows& rows, const std::vector<double>& cv,
                                          const Run& run) const {
    const auto move = [&](const Matrix& centers) {
      Rows kept = rows;
      for (Index k = 0; k < data_.y.rows(); ++k) kept.push_back(data_.x.rows() + k);
      return Matrix(centers(kept, Eigen::all));
    };
    return fits_.fit(subset, cv, move, run);
  }

  void cross_validate(const Dataset& subset, const Rows& rows, const Run& run, Scored& out) const {
    Dataset storage;
    const Dataset& counted = rows_that_count(subset, storage);
    const std::vector<Index> fold = preparation::folds_of(options_.cv, subset, options_.seed);
    const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
    Vector means(folds);
    for (Index k = 0; k < folds; ++k) {
      const auto [train, test] = preparation::without_fold(counted, fold, k);
      means[k] = fits_.score(*fit(train, rows, {5}, run), test, run);
    }
    const FoldScore found = fold_score(means);
    out.score = found.mean;
    out.standard_error = found.standard_error;
  }

  const Dataset& data_;
  const ForwardOptions& options_;
  InnerFits fits_;
  Source source_;
};

/// Fits to all candidates, side by side.
std::vector<Scored> score_all(const Scorer& scorer, const std::vector<Rows>& candidates, const Run& run, Task& task) {
  std::vector<Scored> out(candidates.size());
  fit_side_by_side(std::ssize(candidates), run, task, [&](Index i, const Run& own) {
    out[static_cast<std::size_t>(i)] = scorer(candidates[static_cast<std::size_t>(i)], own);
  });
  return out;
}

Rows joined(const Rows& a, const Rows& b) {
  Rows out;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

double finite(double score) { return std::isfinite(score) ? score : std::numeric_limits<double>::max(); }

Document step_to_document(const Rows& entered, const Scored& scored) {
  return Document::Object{{"inputs", Document(std::vector<double>(entered.begin(), entered.end()))},
                          {"score", finite(scored.score)},
                          {"standard_error", scored.standard_error}};
}

/// One step of the search: the input that entered, and the model with it.
struct Entry {
  Rows input;
  Scored scored;
};

/// Lets inputs enter as long as the score falls; the first step is the density without inputs.
std::vector<Entry> search(const Scorer& scorer, std::vector<Rows> remaining, Index least, Index most, const Run& run) {
  const double d = static_cast<double>(remaining.size());
  const double m = static_cast<double>(most);
  Task task(run, "selecting inputs", 1.0 + m * d - 0.5 * m * (m - 1.0));
  std::vector<Entry> steps{{{}, score_all(scorer, {{}}, run, task).front()}};
  Rows selected;
  for (Index step = 1; step <= most; ++step) {
    std::vector<Rows> candidates;
    for (const Rows& input : remaining) candidates.push_back(joined(selected, input));
    std::vector<Scored> scored = score_all(scorer, candidates, run, task);
    const auto winner = std::min_element(scored.begin(), scored.end(),
                                         [](const Scored& a, const Scored& b) { return a.score < b.score; });
    const bool must = step <= least && std::isfinite(winner->score);
    if (!must && !(winner->score < steps.back().scored.score)) break;
    const auto input = remaining.begin() + (winner - scored.begin());
    selected = joined(selected, *input);
    steps.push_back({*input, std::move(*winner)});
    remaining.erase(input);
  }
  return steps;
}

/// The number of inputs that stay, of those that entered.
Index kept(const std::vector<Entry>& steps, const ForwardOptions& options) {
  const Index entered = std::ssize(steps) - 1;
  if (options.selection_rule == SelectionRule::minimum) return entered;
  const Scored& last = steps.back().scored;
  const auto first = std::find_if(steps.begin(), steps.end(), [&](const Entry& step) {
    return step.scored.score <= last.score + last.standard_error;
  });
  return std::max<Index>(std::min(options.min_features, entered), first - steps.begin());
}

}  // namespace

ForwardSelection::ForwardSelection(ForwardOptions options, ForwardSelectionState state, Parts parts, FitReport report)
    : FittedWrapper(std::move(options), std::move(state), std::move(parts), std::move(report)) {
  for (Index row = 0; row < n_inputs(); ++row) {
    const bool selected = std::binary_search(rows().begin(), rows().end(), row);
    if (selected != (state_.ranking[row] > 0)) {
      throw FormatError("ForwardSelection: ranking and support do not fit together");
    }
  }
  steps();  // throws where a file lacks what is read later
}

ForwardSelection ForwardSelection::fit(const Dataset& data, const ForwardOptions& options, const InnerModel& inner,
                                       const Run& run) {
  data.check(owner);
  preparation::standardize(owner, data, false);  // refuses what no model can take, by the number of its column
  validate_options(options, owner);
  require(options.max_features == 0 || options.min_features <= options.max_features, owner,
          ": min_features = ", options.min_features, ", expected at most max_features = ", options.max_features);
  const std::vector<Rows> inputs = varying_inputs(data);
  const Index most =
      options.max_features == 0 ? std::ssize(inputs) : std::min<Index>(options.max_features, std::ssize(inputs));
  const auto from = [&](Source source) {
    return search(Scorer(data, options, inner, source), inputs, options.min_features, most, run);
  };
  // All subsets are scored alike, and the first that reports nothing comes early.
  std::vector<Entry> steps;
  try {
    steps = from(inner.joint ? Source::held_out : Source::report);
  } catch (const Unreported&) {
    steps = from(Source::held_out);
  }
  const Index count = kept(steps, options);
  const Scored& best = steps[static_cast<std::size_t>(count)].scored;
  if (best.model == nullptr) {
    throw NumericalError(message(owner, ": neither the density without inputs nor any input gives a density"));
  }
  Rows selected;
  Vector ranking = Vector::Zero(data.x.rows());
  for (Index step = 1; step <= count; ++step) {
    const Rows& input = steps[static_cast<std::size_t>(step)].input;
    selected = joined(selected, input);
    ranking(input).setConstant(static_cast<double>(step));
  }
  FitReport report = report_of(*best.model, selected, data);
  if (selected.empty() && most > 0) {
    report.warnings.emplace_back("no input was selected: the distribution is the marginal one, whatever the inputs");
  }
  Document::Array told;
  for (const Entry& step : steps) told.push_back(step_to_document(step.input, step.scored));
  report.details.set("score", finite(best.score));
  report.details.set("score_standard_error", best.standard_error);
  report.details.set("steps", std::move(told));
  return {options, {std::move(ranking)}, {data.x.rows(), std::move(selected), best.model}, std::move(report)};
}

std::vector<EntersInputs::Step> ForwardSelection::steps() const {
  std::vector<EntersInputs::Step> out;
  for (const Document& told : report().details.at("steps").as_array()) {
    EntersInputs::Step& step = out.emplace_back();
    for (const double row : told.at("inputs").as_numbers()) {
      const bool inside = row >= 0 && row < static_cast<double>(n_inputs());
      if (!inside) throw FormatError("ForwardSelection: a step names an input that there is not");
      step.inputs.push_back(static_cast<Index>(row));
    }
    step.score = told.at("score").as_number();
    step.failed = step.score == std::numeric_limits<double>::max();
    step.standard_error = told.at("standard_error").as_number();
  }
  return out;
}

Vector ForwardSelection::scores() const {
  const std::vector<EntersInputs::Step> all = steps();
  Vector out(std::ssize(all));
  std::transform(all.begin(), all.end(), out.begin(), [](const EntersInputs::Step& step) { return step.score; });
  return out;
}

Vector ForwardSelection::feature_importances() const {
  Vector out = Vector::Zero(state_.ranking.size());
  const Vector score = scores();
  for (Index step = 1; step < score.size(); ++step) {
    const auto entered = (state_.ranking.array() == static_cast<double>(step)).cast<double>();
    // An input that had to enter may have raised the score: that is no importance.
    const double fall = std::max(0.0, score[step - 1] - score[step]);
    if (entered.sum() > 0) out.array() += entered * (std::min(fall, 1e300) / entered.sum());
  }
  const double total = out.sum();
  return total > 0 ? Vector(out / total) : out;
}

}  // namespace condens
