#include "condens/estimators/boost.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "data/splits.hpp"
#include "ensemble.hpp"
#include "model/preparation.hpp"
#include "rounds.hpp"

namespace condens {

namespace {

using namespace boosting;

constexpr std::string_view owner = Boost::class_name;
constexpr Index rows_of_importance = 2'000;  // at most; the cost grows with the inputs
constexpr Index most_told = 40;              // candidates of the number of rounds in the report
constexpr double widest = 100;               // scale, in spreads of y
// Streams of random numbers of one seed; those of rounds.cpp are 1 and from 1,000 on.
constexpr std::uint64_t stream_of_rows = 2;
constexpr std::uint64_t stream_of_shuffles = 3;

void check_options(const BoostOptions& options) {
  validate_options(options, owner);
  require(options.n_folds != 1, owner, ": n_folds = 1, expected at least 2, or 0 for one model of all rows");
}

/// `given` has the units of the user, in which indicators are 0 and 1, `rows` is standardised.
BoostingData prepare(const Dataset& given, const Dataset& rows, const Standardizer& x_scale,
                     const BoostOptions& options, int threads) {
  // Weights that are shares of the rows count as rows, too.
  BoostingData out{.inputs = trees::bin_inputs(given, options.max_bins, threads),
                   .y = rows.y,
                   .weights = rows.weights / std::min(1.0, rows.weights.mean()),
                   .fold = {},
                   .n_models = 1,
                   .location = {},
                   .log_scale = {},
                   .least_log_scale = {},
                   .greatest_log_scale = {}};
  trees::standardize_edges(out.inputs, x_scale);
  const Standardizer spread = Standardizer::fit(rows.y, rows.weights);
  out.location = spread.mean();
  out.log_scale = spread.scale().array().log();
  out.least_log_scale = out.log_scale.array() + std::log(options.scale_floor);
  out.greatest_log_scale = out.log_scale.array() + std::log(widest);
  if (options.n_folds == 0 || rows.size() < 2) return out;
  out.fold = preparation::folds_of({static_cast<double>(options.n_folds)}, {.x = rows.x, .y = rows.y}, options.seed);
  out.n_models = *std::max_element(out.fold.begin(), out.fold.end()) + 1;
  return out;
}

BoostState state_of(const BoostingData& data, const Boosted& boosted, Index n_inputs) {
  BoostState out;
  out.n_rounds = boosted.rounds;
  out.n_models = data.n_models;
  out.location = data.location;
  out.log_scale = boosted.first_log_scale;
  out.least_scale = data.least_log_scale.array().exp();
  out.greatest_scale = data.greatest_log_scale.array().exp();
  out.weights = boosted.residuals.weights;
  out.means = boosted.residuals.means;
  out.scales = boosted.residuals.scales;
  write_trees(data, boosted, n_inputs, out);
  return out;
}

/// What the likelihood of rows left out loses when an input is shuffled among them.
Vector importances(const BoostingData& data, const Dataset& rows, const BoostState& state,
                   const trees::SavedTrees& trees, const BoostOptions& options, Task& task) {
  const std::vector<Index> some = random_rows(rows.size(), rows_of_importance,
                                              RandomStream(static_cast<std::uint64_t>(options.seed), stream_of_rows));
  const Index n = std::ssize(some);
  Vector out = Vector::Zero(rows.x.rows());
  if (n < 2) return out;
  const Index per_model = trees.size() / data.n_models;
  std::vector<std::vector<Index>> places(static_cast<std::size_t>(data.n_models));  // among `some`, by model
  for (Index k = 0; k < n; ++k) {
    const Index model = data.fold.empty() ? 0 : data.fold[static_cast<std::size_t>(some[static_cast<std::size_t>(k)])];
    places[static_cast<std::size_t>(model)].push_back(k);
  }
  const Vector weights = rows.weights(some);
  const auto likelihood = [&](const std::vector<Index>& shuffled, const std::vector<Index>& order) {
    Matrix x = rows.x(Eigen::all, some);
    for (const Index row : shuffled) {
      for (Index k = 0; k < n; ++k)
        x(row, k) = rows.x(row, some[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])]);
    }
    double sum = 0;
    for (std::size_t m = 0; m < places.size(); ++m) {
      std::vector<Index> own;
      for (const Index k : places[m]) own.push_back(some[static_cast<std::size_t>(k)]);
      const auto begin = static_cast<Index>(m) * per_model;
      const Moments at = moments(state, trees, {begin, begin + per_model}, 1, Matrix(x(Eigen::all, places[m])));
      sum += log_densities(state, at, Matrix(rows.y(Eigen::all, own))).dot(Vector(weights(places[m])));
    }
    return sum / weights.sum();
  };
  const double whole = likelihood({}, {});
  RandomStream random(static_cast<std::uint64_t>(options.seed), stream_of_shuffles);
  std::vector<std::vector<Index>> orders;
  for (std::size_t g = 0; g < data.inputs.size(); ++g) orders.push_back(random.permutation(n));
  parallel_for(
      std::ssize(data.inputs), task.threads(),
      [&](Index g) {
        const trees::BinnedInput& input = data.inputs[static_cast<std::size_t>(g)];
        if (input.n_codes < 2) return;
        const double loss = whole - likelihood(input.rows, orders[static_cast<std::size_t>(g)]);
        for (const Index row : input.rows) out[row] = std::max(0.0, loss) / static_cast<double>(input.rows.size());
      },
      [&] { task.poll(); });
  if (out.sum() > 0) out /= out.sum();
  return out;
}

