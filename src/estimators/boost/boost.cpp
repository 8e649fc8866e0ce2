#include "condens/estimators/boost.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "core/flush_subnormals.hpp"
#include "data/splits.hpp"
#include "ensemble.hpp"
#include "model/preparation.hpp"
#include "model/table_passes.hpp"
#include "models_in_memory.hpp"
#include "models_of_table.hpp"
#include "table_rows.hpp"

namespace condens {

namespace {

using namespace boosting;

constexpr std::string_view owner = Boost::class_name;
constexpr Index rows_of_importance = 2'000;  // at most; the cost grows with the inputs
constexpr Index rows_of_bins = 100'000;      // at most, from which edges follow
constexpr Index most_told = 40;              // candidates of the number of rounds in the report
constexpr double widest = 100;               // scale, in spreads of y
// Streams of random numbers of one seed; those of rounds.hpp are 1 and from 1,000 on.
constexpr std::uint64_t stream_of_rows = 2;
constexpr std::uint64_t stream_of_shuffles = 3;

void check_options(const BoostOptions& options) {
  validate_options(options, owner);
  require(options.n_folds != 1, owner, ": n_folds = 1, expected at least 2, or 0 for one model of all rows");
}

StartingPoint starting_point(const Vector& mean, const Vector& spread, const BoostOptions& options) {
  const Vector log_scale = spread.array().log();
  return {mean, log_scale, log_scale.array() + std::log(options.scale_floor), log_scale.array() + std::log(widest)};
}

/// Bins by all rows, or by those of a sample of places where there are very many.
std::vector<trees::BinnedInput> bins_of(const Dataset& given, const BoostOptions& options, int threads) {
  if (given.size() <= rows_of_bins) return trees::bin_inputs(given, options.max_bins, threads);
  const std::vector<Index> some =
      sample_of_places(given.size(), rows_of_bins, static_cast<std::uint64_t>(options.seed));
  std::vector<trees::BinnedInput> out = trees::find_bins(given.subset(some), options.max_bins, threads);
  trees::code_rows(out, given, threads);
  return out;
}

/// `given` has the units of the user, in which indicators are 0 and 1, `rows` is standardised.
BoostingData prepare(const Dataset& given, const Dataset& rows, const Standardizer& x_scale,
                     const BoostOptions& options, int threads) {
  const Standardizer spread = Standardizer::fit(rows.y, rows.weights);
  // Weights that are shares of the rows count as rows, too.
  BoostingData out{.inputs = bins_of(given, options, threads),
                   .y = rows.y,
                   .weights = rows.weights / std::min(1.0, rows.weights.mean()),
                   .fold = {},
                   .n_models = 1,
                   .start = starting_point(spread.mean(), spread.scale(), options)};
  trees::standardize_edges(out.inputs, x_scale);
  if (options.n_folds == 0 || rows.size() < 2) return out;
  out.fold = preparation::folds_of({static_cast<double>(options.n_folds)}, {.x = rows.x, .y = rows.y}, options.seed);
  out.n_models = *std::max_element(out.fold.begin(), out.fold.end()) + 1;
  return out;
}

BoostState state_of(const std::vector<trees::BinnedInput>& inputs, const StartingPoint& start, Index n_models,
                    const Boosted& boosted, Index n_inputs) {
  BoostState out;
  out.n_rounds = boosted.rounds;
  out.n_models = n_models;
  out.location = start.location;
  out.log_scale = boosted.first_log_scale;
  out.least_scale = start.least_log_scale.array().exp();
  out.greatest_scale = start.greatest_log_scale.array().exp();
  out.weights = boosted.residuals.weights;
  out.means = boosted.residuals.means;
  out.scales = boosted.residuals.scales;
  write_trees(inputs, boosted, n_inputs, out);
  return out;
}

trees::SavedTrees saved_trees(const BoostState& state, const Standardizer& x_scale) {
  return {owner, {state.groups, state.positions, state.nodes, state.roots}, state.steps.cols(), x_scale};
}

/// Some rows, standardised, with the model that has not seen each.
struct SomeRows {
  Dataset rows;
  std::vector<Index> model;
};

SomeRows rows_of_importances(const Dataset& rows, const std::vector<Index>& fold, Index seed) {
  const auto number = static_cast<std::uint64_t>(seed);
  const std::vector<Index> some =
      rows.size() > most_rows_at_once
          ? sample_of_places(rows.size(), rows_of_importance, number)
          : random_rows(rows.size(), rows_of_importance, RandomStream(number, stream_of_rows));
  SomeRows out{rows.subset(some), {}};
  for (const Index i : some) out.model.push_back(fold.empty() ? 0 : fold[static_cast<std::size_t>(i)]);
  return out;
}

/// What the likelihood of rows left out loses when an input is shuffled among them.
Vector importances(const std::vector<trees::BinnedInput>& inputs, const SomeRows& some, const BoostState& state,
                   const Standardizer& x_scale, const BoostOptions& options, Task& task) {
  const Dataset& rows = some.rows;
  const Index n = rows.size();
  Vector out = Vector::Zero(rows.x.rows());
  if (n < 2) return out;
  const trees::SavedTrees trees = saved_trees(state, x_scale);
  const Index per_model = trees.size() / state.n_models;
  std::vector<std::vector<Index>> places(static_cast<std::size_t>(state.n_models));  // of the rows, by model
  for (Index i = 0; i < n; ++i) {
    places[static_cast<std::size_t>(some.model[static_cast<std::size_t>(i)])].push_back(i);
  }
  const auto likelihood = [&](const std::vector<Index>& shuffled, const std::vector<Index>& order) {
    Matrix x = rows.x;
    for (const Index row : shuffled) {
      for (Index k = 0; k < n; ++k) x(row, k) = rows.x(row, order[static_cast<std::size_t>(k)]);
    }
    double sum = 0;
    for (std::size_t m = 0; m < places.size(); ++m) {
      const auto begin = static_cast<Index>(m) * per_model;
      const Moments at = moments(state, trees, {begin, begin + per_model}, 1, Matrix(x(Eigen::all, places[m])));
      sum += log_densities(state, at, Matrix(rows.y(Eigen::all, places[m]))).dot(Vector(rows.weights(places[m])));
    }
    return sum / rows.weights.sum();
  };
  const double whole = likelihood({}, {});
  RandomStream random(static_cast<std::uint64_t>(options.seed), stream_of_shuffles);
  std::vector<std::vector<Index>> orders;
  for (std::size_t g = 0; g < inputs.size(); ++g) orders.push_back(random.permutation(n));
  parallel_for(
      std::ssize(inputs), task.threads(),
      [&](Index g) {
        const trees::BinnedInput& input = inputs[static_cast<std::size_t>(g)];
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
Vector sums_left_out(const BoostState& state, const Moments& at, const BoostingData& data) {
  return sums_of_losses(data.weights, -log_densities(state, at, data.y));
}

void tell_score(const Vector& sums, FitReport& report) {
  const Checkpoint own = Checkpoint::of(0, sums);
  report.details.set("score", own.score).set("score_standard_error", own.standard_error);
}

void tell_rounds(const Boosted& boosted, const BoostOptions& options, FitReport& report) {
  tell_checkpoints(boosted, report);
  if (boosted.rounds == options.n_rounds) {
    report.warnings.push_back(message("the score of rows left out still falls after n_rounds = ", options.n_rounds,
                                      " rounds; more may be better"));
  }
}

/// Of the last level but one every other node is summed, of every model.
void check_sums(const TableSetup& setup, const BoostOptions& options) {
  double bins = 0;
  for (const trees::BinnedInput& input : setup.inputs) bins += static_cast<double>(input.n_codes);
  const double nodes = std::ldexp(1.0, static_cast<int>(std::max<Index>(options.max_depth, 2)) - 2);
  const double numbers = 4 * bins * nodes * static_cast<double>(setup.folds);
  require(numbers <= most_sums, owner, ": the sums of a level are ", numbers, " numbers, ", bins, " bins times ", nodes,
          " nodes and ", setup.folds, " models, expected at most ", most_sums,
          " where rows are elsewhere; a smaller max_bins, max_depth or n_folds makes them fewer");
}

void warn_of_narrow(const BoostOptions& options, FitReport& report) {
  if (options.likelihood != BoostLikelihood::mixture) return;
  report.warnings.emplace_back(
      "n_folds = 0: the distribution of what is left is that of rows of the fit, which is narrower than that of "
      "others; with n_folds of at least 2 it is that of rows left out");
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
  // Copies of a row in one place: a model sees all of them or none. Of many rows everything random follows from their
  // places, as in a table that is elsewhere.
  const bool many = start.rows().size() > most_rows_at_once;
  const Dataset given = many ? start.rows() : preparation::merge_copies(start.rows());
  const Dataset rows{.x = x_scale.transform(given.x),
                     .y = y_scale.transform(given.y),
                     .weights = many ? start.standardized().data.weights : given.weights,
                     .groups = given.groups};
  FitReport report = start.report();

  Task task(run, "boosting", static_cast<double>(options.n_rounds));
  const BoostingData own = prepare(given, rows, x_scale, options, task.threads());
  ModelsInMemory models(own, options, task);
  const Boosted boosted = boost(models, own.start.log_scale, !own.fold.empty(), options, task);
  BoostState state = state_of(own.inputs, own.start, own.n_models, boosted, rows.x.rows());
  state.defensive = Defensive::fit(options.defensive_weight, rows);
  state.feature_importances =
      importances(own.inputs, rows_of_importances(rows, own.fold, options.seed), state, x_scale, options, task);

  report.details.set("n_rows", start.rows().size()).set("n_rounds", state.n_rounds);
  if (own.fold.empty()) {
    warn_of_narrow(options, report);
  } else {
    tell_rounds(boosted, options, report);
    tell_score(sums_left_out(state, {models.location(), models.log_scale()}, own), report);
  }
  return {options, std::move(state), x_scale, y_scale, std::move(report)};
}

Boost Boost::fit(RowSums& table, const BoostOptions& options, const Run& run) {
  check_options(options);
  require(options.likelihood == BoostLikelihood::mixture, owner,
          ": likelihood = normal needs all rows in memory, expected mixture where they are elsewhere");
  const FlushSubnormals guard;
  const table_passes::Extent extent = table_passes::extent_of(table);
  FitReport report;
  const table_passes::Scale scale = table_passes::Scale::of(table, extent, owner, options.standardize, report);
  const Defensive broad = scale.defensive(options.defensive_weight);  // twice as broad as y
  const double weight = extent.weight_factor() * extent.weight;
  Task task(run, "boosting", static_cast<double>(options.n_rounds));
  const Dataset some = table_passes::sample_of(table, rows_of_bins, options.seed).rows;
  TableSetup setup{.scale = scale,
                   .inputs = trees::find_bins(some, options.max_bins, task.threads()),
                   .folds = std::max<Index>(1, std::min(options.n_folds, extent.rows)),
                   .seed = options.seed,
                   .weight_unit = std::min(1.0, weight / static_cast<double>(extent.rows)),
                   .start = starting_point(broad.mean, broad.scale / 2, options)};
  check_sums(setup, options);
  ModelsOfTable models(table, setup, options, extent.rows, task);
  const bool folds = setup.folds > 1;
  const Boosted boosted = boost(models, setup.start.log_scale, folds, options, task);

  const Index d_x = table.n_inputs();
  std::vector<trees::BinnedInput> inputs = setup.inputs;
  trees::standardize_edges(inputs, scale.x());
  BoostState state = state_of(inputs, setup.start, setup.folds, boosted, d_x);
  state.defensive = broad;
  const table_passes::Sample shuffled = table_passes::sample_of(table, rows_of_importance, options.seed);
  SomeRows rows{scale.standardized(shuffled.rows), std::vector<Index>(shuffled.places.size(), 0)};
  if (folds) rows.model = folds_at_places(shuffled.places, setup.folds, static_cast<std::uint64_t>(options.seed));
  state.feature_importances = importances(inputs, rows, state, scale.x(), options, task);

  report.details.set("n_rows", extent.rows).set("n_rounds", state.n_rounds);
  const Vector losses = models.score(boosted.residuals, broad);
  if (folds) {
    tell_rounds(boosted, options, report);
    tell_score(losses, report);
  } else {
    warn_of_narrow(options, report);
  }
  return {options, std::move(state), scale.x(), scale.y(), std::move(report)};
}

Document Boost::accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run) {
  return boosting::accumulate(pass, block, first_row, resolve_threads(run.threads));
}

}  // namespace condens
