#include "condens/estimators/sacde.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "condens/model/subset_density.hpp"
#include "core/flush_subnormals.hpp"
#include "input_groups.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/vector_math.hpp"
#include "model/preparation.hpp"
#include "model/rows_here.hpp"
#include "model/table_passes.hpp"
#include "passes.hpp"
#include "stability.hpp"
#include "steps.hpp"

namespace condens {

namespace {

constexpr std::string_view owner = Sacde::class_name;

}  // namespace

void sacde::check_options(const SacdeOptions& options, Index n_inputs, Index n_targets) {
  validate_options(options, owner);
  preparation::check_centers(owner, options.centers, n_inputs, n_targets);
  require(options.stability_bound == 0 || options.stability_resamples >= 2, owner,
          ": stability_bound = ", options.stability_bound, " with stability_resamples = ", options.stability_resamples,
          ", expected at least one pair of half-samples");
}

SacdeOptions SacdeOptions::paper() {
  std::vector<double> grid;  // twenty numbers from 0.01 to 2, equally spaced in the logarithm
  for (int i = 0; i < 20; ++i) grid.push_back(0.01 * std::pow(200.0, i / 19.0));
  grid.back() = 2;
  return {.bandwidth = grid,
          .bandwidth_y = {},
          .regularization = grid,
          .regularization_scale = RegularizationScale::absolute,
          .adaptive = false,
          .selection_rule = SelectionRule::minimum,
          .constant_group = false,
          .center_selection = CenterSelection::random,
          .mask_centers = false,
          .stop_early = false,
          .defensive_weight = 0.0,
          .search_inputs = 0};
}

namespace {

/// A number of a file as an index below `end`.
Index read_index(double value, Index end) {
  if (!(value >= 0) || value >= static_cast<double>(end) || value != std::floor(value)) {
    throw FormatError("SACDE: the parameters do not fit together");
  }
  return static_cast<Index>(value);
}

/// The rows of each input, numbered 0, 1, ... in order.
std::vector<std::vector<Index>> read_inputs(const Vector& input_of_row) {
  std::vector<std::vector<Index>> out;
  for (Index i = 0; i < input_of_row.size(); ++i) {
    const Index input = read_index(input_of_row[i], std::ssize(out) + 1);
    if (input == std::ssize(out)) out.emplace_back();
    out[static_cast<std::size_t>(input)].push_back(i);
  }
  return out;
}

/// The coefficients in full, centres x inputs.
Matrix alpha_of(const SacdeState& state, Index inputs) {
  const Index count = state.coefficient.size();
  if (state.input.size() != count || state.center.size() != count) {
    throw FormatError("SACDE: coefficients, their inputs and their centres differ in number");
  }
  Matrix out = Matrix::Zero(state.constant.size(), inputs);
  for (Index i = 0; i < count; ++i) {
    out(read_index(state.center[i], out.rows()), read_index(state.input[i], inputs)) = state.coefficient[i];
  }
  if (!(state.constant.sum() + state.coefficient.sum() > 0)) throw FormatError("SACDE: no coefficient is positive");
  return out;
}

}  // namespace

Sacde::Sacde(SacdeOptions options, SacdeState state, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : FittedModel(std::move(options), std::move(state), std::move(x_scale), std::move(y_scale), std::move(report)),
      inputs_(read_inputs(state_.input_of_row)),
      alpha_(alpha_of(state_, std::ssize(inputs_))) {
  const std::vector<Index> places = sacde::places_of_groups(options_.groups);
  const bool fits = places.empty() || *std::max_element(places.begin(), places.end()) + 1 == std::ssize(inputs_);
  if (!fits) throw FormatError("SACDE: groups and the inputs' numbers do not fit together");
  prepare();
}

void Sacde::prepare() {
  std::vector<Index> place(static_cast<std::size_t>(state_.constant.size()), -1);
  std::vector<Index> used;
  for (Index b = 0; b < state_.constant.size(); ++b) {
    if (state_.constant[b] > 0 || (alpha_.row(b).array() > 0).any()) {
      place[static_cast<std::size_t>(b)] = std::ssize(used);
      used.push_back(b);
    }
  }
  log_constant_ = state_.constant(used).array().log();
  for (Index d = 0; d < alpha_.cols(); ++d) {
    std::vector<Index> centers;
    for (Index b = 0; b < alpha_.rows(); ++b) {
      if (alpha_(b, d) > 0) centers.push_back(b);
    }
    if (centers.empty()) continue;
    ActiveInput input{inputs_[static_cast<std::size_t>(d)], {}, {}, alpha_(centers, d).array().log()};
    input.centers = state_.centers_x(input.rows, centers);
    for (const Index b : centers) input.target.push_back(place[static_cast<std::size_t>(b)]);
    active_.push_back(std::move(input));
  }
  components_ = kernel_components(state_.centers_y(Eigen::all, used), state_.bandwidth_y, state_.defensive);
}

/// log sum_d alpha_db phi_b(x_d) for every component b, its largest term taken out first: finite however far x is.
GaussianMixtures Sacde::laws(const MatrixView& x) const {
  std::vector<Matrix> exponents;
  Matrix largest = log_constant_.replicate(1, x.cols());
  for (const ActiveInput& input : active_) {
    Matrix exponent(std::ssize(input.target), x.cols());
    squared_distances(input.centers.transpose(), x(input.rows, Eigen::all), exponent);
    exponent *= -0.5 / (state_.bandwidth * state_.bandwidth);
    exponent.colwise() += input.log_alpha;
    for (Index p = 0; p < exponent.rows(); ++p) {
      const Index b = input.target[static_cast<std::size_t>(p)];
      largest.row(b) = largest.row(b).cwiseMax(exponent.row(p));
    }
    exponents.push_back(std::move(exponent));
  }
  const auto shifted_exp = [](double value, double shift) { return std::exp(value == shift ? 0.0 : value - shift); };
  Matrix sums = log_constant_.replicate(1, x.cols()).binaryExpr(largest, shifted_exp);
  for (std::size_t d = 0; d < active_.size(); ++d) {
    for (Index p = 0; p < exponents[d].rows(); ++p) {
      const Index b = active_[d].target[static_cast<std::size_t>(p)];
      sums.row(b) += exponents[d].row(p).binaryExpr(largest.row(b), shifted_exp);
    }
  }
  return kernel_laws(components_, largest.array() + sums.array().log(), state_.defensive);
}

Index Sacde::term_of(Index input) const {
  const std::vector<double>& groups = options_.groups;
  const Index count = groups.empty() ? std::ssize(inputs_) : std::ssize(groups);
  require(input >= 0 && input < count, owner, ": input = ", input, ", expected 0 to ", count - 1);
  return groups.empty() ? input : sacde::places_of_groups(groups)[static_cast<std::size_t>(input)];
}

const std::vector<Index>& Sacde::rows_of_term(Index input) const {
  return inputs_[static_cast<std::size_t>(term_of(input))];
}

Matrix Sacde::contribution(Index input, const MatrixView& x, const MatrixView& y) const {
  const Index term = term_of(input);
  const auto& rows = inputs_[static_cast<std::size_t>(term)];
  require(x.rows() == std::ssize(rows), owner, ": contribution of input ", input, ": x has ", x.rows(),
          " rows, expected ", rows.size(), std::ssize(rows) > 1 ? ", those of its term" : "");
  require(y.rows() == n_targets(), owner, ": contribution: y has ", y.rows(), " rows, expected ", n_targets());
  Matrix all = Matrix::Zero(n_inputs(), x.cols());
  all(rows, Eigen::all) = x;
  const Matrix inside = x_scale().transform(all);
  Matrix phi(alpha_.rows(), x.cols());
  squared_distances(state_.centers_x(rows, Eigen::all).transpose(), inside(rows, Eigen::all), phi);
  phi *= -0.5 / (state_.bandwidth * state_.bandwidth);
  exp_in_place(phi.data(), phi.size());
  phi.array().colwise() *= alpha_.col(term).array();
  Matrix eta(alpha_.rows(), y.cols());
  squared_distances(state_.centers_y.transpose(), y_scale().transform(y), eta);
  eta *= -0.5 / (state_.bandwidth_y * state_.bandwidth_y);
  exp_in_place(eta.data(), eta.size());
  return phi.transpose() * eta;
}

Vector Sacde::constant_contribution(const MatrixView& y) const {
  require(y.rows() == n_targets(), owner, ": contribution: y has ", y.rows(), " rows, expected ", n_targets());
  Matrix eta(state_.constant.size(), y.cols());
  squared_distances(state_.centers_y.transpose(), y_scale().transform(y), eta);
  eta *= -0.5 / (state_.bandwidth_y * state_.bandwidth_y);
  exp_in_place(eta.data(), eta.size());
  return eta.transpose() * state_.constant;
}

Vector Sacde::support() const {
  Vector out = Vector::Zero(n_inputs());
  for (std::size_t d = 0; d < inputs_.size(); ++d) {
    if ((alpha_.col(static_cast<Index>(d)).array() > 0).any()) out(inputs_[d]).setOnes();
  }
  return out;
}

Vector Sacde::feature_importances() const {
  Vector out = Vector::Zero(n_inputs());
  for (std::size_t d = 0; d < inputs_.size(); ++d) {
    out(inputs_[d]).setConstant(alpha_.col(static_cast<Index>(d)).norm() / static_cast<double>(inputs_[d].size()));
  }
  const double total = out.sum();
  return total > 0 ? Vector(out / total) : out;
}

HasPath::Path Sacde::path() const {
  const Document& told = report().details.at("path");
  Path out{told.at("regularization").as_vector(), {}, told.at("norms").as_matrix(), told.at("chosen").as_number()};
  const Vector inputs = told.at("inputs").as_vector();
  for (const double input : inputs) {
    const bool known = input >= 0 && input < static_cast<double>(n_inputs());
    if (!known) throw FormatError("SACDE: the path of the penalties names an input that there is not");
    out.inputs.push_back(static_cast<Index>(input));
  }
  const bool shapes_agree = out.norms.rows() == inputs.size() && out.norms.cols() == out.penalty.size();
  if (inputs.size() > 0 && (out.penalty.size() == 0 || !shapes_agree)) {
    throw FormatError("SACDE: the path of the penalties does not fit together");
  }
  return out;
}

namespace {

Vector input_of_row(const std::vector<std::vector<Index>>& inputs, Index rows) {
  Vector out(rows);
  for (std::size_t d = 0; d < inputs.size(); ++d) out(inputs[d]).setConstant(static_cast<double>(d));
  return out;
}

void keep_positive(const Matrix& alpha, SacdeState& state) {
  const sacde::Terms terms = sacde::positive_terms(alpha);
  state.input = Vector(terms.size());
  state.center = Vector(terms.size());
  state.coefficient = terms.value;
  for (Index p = 0; p < terms.size(); ++p) {
    const Index coordinate = terms.coordinate[static_cast<std::size_t>(p)];
    const Index input = coordinate / alpha.rows();
    state.input[p] = static_cast<double>(input);
    state.center[p] = static_cast<double>(coordinate - input * alpha.rows());
  }
}

}  // namespace

namespace {

/// Where nothing can be selected, any penalty does.
std::vector<double> penalty_or_one(double lambda) { return {lambda > 0 ? lambda : 1.0}; }

/// What is chosen given: the same fit, without cross-validation.
SacdeOptions at_chosen(SacdeOptions options, const sacde::Chosen& chosen) {
  options.bandwidth = {chosen.point.bandwidth};
  options.bandwidth_y = {chosen.point.bandwidth_y};
  options.regularization = penalty_or_one(chosen.point.lambda);
  options.first_regularization = penalty_or_one(chosen.first_lambda);
  options.regularization_scale = RegularizationScale::absolute;
  return options;
}

/// The shares of half-samples that have a row of x among the first q on their paths (sacde/stability.hpp); what they
/// mean goes into the report.
Vector stability_within_bound(const Dataset& rows, const SacdeOptions& fixed, const Run& run, Document& report) {
  const auto inputs = static_cast<double>(sacde::varying_groups(rows, fixed.groups));
  const double tau = fixed.stability_threshold;
  const Index most = sacde::most_per_half(fixed.stability_bound, tau, inputs);
  require(most >= 1, owner, ": stability_bound = ", fixed.stability_bound, " for ", inputs,
          " inputs that vary, expected at least ", sacde::expected_false(1, tau, inputs),
          " at stability_threshold = ", tau);
  const auto select = [&](const Dataset& sample) { return sacde::first_to_enter(sample, fixed, most); };
  const Matrix selected = sacde::select_on_halves(rows, fixed.stability_resamples, fixed.seed, select, run);
  double mean = 0;  // number of inputs that a half-sample selects
  for (const auto& own : sacde::input_groups(rows, fixed.groups).rows) mean += selected.row(own.front()).mean();
  report = Document::Object{
      {"inputs_per_half", most},
      {"mean_inputs_per_half", mean},
      {"expected_false", sacde::expected_false(mean, tau, inputs)},
  };
  const double unimodal = sacde::expected_false_unimodal(mean, tau, inputs, fixed.stability_resamples / 2);
  if (std::isfinite(unimodal)) report.set("expected_false_unimodal", unimodal);
  return selected.rowwise().mean();
}

}  // namespace

struct Sacde::Fitting {
  const SacdeOptions& options;
  sacde::Prepared prepared;
  sacde::Chosen chosen;
  Vector stability;
  FitReport report;

  Sacde finish() {
    const auto& inputs = prepared.inputs.rows;
    SacdeState state{.bandwidth = chosen.point.bandwidth,
                     .bandwidth_y = chosen.point.bandwidth_y,
                     .regularization = chosen.point.lambda,
                     .input_of_row = input_of_row(inputs, prepared.centers_x.rows()),
                     .constant = Vector::Zero(prepared.problem.centers()),
                     .stability = std::move(stability),
                     .centers_x = std::move(prepared.centers_x),
                     .centers_y = prepared.problem.centers_y,
                     .defensive = prepared.problem.defensive};
    Matrix alpha = Matrix::Zero(state.constant.size(), std::ssize(inputs));
    const sacde::Terms& terms = chosen.point.solutions.front();
    for (Index i = 0; i < terms.size(); ++i) {
      const Index coordinate = terms.coordinate[static_cast<std::size_t>(i)];
      const Index center = coordinate % state.constant.size();
      const Index input = prepared.input_of_group[static_cast<std::size_t>(coordinate / state.constant.size())];
      (input < 0 ? state.constant[center] : alpha(center, input)) = terms.value[i];
    }
    if (terms.size() == 0) state.constant.setConstant(1.0 / static_cast<double>(state.constant.size()));
    if (!inputs.empty() && !(alpha.array() > 0).any()) {
      report.warnings.emplace_back("no input was selected: the distribution is the marginal one, whatever the inputs");
    }
    keep_positive(alpha, state);
    return {options, std::move(state), std::move(prepared.x_scale), std::move(prepared.y_scale), std::move(report)};
  }
};

namespace {

bool goes_by_sums(const Dataset& rows, const SacdeOptions& options) {
  if (rows.size() <= most_rows_at_once || options.stability_resamples > 0 || options.cv.size() > 1) return false;
  const bool constants_stay = !options.standardize && !options.constant_group;
  const Index all =
      constants_stay ? sacde::input_groups(rows, options.groups).size() : sacde::varying_groups(rows, options.groups);
  const Index inputs = options.screening > 0 ? std::min(options.screening, all) : all;
  const Index centers = options.centers.size() > 0 ? options.centers.cols() : options.n_centers;
  const bool a_count = options.cv.front() >= 2 && options.cv.front() <= static_cast<double>(table_passes::most_folds);
  return a_count && sacde::fits_into_sums(inputs, centers, options, rows.size());
}

}  // namespace

Sacde Sacde::fit(const Dataset& data, const SacdeOptions& options, const Run& run) {
  data.check(owner);
  sacde::check_options(options, data.x.rows(), data.y.rows());
  const FlushSubnormals guard;
  Dataset storage;
  const Dataset& rows = rows_that_count(data, storage);
  if (goes_by_sums(rows, options)) {
    FitReport report;
    preparation::warn_of_lost_weights(data, report);
    RowsHere table(rows, &Sacde::accumulate, run);
    return fit_table(table, options, run, std::move(report));
  }
  const auto inputs = sacde::input_groups(rows, options.groups).rows;
  const auto begin = [&](const std::vector<Index>& among, FitReport& report) {
    preparation::warn_of_lost_weights(data, report);
    return sacde::prepare(data, rows, among, options, run, report);
  };
  FitReport report;
  const auto widths = sacde::search_widths(data, rows, options, run, report);
  sacde::Prepared prepared = begin(sacde::screened_inputs(rows, options, run), report);
  sacde::Chosen chosen = sacde::choose(prepared, options, run, report, false, widths);
  Vector stability;
  if (options.stability_bound > 0 && !varying_inputs(rows).empty()) {
    Document told;
    stability = stability_within_bound(rows, at_chosen(options, chosen), run, told);
    std::vector<Index> stable;
    for (std::size_t d = 0; d < inputs.size(); ++d) {
      if (stability[inputs[d].front()] >= options.stability_threshold) stable.push_back(static_cast<Index>(d));
    }
    report = {};
    prepared = begin(stable, report);
    chosen = sacde::choose(prepared, options, run, report, true);
    report.details.set("stability", std::move(told));
  } else if (options.stability_resamples > 0) {
    stability = selection_stability(rows, at_chosen(options, chosen), options.stability_resamples, run);
  }
  return Fitting{options, std::move(prepared), std::move(chosen), std::move(stability), std::move(report)}.finish();
}

Sacde Sacde::fit(RowSums& table, const SacdeOptions& options, const Run& run) {
  sacde::check_options(options, table.n_inputs(), table.n_targets());
  return fit_table(table, options, run, {});
}

Sacde Sacde::fit_table(RowSums& table, const SacdeOptions& options, const Run& run, FitReport report) {
  table_passes::check_cv(owner, options.cv);
  require(options.stability_resamples == 0, owner, ": stability_resamples = ", options.stability_resamples,
          " of a table that is not in memory, expected 0; half-samples are drawn from rows in memory");
  const FlushSubnormals guard;
  sacde::Prepared prepared = sacde::prepare(table, options, run, report);
  sacde::Chosen chosen = sacde::choose(prepared, options, run, report);
  return Fitting{options, std::move(prepared), std::move(chosen), {}, std::move(report)}.finish();
}

Document Sacde::accumulate(const Document& pass, const Dataset& block, Index first_row, const Run& run) {
  const FlushSubnormals guard;
  return sacde::accumulate(pass, block, first_row, run);
}

SacdeObjective sacde_objective(const MatrixView& alpha, const MatrixView& x, const MatrixView& y,
                               const MatrixView& centers, double bandwidth, double bandwidth_y, double regularization) {
  const std::string_view name = "sacde_objective";
  const Index d_x = x.rows();
  require(y.rows() > 0 && y.cols() > 0, name, ": y is ", y.rows(), " x ", y.cols(), ", expected rows of data");
  require(x.cols() == y.cols(), name, ": x has ", x.cols(), " rows of data and y has ", y.cols());
  require(centers.rows() == d_x + y.rows() && centers.cols() > 0, name, ": centers are ", centers.rows(), " x ",
          centers.cols(), ", expected columns of ", d_x + y.rows(), " numbers");
  require(alpha.rows() == centers.cols() && (alpha.cols() == d_x || alpha.cols() == d_x + 1), name, ": alpha is ",
          alpha.rows(), " x ", alpha.cols(), ", expected ", centers.cols(), " x ", d_x, ", or one column more");
  require(alpha.size() == 0 || alpha.minCoeff() >= 0, name, ": alpha has negative entries, expected >= 0");
  require(bandwidth > 0 && bandwidth_y > 0 && regularization > 0, name, ": bandwidth = ", bandwidth,
          ", bandwidth_y = ", bandwidth_y, ", regularization = ", regularization, ", expected numbers > 0");
  sacde::Problem problem;
  for (Index d = 0; d < d_x; ++d) {
    problem.features.emplace_back(Matrix(x.row(d).transpose()), Matrix(centers.row(d)));
  }
  problem.penalty_weights = Matrix::Ones(alpha.cols(), 1);
  if (alpha.cols() > d_x) {
    problem.features.push_back(sacde::constant_feature(x.cols(), centers.cols()));
    problem.penalty_weights(d_x, 0) = 0;
  }
  problem.y = y;
  problem.weights = Vector::Ones(y.cols());
  problem.centers_y = centers.bottomRows(y.rows());
  problem.fold_begin = {0, y.cols()};
  const sacde::KernelSums sums = sacde::kernel_sums(problem, bandwidth, {bandwidth_y}, false, 1);
  const sacde::Quadratics quadratics(problem, sums, bandwidth_y, 1e-15);
  const Matrix a = alpha;
  const Matrix q = quadratics[0].product(a);
  const Matrix& h = quadratics[0].linear();
  const auto certificate = certify_group_lasso(h, problem.penalty_weights.col(0), regularization, a, q);
  SacdeObjective out{certificate.objective, q - h, certificate.gap, certificate.kkt_residual};
  for (Index g = 0; g < a.cols(); ++g) {
    const double norm = a.col(g).norm();
    if (norm > 0) out.gradient.col(g) += regularization * problem.penalty_weights(g, 0) / norm * a.col(g);
  }
  return out;
}

}  // namespace condens