/// The path of the score over rounds, thinned out, as a table of candidates; the best one is in it.
void tell_checkpoints(const Boosted& boosted, FitReport& report) {
  const Index count = std::ssize(boosted.checkpoints);
  const Index every = block_count(count, most_told);
  std::vector<Checkpoint> told;
  for (Index k = 0; k < count; ++k) {
    const Checkpoint& own = boosted.checkpoints[static_cast<std::size_t>(k)];
    if (k % every == every - 1 || own.rounds == boosted.rounds) told.push_back(own);
  }
  const auto column = [&](auto Checkpoint::*number) {
    return preparation::column(told, [&](const Checkpoint& own) { return static_cast<double>(own.*number); });
  };
  report.details.set("candidates", Document::Object{{"n_rounds", column(&Checkpoint::rounds)},
                                                    {"score", column(&Checkpoint::score)},
                                                    {"standard_error", column(&Checkpoint::standard_error)}});
}

/// Of the rows left out, each by the model that has not seen it.
void tell_score(const BoostingData& data, const Dataset& rows, const Boosted& boosted, const BoostState& state,
                FitReport& report) {
  const Moments at{rows.y - boosted.left_over.cwiseProduct(boosted.log_scale.array().exp().matrix()),
                   boosted.log_scale};
  const Vector loss = -log_densities(state, at, rows.y);
  const double total = data.weights.sum();
  const double mean = data.weights.dot(loss) / total;
  const double error = std::sqrt(data.weights.cwiseAbs2().dot((loss.array() - mean).square().matrix())) / total;
  if (!std::isfinite(mean) || !std::isfinite(error)) return;
  report.details.set("score", mean).set("score_standard_error", error);
}

}  // namespace

BoostOptions BoostOptions::paper() {
  return {.likelihood = BoostLikelihood::normal,
          .n_rounds = 500,
          .learning_rate = 0.01,
          .n_folds = 0,
          .max_depth = 3,
          .min_samples_leaf = 1,
          .l2 = 0,
          .n_components = 1,
          .defensive_weight = 0};
}

Boost::Boost(BoostOptions options, BoostState state, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : FittedModel(options, std::move(state), std::move(x_scale), std::move(y_scale), std::move(report)),
      trees_(std::make_shared<const trees::SavedTrees>(
          class_name, trees::Parts{state_.groups, state_.positions, state_.nodes, state_.roots}, state_.steps.cols(),
          this->x_scale())) {
  if (state_.steps.rows() != 2) trees::refuse_file(class_name, "steps have not two parts");
  for (const double target : state_.targets) trees::whole_part(class_name, target, 0, n_targets(), "a target");
  for (Index t = 0; t < n_targets(); ++t) {
    if (!(state_.least_scale[t] <= state_.greatest_scale[t])) {
      trees::refuse_file(class_name, "the least scale is above the greatest");
    }
  }
  if (!(state_.weights.array() > 0).all() || std::abs(state_.weights.sum() - 1) > 1e-9) {
    trees::refuse_file(class_name, "weights are not positive with a sum of 1");
  }
}

GaussianMixtures Boost::laws(const MatrixView& x) const {
  return mixtures(state_, moments(state_, *trees_, {0, trees_->size()}, state_.n_models, x));
}

Boost Boost::fit(const Dataset& data, const BoostOptions& options, const Run& run) {
  check_options(options);
  const preparation::Start start(owner, data, options.standardize);
  const Standardizer& x_scale = start.standardized().x;
  const Standardizer& y_scale = start.standardized().y;
  // Copies of a row in one place: a model sees all of them or none.
  const Dataset given = preparation::merge_copies(start.rows());
  const Dataset rows{.x = x_scale.transform(given.x),
                     .y = y_scale.transform(given.y),
                     .weights = given.weights,
                     .groups = given.groups};
  FitReport report = start.report();

  Task task(run, "boosting", static_cast<double>(options.n_rounds));
  const BoostingData own = prepare(given, rows, x_scale, options, task.threads());
  const Boosted boosted = boost(own, options, task);
  BoostState state = state_of(own, boosted, rows.x.rows());
  state.defensive = Defensive::fit(options.defensive_weight, rows);
  const trees::SavedTrees saved(owner, {state.groups, state.positions, state.nodes, state.roots}, state.steps.cols(),
                                x_scale);
  state.feature_importances = importances(own, rows, state, saved, options, task);

  report.details.set("n_rows", start.rows().size()).set("n_rounds", state.n_rounds);
  if (!own.fold.empty()) {
    tell_checkpoints(boosted, report);
    tell_score(own, rows, boosted, state, report);
    if (state.n_rounds == options.n_rounds) {
      report.warnings.push_back(message("the score of rows left out still falls after n_rounds = ", options.n_rounds,
                                        " rounds; more may be better"));
    }
  } else if (options.likelihood == BoostLikelihood::mixture) {
    report.warnings.emplace_back(
        "n_folds = 0: the distribution of what is left is that of rows of the fit, which is narrower than that of "
        "others; with n_folds of at least 2 it is that of rows left out");
  }
  return {options, std::move(state), x_scale, y_scale, std::move(report)};
}

}  // namespace condens
