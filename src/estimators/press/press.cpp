#include "condens/estimators/press.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "core/flush_subnormals.hpp"
#include "information.hpp"
#include "model/preparation.hpp"
#include "model/rounded_rows.hpp"
#include "model/rows_here.hpp"
#include "selection.hpp"
#include "state_sums.hpp"
#include "table_search.hpp"

namespace condens {

using preparation::Standardized;
using press::Components;
using press::Fitted;
using press::Grid;
using press::Setting;
using press::WidthRules;

namespace {

constexpr std::string_view owner = Press::class_name;
constexpr double farthest = 1e150;        // of a standardised input: scores stay finite
constexpr double large_coefficient = 50;  // on the standardised scale: a step within 1/50 of a deviation

void check_options(const PressOptions& o, Index n_rows) {
  validate_options(o, owner);
  const Index widths = std::ssize(o.bandwidth_y);
  const bool fits = widths <= 1 || (o.n_states.size() == 1 && o.n_states.front() == static_cast<double>(widths));
  require(fits, owner, ": bandwidth_y has ", widths,
          " numbers, expected one, or one for each state of a given n_states");
  require(widths <= 1 || !o.common_bandwidth, owner, ": bandwidth_y has ", widths,
          " numbers, expected one: common_bandwidth = true");
  const bool penalized = std::any_of(o.lasso.begin(), o.lasso.end(), [](double lasso) { return lasso > 0; });
  require(o.optimizer == PressOptimizer::lbfgs || !penalized, owner, ": lasso = ", o.lasso.empty() ? 0 : o.lasso.back(),
          " with optimizer = adam, whose steps make no coefficient exactly zero; expected optimizer = lbfgs");
  const double fewest = *std::min_element(o.n_states.begin(), o.n_states.end());
  require(fewest <= static_cast<double>(n_rows), owner, ": n_states = ", fewest, ", expected at most the ", n_rows,
          " rows");
  require(o.sample_rows != 1, owner, ": sample_rows = 1, expected 0, or at least 2 rows");
}

/// Rows as the fit takes them: copies are one row of their common weight, the order is lexicographic, and
/// weights that add up to less than the number of rows are shares of it.
Dataset rows_of_fit(const Dataset& rows, bool merge) {
  Dataset out = merge ? preparation::merge_copies(rows) : rows;
  if (out.weights.size() > 0) {
    const double n = static_cast<double>(out.size());
    out.weights *= std::max(1.0, n / out.weights.sum());
  }
  return out;
}

/// States by increasing mean of the first target (errata P9), without those that hold no rows:
/// nothing but a penalty says where these would be, and no standard error is theirs.
void settle_states(Fitted& fitted, const PressStates& found, FitReport& report) {
  constexpr double least_rows = 1e-3;
  const Index states = fitted.map.n_states();
  std::vector<Index> order;
  for (Index j = 0; j < states; ++j) {
    if (found.sizes[j] > least_rows) order.push_back(j);
  }
  if (order.empty()) {
    throw NumericalError(message(owner, ": no state holds rows: the largest holds ", found.sizes.maxCoeff(),
                                 ", expected weights of rows that add up to all of them"));
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return found.means(0, a) < found.means(0, b); });
  const Index empty = states - std::ssize(order);
  if (empty > 0) {
    report.warnings.push_back(message(empty, " of ", states, " states held no rows and ", empty == 1 ? "was" : "were",
                                      " left out; fewer n_states would do"));
  }
  fitted.theta = fitted.map.states_of(fitted.theta, order);
  fitted.map = fitted.map.with_states(std::ssize(order));
  fitted.widths = Vector(fitted.widths(order));
}

/// Var(x | state), d_x x J, around `means`.
Matrix variances_of(const Dataset& rows, const Matrix& w, const Matrix& means, const Vector& inverse_sizes) {
  constexpr Index rows_of_block = 1024;
  const Vector center = means.rowwise().mean();  // squares of what is far from zero would lose their digits
  Matrix squares = Matrix::Zero(means.rows(), means.cols());
  for (Index block = 0; block < block_count(rows.size(), rows_of_block); ++block) {
    const Range range = block_range(rows.size(), rows_of_block, block);
    const auto own = [&](const auto& columns) { return columns.middleCols(range.begin, range.size()); };
    const Matrix weighted = own(w) * rows.weights.segment(range.begin, range.size()).asDiagonal();
    squares += (own(rows.x).colwise() - center).cwiseAbs2() * weighted.transpose();
  }
  return (squares * inverse_sizes.asDiagonal() - (means.colwise() - center).cwiseAbs2()).cwiseMax(0.0);
}

/// Of every state the row with its largest weight.
std::vector<Index> most_certain_rows(const Matrix& w) {
  std::vector<Index> out(static_cast<std::size_t>(w.rows()));
  for (Index j = 0; j < w.rows(); ++j) w.row(j).maxCoeff(&out[static_cast<std::size_t>(j)]);
  return out;
}

/// The smallest difference of two values of y, of the target where it is largest.
double smallest_step(const MatrixView& y) {
  double out = 0;
  for (Index t = 0; t < y.rows(); ++t) {
    Vector sorted = y.row(t).transpose();
    std::sort(sorted.begin(), sorted.end());
    double step = std::numeric_limits<double>::infinity();
    for (Index i = 1; i < sorted.size(); ++i) {
      if (sorted[i] > sorted[i - 1]) step = std::min(step, sorted[i] - sorted[i - 1]);
    }
    if (std::isfinite(step)) out = std::max(out, step);
  }
  return out;
}

void warn_of_widths(const Fitted& fitted, double least, const WidthRules& rules, FitReport& report) {
  if (rules.given.size() > 0 || fitted.widths.minCoeff() > 1.05 * rules.floor) return;
  const bool by_step = rules.floor > least;
  report.warnings.push_back(message("the learned width of a state stands at its floor, ",
                                    by_step ? "half the smallest step of y" : "bandwidth_y_floor",
                                    "; y has ties, and the log score depends on how far they are smoothed"));
}

void warn_of_coefficients(const Fitted& fitted, FitReport& report) {
  const double largest = fitted.theta.cwiseProduct(fitted.map.is_coefficient()).cwiseAbs().maxCoeff();
  if (largest > large_coefficient) {
    report.warnings.push_back(message("coefficients reach ", largest,
                                      " on the standardised scale: states are separable or nearly so, and the "
                                      "coefficients run off; a larger regularization keeps them in bounds"));
  }
}

}  // namespace

