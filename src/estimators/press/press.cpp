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
#include "selection.hpp"
#include "state_sums.hpp"

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

void check_options(const PressOptions& o, const Dataset& data) {
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
  require(fewest <= static_cast<double>(data.size()), owner, ": n_states = ", fewest, ", expected at most the ",
          data.size(), " rows");
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
void settle_states(Fitted& fitted, const Dataset& rows, FitReport& report) {
  constexpr double least_rows = 1e-3;
  const Index states = fitted.map.n_states();
  const PressStates found = press_states(fitted.map.weights(fitted.theta, rows.x), rows.y, rows.weights);
  std::vector<Index> order;
  for (Index j = 0; j < states; ++j) {
    if (found.sizes[j] > least_rows) order.push_back(j);
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

Vector entropy_of(const Matrix& w) {  // eq. 18
  return (w.array() > 0).select(-w.array() * w.array().max(1e-300).log2(), 0.0).colwise().sum().transpose();
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

Vector Press::entropy(const MatrixView& x) const { return entropy_of(state_weights(x)); }

GaussianMixtures Press::state_densities() const {
  return press::laws_at(Matrix::Identity(n_states(), n_states()), state_.shares, components_, state_.defensive)
      .affine(y_scale().mean(), y_scale().scale());
}

Matrix Press::smoothing_matrix(const MatrixView& x) const {
  const Matrix w = state_weights(x);
  return w.transpose() * press::inverse_sizes(state_.sizes).asDiagonal() * w;
}

Press Press::fit(const Dataset& data, const PressOptions& options, const Run& run) {
  data.check(owner);
  check_options(options, data);
  const FlushSubnormals guard;
  Dataset storage;
  const Dataset& counted = rows_that_count(data, storage);
  FitReport report;
  report.details.set("n_rows", counted.size());
  const bool by_folds = options.selection == PressSelection::cv;
  const bool own_folds = by_folds && options.cv.size() > 1;
  const Dataset given = rows_of_fit(counted, !own_folds);
  Standardized standardized = preparation::standardize(owner, given, options.standardize);
  if (options.standardize) preparation::round_rows(standardized.data);
  preparation::warn_of_data(data, standardized, report);
  const Dataset& rows = standardized.data;
  const Grid grid = press::list_candidates(options, rows.size(), report);
  require(!grid.states.empty(), owner, ": n_states = ", options.n_states.front(), ", expected at most the ",
          rows.size(), " different rows");
  check_size(map_of(options, rows.x.rows(), grid.states.back()));
  std::vector<Index> fold;
  if (by_folds && grid.size() > 1) {
    const std::vector<double> cv = preparation::at_most_rows(options.cv, rows.size());
    fold = preparation::folds_of(cv, own_folds ? data : rows, options.seed);
  }

  const Defensive defensive = Defensive::fit(options.defensive_weight, rows);
  const double least_width = options.bandwidth_y_floor * 0.5 * defensive.scale.mean();
  WidthRules rules{.floor = std::max(least_width, 0.5 * smallest_step(rows.y)),
                   .common = options.common_bandwidth,
                   .tolerance = options.compression_tolerance};
  rules.given = Eigen::Map<const Vector>(options.bandwidth_y.data(), std::ssize(options.bandwidth_y));
  const Setting setting{options, rules, defensive};
  Fitted fitted = press::choose(grid, rows, fold, setting, run, report);
  const int threads = resolve_threads(run.threads);
  settle_states(fitted, rows, report);
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
  state.mean_entropy = entropy_of(w).dot(rows.weights) / rows.weights.sum();
  warn_of_coefficients(fitted, report);
  warn_of_widths(fitted, least_width, rules, report);

  const auto mean_square = [&](const Matrix& residuals) {
    return residuals.colwise().squaredNorm().dot(rows.weights) / rows.weights.sum();
  };
  report.details.set("n_states", fitted.map.n_states());
  report.details.set("degrees_of_freedom", state.degrees_of_freedom);
  report.details.set("regularization", fitted.ridge);
  if (!options.lasso.empty()) report.details.set("lasso", fitted.lasso);
  report.details.set(
      "n_inputs_used",
      fitted.map.n_layers() > 1
          ? rows.x.rows()
          : (coefficients_of(fitted.map, fitted.theta).bottomRows(rows.x.rows()).array() != 0).rowwise().any().count());
  report.details.set("iterations", fitted.iterations);
  const bool by_adam = options.optimizer == PressOptimizer::adam;
  report.details.set("search", by_adam ? std::string("adam") : std::string(to_string(fitted.status)));
  if (fitted.status == LbfgsStatus::iteration_limit && options.holdout == 0) report.status = to_string(fitted.status);
  if (fitted.width_status == LbfgsStatus::iteration_limit) report.status = to_string(fitted.width_status);
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

}  // namespace condens
