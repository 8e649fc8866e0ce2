#include "condens/estimators/mixture_density_network.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/data/folds.hpp"
#include "core/flush_subnormals.hpp"
#include "ensemble.hpp"
#include "input_scores.hpp"
#include "model/preparation.hpp"
#include "model/rounded_rows.hpp"
#include "model/rows_here.hpp"
#include "table_training.hpp"

namespace condens {

using mdn::Candidate;
using mdn::Ensemble;
using mdn::HeldOutFolds;
using mdn::InputRange;
using mdn::InputScores;
using mdn::Member;
using mdn::NetworkSums;
using preparation::Standardized;

namespace {

constexpr std::string_view owner = Mdn::class_name;

/// Elsewhere a list of numbers is a layer each; here it is a choice.
void check_units(std::vector<double> units) {
  std::sort(units.begin(), units.end());
  const auto twice = std::adjacent_find(units.begin(), units.end());
  if (twice == units.end()) return;
  throw std::invalid_argument(message(owner, ": units has ", *twice, " twice, expected candidates that differ, of ",
                                      "which one is chosen; several layers of ", *twice, " units are units = ", *twice,
                                      " with the option layers"));
}

void check_options(const MdnOptions& options) {
  validate_options(options, owner);
  require(options.sample_rows != 1, owner, ": sample_rows = 1, expected 0, or at least 2 rows");
  check_units(options.units);
}

constexpr Index rows_of_wide = 10;  // times adam_rows

/// With a size of the networks, and what restrains them, where none are given.
MdnOptions sized(MdnOptions options, Index rows) {
  const bool many = rows > options.adam_rows;
  const double share = many ? static_cast<double>(options.adam_rows) / static_cast<double>(rows) : 1.0;
  if (options.n_components.empty()) options.n_components = {many ? 5.0 : 3.0};
  const bool very_many = rows > rows_of_wide * options.adam_rows;
  if (options.units.empty()) options.units = {very_many ? 128.0 : many ? 64.0 : 15.0};
  if (options.regularization.empty()) options.regularization = {0.01 * share};
  if (options.layers == 0) options.layers = many ? 3 : 2;
  if (options.input_scores == MdnScores::automatic) options.input_scores = many ? MdnScores::normal : MdnScores::none;
  if (options.scale_floor == 0) options.scale_floor = std::max(0.003, 0.03 * std::sqrt(share));
  return options;
}

/// Multiples of 2^-30. Training follows a difference in the last digit to another minimum of the loss: after this, data
/// in other units train as they did in the first.
Matrix on_grid(const MatrixView& standardized) {
  constexpr double step = 0x1.0p-30;
  return (standardized / step).array().round() * step;
}

Dataset rows_of_training(const Dataset& rows, bool standardized) {
  Dataset out = rows;
  if (!standardized) return out;
  out.x = on_grid(rows.x);
  out.y = on_grid(rows.y);
  return out;
}

/// `spread` of y in all rows, of which `rows` may be a sample.
Ensemble plan(const MdnOptions& options, const Dataset& rows, const Vector& spread) {
  Ensemble out{.training = {},
               .n_members = options.n_members,
               .n_starts = options.n_starts,
               .validation_fraction = options.validation_fraction,
               .seed = static_cast<std::uint64_t>(options.seed)};
  out.training.shape = {.n_inputs = rows.x.rows(),
                        .n_targets = rows.y.rows(),
                        .hidden = static_cast<Index>(options.units.front()),
                        .layers = options.layers,
                        .n_components = static_cast<Index>(options.n_components.front()),
                        .skip = options.skip,
                        .isotropic = options.covariance == MdnCovariance::spherical,
                        .residual = options.residual,
                        .scale_floor = options.scale_floor * spread.minCoeff(),
                        .most_scale = 1e3 * spread.maxCoeff()};
  out.training.decay = options.regularization.front();
  out.training.adam = options.optimizer == MdnOptimizer::adam ||
                      (options.optimizer == MdnOptimizer::automatic && rows.size() > options.adam_rows);
  out.training.max_iterations = out.training.adam ? options.adam_passes : options.max_iterations;
  out.training.patience = options.patience;
  out.training.batch_size = std::min(options.batch_size, rows.size());
  out.training.learning_rate = options.learning_rate;
  return out;
}

/// Refuses what would not fit in memory: all networks of the largest candidate.
void check_size(const MdnOptions& options, mdn::Shape shape) {
  constexpr double most = 0x1p27;  // numbers: a gigabyte
  shape.hidden = static_cast<Index>(*std::max_element(options.units.begin(), options.units.end()));
  shape.n_components = static_cast<Index>(*std::max_element(options.n_components.begin(), options.n_components.end()));
  const double numbers = static_cast<double>(shape.n_parameters()) * static_cast<double>(options.n_members);
  require(numbers <= most, owner, ": the networks have ", numbers, " numbers together, expected at most ", most,
          "; give fewer of units, layers, n_components or n_members");
}

std::vector<Candidate> candidates_of(const MdnOptions& options) {
  std::vector<Candidate> out;
  for (const double t : options.n_components) {
    for (const double units : options.units) {
      for (const double decay : options.regularization) out.push_back({t, units, decay});
    }
  }
  return out;
}

void report_candidates(const std::vector<Candidate>& all, const Candidate& best, const MdnOptions& options,
                       FitReport& report) {
  preparation::Columns<Candidate> columns;
  if (options.n_components.size() > 1) columns.emplace_back("n_components", &Candidate::n_components);
  if (options.units.size() > 1) columns.emplace_back("units", &Candidate::units);
  if (options.regularization.size() > 1) columns.emplace_back("regularization", &Candidate::regularization);
  preparation::report_candidates(all, columns, report);
  preparation::warn_at_edge(options.regularization, best.regularization, "regularization", report);
}

/// The best candidate becomes the ensemble's; `given` has the rows that the option `cv` speaks of.
void choose(Ensemble& ensemble, const MdnOptions& options, const Dataset& rows, const Dataset& given,
            const Defensive& defensive, const Run& run, FitReport& report) {
  std::vector<Candidate> candidates = candidates_of(options);
  if (candidates.size() == 1) return;
  const std::vector<double> cv = preparation::at_most_rows(options.cv, rows.size());
  const std::vector<Index> fold = preparation::folds_of(cv, given, options.seed);
  mdn::score_candidates(candidates, ensemble, rows, fold, defensive, run);
  const Candidate& best = *std::min_element(candidates.begin(), candidates.end(),
                                            [](const auto& a, const auto& b) { return a.score < b.score; });
  ensemble.training.shape.n_components = static_cast<Index>(best.n_components);
  ensemble.training.shape.hidden = static_cast<Index>(best.units);
  ensemble.training.decay = best.regularization;
  report_candidates(candidates, best, options, report);
}

/// The share of the rows that components on the floor of their standard deviation account for, the mean over networks.
double share_on_floor(const mdn::Shape& shape, const Dataset& rows, const Matrix& parameters) {
  const mdn::Block block{rows.x.transpose(), rows.y.transpose(), rows.weights};
  mdn::Workspace work(shape, rows.size());
  double out = 0;
  for (Index m = 0; m < parameters.cols(); ++m) {
    Vector losses;
    mdn::loss(shape, block, parameters.col(m), work, &losses);
    const double constant = 0.5 * static_cast<double>(shape.n_targets) * std::log(2 * std::numbers::pi);
    for (Index c = 0; c < shape.n_components; ++c) {
      const Vector share = (work.log_joint.col(c) + losses).array() - constant;
      for (Index i = 0; i < rows.size(); ++i) {
        double least = work.outputs(i, shape.scale_output(c, 0));
        for (Index k = 1; k < shape.n_targets; ++k) least = std::min(least, work.outputs(i, shape.scale_output(c, k)));
        if (least < 1.05 * shape.scale_floor) out += rows.weights[i] * std::exp(share[i]);
      }
    }
  }
  return out / (rows.weights.sum() * static_cast<double>(parameters.cols()));
}

void report_floor(double share, double floor, FitReport& report) {
  report.details.set("share_on_scale_floor", share);
  if (share <= 0.01) return;
  report.warnings.push_back(message("components on the floor of their standard deviation, ", floor,
                                    " of the spread of y (scale_floor), account for ", std::round(1000 * share) / 10,
                                    " % of the rows: y is tied, rounded or nearly a function of x there"));
}

void report_members(const std::vector<Member>& members, const Ensemble& ensemble, const Dataset& rows,
                    FitReport& report) {
  const auto columns = [&](Vector Member::*losses) {
    Matrix out((members.front().*losses).size(), std::ssize(members));
    for (Index m = 0; m < out.cols(); ++m) out.col(m) = members[static_cast<std::size_t>(m)].*losses;
    return out;
  };
  Vector iterations(std::ssize(members));
  Index unfinished = 0;
  for (Index m = 0; m < iterations.size(); ++m) {
    iterations[m] = static_cast<double>(members[static_cast<std::size_t>(m)].best.iterations);
    if (!members[static_cast<std::size_t>(m)].best.finished) ++unfinished;
  }
  const Index n_parameters = ensemble.training.shape.n_parameters();
  report.details.set("optimizer", ensemble.training.adam ? "adam" : "lbfgs");
  report.details.set("n_validation_rows", mdn::n_validation_rows(ensemble.validation_fraction, rows.size()));
  report.details.set("iterations", iterations);
  report.details.set("train_nll_of_starts", columns(&Member::train_losses));
  if (members.front().validation_losses.size() > 0) {
    report.details.set("validation_nll_of_starts", columns(&Member::validation_losses));
  }
  if (unfinished > 0) report.status = "iteration limit";
  const bool held_back = ensemble.validation_fraction > 0 || ensemble.training.decay > 0;
  if (rows.size() < n_parameters && !held_back) {
    report.warnings.push_back(message("every network learned ", n_parameters, " numbers from ", rows.size(),
                                      " different rows, without validation rows or decay to hold it back; fewer "
                                      "hidden units, layers or components may do better"));
  }
}

/// The best start of every member, side by side.
struct Networks {
  Matrix parameters;      // parameters x members
  Vector train_nll;       // members
  Vector validation_nll;  // members; empty without validation rows
};

Networks best_of(const std::vector<Member>& members) {
  const Index count = std::ssize(members);
  const bool validated = members.front().validation_losses.size() > 0;
  Networks out{Matrix(members.front().best.parameters.size(), count), Vector(count), Vector(validated ? count : 0)};
  for (Index m = 0; m < count; ++m) {
    const mdn::Trained& best = members[static_cast<std::size_t>(m)].best;
    out.parameters.col(m) = best.parameters;
    out.train_nll[m] = best.train_loss;
    if (validated) out.validation_nll[m] = best.held_out_loss;
  }
  return out;
}

}  // namespace

MdnOptions MdnOptions::paper() {
  return {.n_components = {3},
          .units = {5, 10, 20},
          .regularization = {0},
          .layers = 1,
          .skip = false,
          .input_scores = MdnScores::none,
          .covariance = MdnCovariance::spherical,
          .n_members = 1,
          .validation_fraction = 0,
          .optimizer = MdnOptimizer::lbfgs,
          .scale_floor = 0.03,
          .defensive_weight = 0};
}

namespace {

void check_scores(const MdnState& state, Index n_inputs) {
  const Index count = state.score_inputs.size();
  bool fine = state.score_knots.cols() == count && state.score_values.cols() == count &&
              state.score_values.rows() == state.score_knots.rows() && (count == 0 || state.score_knots.rows() > 0);
  for (const double input : state.score_inputs)
    fine = fine && input >= 0 && input < static_cast<double>(n_inputs) && input == std::floor(input);
  if (!fine) throw FormatError(message(Mdn::class_name, ": the scores are not those of its inputs"));
}

mdn::Shape shape_of(const MdnOptions& options, const MdnState& state, Index n_inputs, Index n_targets) {
  mdn::Shape out{.n_inputs = n_inputs + state.score_inputs.size(),
                 .n_targets = n_targets,
                 .hidden = state.units,
                 .layers = options.layers,
                 .n_components = state.n_components,
                 .skip = options.skip,
                 .isotropic = options.covariance == MdnCovariance::spherical,
                 .residual = options.residual,
                 .scale_floor = state.scale_floor,
                 .most_scale = state.most_scale};
  check_scores(state, n_inputs);
  constexpr Index most = 10000;  // as in the options: no product of these overflows
  const bool sizes = out.hidden <= most && out.n_components <= most && n_targets >= 1;
  if (sizes && options.layers == 0) {  // it followed from the rows, and shows in the number of parameters
    for (out.layers = 1; out.layers < 10 && state.parameters.rows() > out.n_parameters();) ++out.layers;
  }
  if (!sizes || state.parameters.rows() != out.n_parameters()) {
    throw FormatError(message(Mdn::class_name, ": the parameters are not those of its networks"));
  }
  return out;
}

}  // namespace

Mdn::Mdn(MdnOptions options, MdnState state, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : FittedModel(std::move(options), std::move(state), std::move(x_scale), std::move(y_scale), std::move(report)),
      shape_(shape_of(options_, state_, n_inputs(), n_targets())) {}

GaussianMixtures Mdn::laws(const MatrixView& x) const {
  const Index n = x.cols();
  const Index t = shape_.n_components;
  const Index own = t * n_members();
  const Index m = own + (state_.defensive.weight > 0 ? 1 : 0);
  Matrix means(n_targets(), m * n);
  Matrix scales(n_targets(), m * n);
  Matrix log_weights(m, n);
  const Matrix near = InputRange{state_.x_low, state_.x_high}.clip(x);
  const InputScores scores{state_.score_inputs, state_.score_knots, state_.score_values};
  const Matrix inputs = scores.append(near).transpose();
  mdn::Workspace work(shape_, n);
  const double log_share = std::log1p(-state_.defensive.weight) - std::log(static_cast<double>(n_members()));
  for (Index member = 0; member < n_members(); ++member) {
    const auto outputs = mdn::mixture(shape_, inputs, state_.parameters.col(member), work);
    for (Index c = 0; c < t; ++c) {
      const Index l = member * t + c;
      for (Index i = 0; i < n; ++i) {
        log_weights(l, i) = outputs(i, c) + log_share;
        for (Index k = 0; k < n_targets(); ++k) {
          means(k, i * m + l) = outputs(i, shape_.mean_output(c, k));
          scales(k, i * m + l) = outputs(i, shape_.scale_output(c, k));
        }
      }
    }
  }
  for (Index i = 0; m > own && i < n; ++i) {
    log_weights(own, i) = std::log(state_.defensive.weight);
    means.col(i * m + own) = state_.defensive.mean;
    scales.col(i * m + own) = state_.defensive.scale;
  }
  return GaussianMixtures::separate(std::move(means), std::move(scales), std::move(log_weights));
}

namespace {

constexpr Index rows_of_sample = 500'000;  // of rows that are elsewhere

/// A table of which networks see a sample first.
struct SampledTable {
  RowSums& rows;
  const table_passes::Scale& scale;
  HeldOutFolds held_out;
  std::vector<Index> places;  ///< of the sample

  NetworkSums total(const mdn::Shape& shape, const InputScores& scores, const Matrix& parameters) const {
    Document pass = mdn::network_pass(scale, scores, shape, held_out);
    pass.set("parameters", parameters);
    return NetworkSums::from_state(rows.total(pass), shape, parameters.cols());
  }
};

void check_one_number(const std::vector<double>& cv) {
  require(cv.size() == 1, owner, ": cv has ", cv.size(), " numbers, expected a number of folds, of a sample of rows");
}

}  // namespace

/// A fit once the scale is known.
struct Mdn::Fitting {
  const MdnOptions& options;  ///< as given
  MdnOptions full;            ///< with what follows from the number of rows
  const Run& run;
  Standardizer x;
  Standardizer y;
  InputRange range;
  Defensive defensive;
  FitReport report;

  /// On rows that are standardised and rounded: all of them, or a sample of a table. `given` has the rows that the
  /// option cv speaks of.
  Mdn train(Dataset rows, const Dataset& given, const SampledTable* table) {
    InputScores scores;
    if (full.input_scores == MdnScores::normal) scores = InputScores::fit(rows.x, rows.weights);
    rows = mdn::with_scores(rows, scores);
    Ensemble ensemble = plan(full, rows, defensive.scale / 2);
    check_size(full, ensemble.training.shape);
    choose(ensemble, full, rows, given, defensive, run, report);
    if (table != nullptr) hold_out(*table, ensemble);
    const std::vector<Member> members = mdn::train_ensemble(ensemble, rows, run);
    report_members(members, ensemble, rows, report);
    Networks networks = best_of(members);
    if (table != nullptr) {
      report.details.set("n_rows_sampled", static_cast<Index>(std::ssize(table->places)));
      if (full.table_steps > 0) networks = trained_on(*table, ensemble, scores, networks.parameters);
    }
    const mdn::Shape& shape = ensemble.training.shape;
    report_floor(share_on_floor(shape, rows, networks.parameters), full.scale_floor, report);
    return {options,
            {.n_components = shape.n_components,
             .units = shape.hidden,
             .regularization = ensemble.training.decay,
             .scale_floor = shape.scale_floor,
             .most_scale = shape.most_scale,
             .x_low = range.low,
             .x_high = range.high,
             .score_inputs = std::move(scores.inputs),
             .score_knots = std::move(scores.knots),
             .score_values = std::move(scores.values),
             .parameters = std::move(networks.parameters),
             .train_nll = std::move(networks.train_nll),
             .validation_nll = std::move(networks.validation_nll),
             .defensive = defensive},
            x,
            y,
            std::move(report)};
  }

 private:
  /// The same rows in the sample as in the table; none where the sample has too few in a fold, or in the others.
  static void hold_out(const SampledTable& table, Ensemble& ensemble) {
    constexpr Index fewest = 3;
    ensemble.folds = table.held_out.count;
    ensemble.fold = table.held_out.at(table.places);
    for (Index k = 0; k < std::min(ensemble.folds, ensemble.n_members); ++k) {
      const auto held_out = static_cast<Index>(std::count(ensemble.fold.begin(), ensemble.fold.end(), k));
      if (held_out >= fewest && std::ssize(ensemble.fold) - held_out >= fewest) continue;
      ensemble.fold.clear();
      ensemble.validation_fraction = 0;
      return;
    }
  }

  Networks trained_on(const SampledTable& table, const Ensemble& ensemble, const InputScores& scores,
                      const Matrix& start) {
    Task task(run, "training networks on all rows", static_cast<double>(full.table_steps));
    const auto total = [&](const Matrix& parameters) {
      NetworkSums sums = table.total(ensemble.training.shape, scores, parameters);
      task.advance(1);
      return sums;
    };
    mdn::TableTrained found =
        mdn::train_on_table(ensemble.training, start, full.table_steps, total, [&] { task.poll(); });
    report.details.set("table_steps", found.steps);
    if (found.held_out_losses.size() > 0) {
      report.details.set("validation_nll_of_table_steps", std::move(found.held_out_losses));
    }
    return {std::move(found.parameters), std::move(found.train_loss), std::move(found.held_out_loss)};
  }
};

Mdn Mdn::fit(const Dataset& data, const MdnOptions& options, const Run& run) {
  data.check(owner);
  check_options(options);
  const FlushSubnormals guard;
  FitReport report;
  Dataset storage;
  const Dataset& present = rows_that_count(data, storage);
  if (options.sample_rows > 0 && options.sample_rows < present.size()) {
    preparation::warn_of_lost_weights(data, report);
    RowsHere table(present, &Mdn::accumulate, run);
    return fit_table(table, options, run, std::move(report));
  }
  // Copies of a row in one place: they neither train nor are held out apart. Folds that are given name the rows as
  // they are.
  const bool folds_are_given = options.cv.size() > 1;
  const Dataset rows = folds_are_given ? present : preparation::merge_copies(present);
  const MdnOptions full = sized(options, rows.size());
  const Standardized standardized = preparation::standardize(owner, rows, full.standardize);
  preparation::warn_of_data(data, standardized, report);
  report.details.set("n_rows", present.size());
  Dataset own = rows_of_training(standardized.data, full.standardize);
  const InputRange range = InputRange::of(own.x);
  const Defensive defensive = Defensive::fit(full.defensive_weight, own);
  Fitting fitting{options, full, run, standardized.x, standardized.y, range, defensive, std::move(report)};
  return fitting.train(std::move(own), folds_are_given ? data : rows, nullptr);
}

Mdn Mdn::fit(RowSums& rows, const MdnOptions& options, const Run& run) {
  check_options(options);
  const FlushSubnormals guard;
  const Index count = options.sample_rows == 0 ? rows_of_sample : options.sample_rows;
  if (table_passes::extent_of(rows).rows <= count) return fit(table_passes::all_rows(rows), options, run);
  return fit_table(rows, options, run, {});
}

Mdn Mdn::fit_table(RowSums& rows, const MdnOptions& options, const Run& run, FitReport report) {
  check_one_number(options.cv);
  const table_passes::Extent extent = table_passes::extent_of(rows);
  const table_passes::Scale scale =
      table_passes::Scale::of(rows, extent, owner, options.standardize, report).rounded(30);
  report.details.set("n_rows", extent.rows);
  const Index count = options.sample_rows == 0 ? rows_of_sample : options.sample_rows;
  table_passes::Sample drawn = table_passes::sample_of(rows, count, options.seed);
  const auto seed = static_cast<std::uint64_t>(options.seed);
  const SampledTable table{rows, scale, HeldOutFolds::of(options.validation_fraction, extent.rows, seed),
                           std::move(drawn.places)};
  const MdnOptions full = sized(options, extent.rows);
  Dataset sample = scale.standardized(drawn.rows);
  preparation::round_sample(sample, full.standardize);
  Fitting fitting{options,
                  full,
                  run,
                  scale.x(),
                  scale.y(),
                  InputRange::of(scale.standardized(extent.ends(rows)).x),
                  scale.defensive(full.defensive_weight),
                  std::move(report)};
  return fitting.train(sample, sample, &table);
}

Document Mdn::accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run) {
  return mdn::network_state(pass, block, first_row, resolve_threads(run.threads));
}

}  // namespace condens