PressOptions PressOptions::paper() {
  PressOptions out;
  out.n_states.resize(15);
  std::iota(out.n_states.begin(), out.n_states.end(), 1.0);
  out.criterion = PressCriterion::gcv;
  out.selection = PressSelection::aic;
  out.regularization = {0.0};
  out.start = PressStart::random;
  out.n_starts = 1;
  out.batch_size = 0;
  out.holdout = 0.2;
  out.max_iterations = 2000;
  out.common_bandwidth = true;
  out.compression_tolerance = 0;
  out.defensive_weight = 0;
  return out;
}

void PressOptions::give_way(const Document& given) {
  const auto is_given = [&](std::string_view name) { return given.find(name) != nullptr; };
  if (bandwidth_y.size() < 2) return;
  if (!is_given("common_bandwidth")) common_bandwidth = false;
  if (!is_given("n_states")) n_states = {static_cast<double>(bandwidth_y.size())};
}

namespace {

PressMap map_of(const PressOptions& options, Index n_inputs, Index n_states) {
  std::vector<Index> hidden;
  for (const double width : options.hidden) hidden.push_back(static_cast<Index>(width));
  return {n_inputs, n_states, hidden, options.activation};
}

/// Refuses what would not fit in memory.
void check_size(const PressMap& largest) {
  constexpr Index most = Index{1} << 27;  // numbers: a gigabyte
  require(largest.n_parameters() <= most, owner, ": the map has ", largest.n_parameters(),
          " coefficients, expected at most ", most, "; give fewer of hidden or n_states");
}

Matrix coefficients_of(const PressMap& map, const Vector& theta) {
  return map.n_layers() == 1 ? Matrix(map.layer(theta, 0)) : Matrix();
}

}  // namespace

Press::Press(PressOptions options, PressState state, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : FittedModel(std::move(options), std::move(state), std::move(x_scale), std::move(y_scale), std::move(report)),
      map_(map_of(options_, n_inputs(), state_.n_states)),
      components_(kernel_components(state_.centers, state_.widths, state_.defensive)) {
  if (state_.theta.size() != map_.n_parameters() || !state_.theta.allFinite()) {
    throw FormatError("PRESS: theta is not that of the map");
  }
  coefficients_ = coefficients_of(map_, state_.theta);
}

GaussianMixtures Press::laws(const MatrixView& x) const {
  const Matrix near = x.cwiseMax(-farthest).cwiseMin(farthest);
  return press::laws_at(map_.weights(state_.theta, near), state_.shares, components_, state_.defensive);
}

Matrix Press::state_weights(const MatrixView& x) const {
  require(x.rows() == n_inputs(), owner, ": x has ", x.rows(), " rows (one per dimension), expected ", n_inputs());
  require(x.allFinite(), owner, ": x holds NaN or infinity");
  return map_.weights(state_.theta, x_scale().transform(x).cwiseMax(-farthest).cwiseMin(farthest));
}

Vector Press::entropy(const MatrixView& x) const { return press::entropy_of_weights(state_weights(x)); }

GaussianMixtures Press::state_densities() const {
  return press::laws_at(Matrix::Identity(n_states(), n_states()), state_.shares, components_, state_.defensive)
      .affine(y_scale().mean(), y_scale().scale());
}

Matrix Press::smoothing_matrix(const MatrixView& x) const {
  const Matrix w = state_weights(x);
  return w.transpose() * press::inverse_sizes(state_.sizes).asDiagonal() * w;
}

namespace {

Grid grid_of(const PressOptions& options, const Dataset& rows, FitReport& report) {
  Grid out = press::list_candidates(options, rows.size(), report);
  require(!out.states.empty(), owner, ": n_states = ", options.n_states.front(), ", expected at most the ", rows.size(),
          " different rows");
  check_size(map_of(options, rows.x.rows(), out.states.back()));
  return out;
}

WidthRules rules_of(const PressOptions& options, double least_width, const Dataset& rows) {
  WidthRules out{.floor = std::max(least_width, 0.5 * smallest_step(rows.y)),
                 .common = options.common_bandwidth,
                 .tolerance = options.compression_tolerance};
  out.given = Eigen::Map<const Vector>(options.bandwidth_y.data(), std::ssize(options.bandwidth_y));
  return out;
}

void report_search(const Fitted& fitted, const PressOptions& options, Index n_inputs, FitReport& report) {
  report.details.set("regularization", fitted.ridge);
  if (!options.lasso.empty()) report.details.set("lasso", fitted.lasso);
  report.details.set(
      "n_inputs_used",
      fitted.map.n_layers() > 1
          ? n_inputs
          : (coefficients_of(fitted.map, fitted.theta).bottomRows(n_inputs).array() != 0).rowwise().any().count());
  report.details.set("iterations", fitted.iterations);
  const bool by_adam = options.optimizer == PressOptimizer::adam;
  report.details.set("search", by_adam ? std::string("adam") : std::string(to_string(fitted.status)));
  if (fitted.status == LbfgsStatus::iteration_limit && options.holdout == 0) report.status = to_string(fitted.status);
  if (fitted.width_status == LbfgsStatus::iteration_limit) report.status = to_string(fitted.width_status);
}

}  // namespace

Press Press::fit(const Dataset& data, const PressOptions& options, const Run& run) {
  data.check(owner);
  check_options(options, data.size());
  const FlushSubnormals guard;
  Dataset storage;
  const Dataset& counted = rows_that_count(data, storage);
  FitReport report;
  if (options.sample_rows > 0 && options.sample_rows < counted.size()) {
    preparation::warn_of_lost_weights(data, report);
    RowsHere table(counted, &Press::accumulate, run);
    return fit_table(table, options, run, std::move(report));
  }
  report.details.set("n_rows", counted.size());
  const bool by_folds = options.selection == PressSelection::cv;
  const bool own_folds = by_folds && options.cv.size() > 1;
  const Dataset given = rows_of_fit(counted, !own_folds);
  Standardized standardized = preparation::standardize(owner, given, options.standardize);
  if (options.standardize) preparation::round_rows(standardized.data);
  preparation::warn_of_data(data, standardized, report);
  const Dataset& rows = standardized.data;
  const Grid grid = grid_of(options, rows, report);
  std::vector<Index> fold;
  if (by_folds && grid.size() > 1) {
    const std::vector<double> cv = preparation::at_most_rows(options.cv, rows.size());
    fold = preparation::folds_of(cv, own_folds ? data : rows, options.seed);
  }

  const Defensive defensive = Defensive::fit(options.defensive_weight, rows);
  const double least_width = options.bandwidth_y_floor * 0.5 * defensive.scale.mean();
  const WidthRules rules = rules_of(options, least_width, rows);
  const Setting setting{options, rules, defensive};
  Fitted fitted = press::choose(grid, rows, fold, setting, run, report);
  const int threads = resolve_threads(run.threads);
  settle_states(fitted, press_states(fitted.map.weights(fitted.theta, rows.x), rows.y, rows.weights), report);
  if (fitted.lasso == 0) fitted.theta = fitted.map.centered(std::move(fitted.theta));

  const Matrix w = fitted.map.weights(fitted.theta, rows.x);
  const PressStates states = press_states(w, rows.y, rows.weights);
  const Matrix shifts =
      options.corrected_levels ? Matrix(states.levels - states.means) : Matrix::Zero(rows.y.rows(), w.rows());
  PressState state{.n_states = fitted.map.n_states(), .theta = fitted.theta, .defensive = defensive};
  press::CoefficientErrors errors = press::coefficient_errors(fitted, rows, options, rules, defensive, threads);
  state.standard_errors = std::move(errors.standard);
  state.robust_errors = std::move(errors.robust);
  state.means = standardized.y.inverse_transform(states.means);
  state.levels = standardized.y.inverse_transform(states.levels);
  const Vector inverse = press::inverse_sizes(states.sizes);
  state.inputs = rows.x * (w * rows.weights.asDiagonal()).transpose() * inverse.asDiagonal();
  const Vector& unit = standardized.x.scale();
  state.input_variances = unit.cwiseAbs2().asDiagonal() * variances_of(rows, w, state.inputs, inverse);
  if (rows.x.rows() > 0) state.inputs = standardized.x.inverse_transform(state.inputs);
  state.representatives = given.x(Eigen::all, most_certain_rows(w));
  state.sizes = states.sizes;
  state.bandwidths = fitted.widths;
  state.degrees_of_freedom = states.freedom();
  state.mean_entropy = press::entropy_of_weights(w).dot(rows.weights) / rows.weights.sum();
  warn_of_coefficients(fitted, report);
  warn_of_widths(fitted, least_width, rules, report);

  const auto mean_square = [&](const Matrix& residuals) {
    return residuals.colwise().squaredNorm().dot(rows.weights) / rows.weights.sum();
  };
  report.details.set("n_states", fitted.map.n_states());
  report.details.set("degrees_of_freedom", state.degrees_of_freedom);
  report_search(fitted, options, rows.x.rows(), report);
  report.details.set("mse", mean_square(rows.y - states.means * w));
  report.details.set("mse_of_levels", mean_square(rows.y - states.levels * w));
  report.details.set("leave_one_out_nll", press::leave_one_out_nll(fitted, rows, rules, defensive));
  Components components = press::make_components(w, rows, fitted.widths, rules, shifts);
  report.details.set("n_components", components.widths.size());
  state.centers = std::move(components.centers);
  state.widths = std::move(components.widths);
  state.shares = std::move(components.shares);
  return {options, std::move(state), standardized.x, standardized.y, std::move(report)};
}

namespace {

constexpr Index rows_of_sample = 20'000;  // of rows that are elsewhere

PressStates states_of(const press::StateMoments& moments, const Vector& centre_y) {
  const Vector inverse = press::inverse_sizes(moments.sizes);
  PressStates out{.means = moments.y * inverse.asDiagonal(),
                  .sizes = moments.sizes,
                  .levels = Matrix(),
                  .squares = moments.gram.diagonal()};
  const Matrix right = moments.y.transpose() - moments.gram * out.means.transpose();
  out.levels = press::levels_from(out.means, moments.gram, right).colwise() + centre_y;
  out.means.colwise() += centre_y;
  return out;
}

/// sum_i a_i |y_i - W b|^2 / A, y and b less their centre.
double mean_square_of(const press::StateMoments& moments, const Matrix& levels, double total) {
  const double crossed = moments.y.cwiseProduct(levels).sum();
  const double squares = (levels * moments.gram).cwiseProduct(levels).sum();
  return std::max(0.0, moments.y_square.sum() - 2 * crossed + squares) / total;
}

}  // namespace

Press Press::fit(RowSums& rows, const PressOptions& options, const Run& run) {
  const Index n = table_passes::extent_of(rows).rows;
  check_options(options, n);
  const FlushSubnormals guard;
  if (n <= (options.sample_rows == 0 ? rows_of_sample : options.sample_rows)) {
    return fit(table_passes::all_rows(rows), options, run);
  }
  return fit_table(rows, options, run, {});
}

Press Press::fit_table(RowSums& table, const PressOptions& options, const Run& run, FitReport report) {
  table_passes::check_cv(owner, options.cv);
  const table_passes::Extent extent = table_passes::extent_of(table);
  const table_passes::Scale scale =
      table_passes::Scale::of(table, extent, owner, options.standardize, report).rounded(30);
  report.details.set("n_rows", extent.rows);
  const Index count = options.sample_rows == 0 ? rows_of_sample : options.sample_rows;
  Dataset sample =
      scale.standardized(preparation::merge_copies(table_passes::sample_of(table, count, options.seed).rows));
  preparation::round_sample(sample, options.standardize);
  report.details.set("n_rows_sampled", count);
  const Grid grid = grid_of(options, sample, report);
  std::vector<Index> fold;
  if (options.selection == PressSelection::cv && grid.size() > 1) {
    fold = preparation::folds_of(preparation::at_most_rows(options.cv, sample.size()), sample, options.seed);
  }
  const Defensive defensive = scale.defensive(options.defensive_weight);
  const double least_width = options.bandwidth_y_floor * 0.5 * defensive.scale.mean();
  const WidthRules rules = rules_of(options, least_width, sample);
  Fitted fitted = press::choose(grid, sample, fold, {options, rules, defensive}, run, report);

  const int threads = resolve_threads(run.threads);
  const double total = extent.weight_factor() * extent.weight;
  const press::SampledRows rows{table, scale, total, sample};
  press::TableSteps steps;
  {
    // At most so many steps of the map, and of the widths after it.
    Task task(run, "improving states on all rows", 2 * static_cast<double>(options.table_steps));
    steps = press::improve_on_table(fitted, rows, options, rules, defensive, options.table_steps, threads, [&] {
      task.advance(1);
      task.poll();
    });
  }
  report.details.set("table_steps", steps.count);
  if (steps.count > 0) report.details.set("table_search", std::string(to_string(steps.status)));
  const auto moments_around = [&](const Vector& centre) {
    return press::moments_of(table,
                             press::criterion_of(rows, options, PressCriterion::mse, fitted.map.n_states(), defensive),
                             fitted.theta, centre, defensive.mean);
  };
  Vector centre = scale.standardized(extent.ends(table)).x.rowwise().mean();
  press::StateMoments moments = moments_around(centre);
  centre += moments.x.rowwise().sum() / total;
  settle_states(fitted, states_of(moments, defensive.mean), report);
  if (fitted.lasso == 0) fitted.theta = fitted.map.centered(std::move(fitted.theta));
  moments = moments_around(centre);
  const PressStates states = states_of(moments, defensive.mean);

  PressState state{.n_states = fitted.map.n_states(), .theta = fitted.theta, .defensive = defensive};
  press::CoefficientErrors errors = press::coefficient_errors(fitted, sample, options, rules, defensive, threads);
  // Those of the sample; of theta that is a minimum over all rows, of as many.
  const bool of_all = steps.count > 0 && steps.status != LbfgsStatus::iteration_limit;
  const double fewer = of_all ? std::sqrt(sample.weights.sum() / total) : 1.0;
  state.standard_errors = fewer * errors.standard;
  state.robust_errors = fewer * errors.robust;
  state.means = scale.y().inverse_transform(states.means);
  state.levels = scale.y().inverse_transform(states.levels);
  const Vector inverse = press::inverse_sizes(states.sizes);
  const Matrix from_centre = moments.x * inverse.asDiagonal();
  const Matrix variances = (moments.x_square * inverse.asDiagonal() - from_centre.cwiseAbs2()).cwiseMax(0.0);
  state.inputs = from_centre.colwise() + centre;
  if (table.n_inputs() > 0) state.inputs = scale.x().inverse_transform(state.inputs);
  state.input_variances = scale.x().scale().cwiseAbs2().asDiagonal() * variances;
  state.representatives = press::examples_of(
      table, press::criterion_of(rows, options, PressCriterion::mse, state.n_states, defensive), fitted.theta);
  state.sizes = states.sizes;
  state.bandwidths = fitted.widths;
  state.degrees_of_freedom = states.freedom();
  state.mean_entropy = moments.entropy / total;
  warn_of_coefficients(fitted, report);
  warn_of_widths(fitted, least_width, rules, report);

  const Matrix shifts =
      options.corrected_levels ? Matrix(states.levels - states.means) : Matrix::Zero(table.n_targets(), state.n_states);
  press::TableDensities densities = press::densities_of_table(fitted, rows, options, rules, defensive, shifts, threads);
  if (!std::isfinite(densities.leave_one_out_nll)) {
    densities.leave_one_out_nll = press::leave_one_out_nll(fitted, sample, rules, defensive);
  }
  report.details.set("n_states", state.n_states);
  report.details.set("degrees_of_freedom", state.degrees_of_freedom);
  report_search(fitted, options, table.n_inputs(), report);
  report.details.set("mse", mean_square_of(moments, states.means.colwise() - defensive.mean, total));
  report.details.set("mse_of_levels", mean_square_of(moments, states.levels.colwise() - defensive.mean, total));
  report.details.set("leave_one_out_nll", densities.leave_one_out_nll);
  const bool kernels_of_all = press::has_nodes_of_table(rules, table.n_targets());
  report.details.set("kernels_of", std::string(kernels_of_all ? "all rows" : "the sample"));
  report.details.set("n_components", densities.components.widths.size());
  state.centers = std::move(densities.components.centers);
  state.widths = std::move(densities.components.widths);
  state.shares = std::move(densities.components.shares);
  return {options, std::move(state), scale.x(), scale.y(), std::move(report)};
}

Document Press::accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run) {
  return press::table_state(pass, block, first_row, resolve_threads(run.threads));
}

}  // namespace condens
