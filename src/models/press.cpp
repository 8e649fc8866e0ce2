#include "condens/models/press.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/flush_subnormals.hpp"
#include "condens/core/parallel.hpp"
#include "preparation.hpp"
#include "press_information.hpp"
#include "press_search.hpp"

namespace condens {

using preparation::Standardized;
using press::Components;
using press::Fitted;
using press::Grid;
using press::Search;
using press::WidthRules;

namespace {

constexpr std::string_view owner = "PRESS";
constexpr double farthest = 1e150;        // of a standardised input: scores stay finite
constexpr double large_coefficient = 50;  // on the standardised scale: a step within 1/50 of a deviation

void check_options(const PressOptions& o, const Dataset& data) {
  validate_options(o, owner);
  const auto whole = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return v == std::floor(v); });
  };
  require(!o.n_states.empty() && whole(o.n_states), owner,
          ": n_states = ", detail::to_text(detail::number_list(o.n_states)), ", expected one whole number or more");
  require(whole(o.hidden), owner, ": hidden = ", detail::to_text(detail::number_list(o.hidden)),
          ", expected whole numbers");
  require(!o.regularization.empty(), owner, ": regularization has no number, expected one or candidates");
  const Index widths = std::ssize(o.bandwidth_y);
  const bool fits = widths <= 1 || (o.n_states.size() == 1 && o.n_states.front() == static_cast<double>(widths));
  require(fits, owner, ": bandwidth_y has ", widths,
          " numbers, expected one, or one for each state of a given n_states");
  require(widths <= 1 || !o.common_bandwidth, owner, ": bandwidth_y has ", widths,
          " numbers, expected one: common_bandwidth = true");
  const double fewest = *std::min_element(o.n_states.begin(), o.n_states.end());
  require(fewest <= static_cast<double>(data.size()), owner, ": n_states = ", fewest, ", expected at most the ",
          data.size(), " rows");
}

std::vector<double> ascending(std::vector<double> values, double instead) {
  if (values.empty()) values.push_back(instead);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

Grid list_candidates(const PressOptions& options, Index n, FitReport& report) {
  Grid out{{}, ascending(options.regularization, 0), ascending(options.lasso, 0)};
  Index most = 0;
  for (const double states : ascending(options.n_states, 1)) {
    most = static_cast<Index>(states);
    if (most <= n) out.states.push_back(most);
  }
  if (most > n) {
    report.warnings.push_back(message("n_states above the ", n, " rows were not tried"));
  }
  return out;
}

/// Rows as the fit takes them: copies are one row of their common weight, and weights that add up
/// to less than the number of rows are shares of it.
Dataset rows_of_fit(const Dataset& rows, bool merge) {
  Dataset out = rows;
  if (merge) {
    Matrix points(rows.x.rows() + rows.y.rows(), rows.size());
    if (rows.x.rows() > 0) points.topRows(rows.x.rows()) = rows.x;
    points.bottomRows(rows.y.rows()) = rows.y;
    const std::vector<Index> first = first_equal_columns(points);
    Index i = 0;
    if (std::any_of(first.begin(), first.end(), [&](Index k) { return k != i++; })) {
      out = preparation::merge_copies(rows);
    }
  }
  if (out.weights.size() > 0) {
    const double n = static_cast<double>(out.size());
    out.weights *= std::max(1.0, n / out.weights.sum());
  }
  return out;
}

struct Candidate {
  Index states;
  double ridge;
  double lasso;
  double score = 0;
  double standard_error = 0;
};

std::vector<Candidate> candidates_of(const Grid& grid) {
  std::vector<Candidate> out;
  for (const double ridge : grid.ridges) {
    for (const Index states : grid.states) {
      for (const double lasso : grid.lassos) out.push_back({states, ridge, lasso});
    }
  }
  return out;
}

/// All that a fit on some rows needs to know.
struct Setting {
  const PressOptions& options;
  const WidthRules& rules;
  const Defensive& defensive;
};

/// log p(y|x) of the rows `test` by a fit on `train`.
Vector held_out_log_density(const Fitted& fitted, const Dataset& train, const Dataset& test, const Setting& setting) {
  const Matrix w = fitted.map.weights(fitted.theta, train.x);
  const PressStates states = press_states(w, train.y, train.weights);
  const Matrix shifts =
      setting.options.corrected_levels ? Matrix(states.levels - states.means) : Matrix::Zero(train.y.rows(), w.rows());
  const Components components = press::make_components(w, train, fitted.widths, setting.rules, shifts);
  return press::laws_at(fitted.map.weights(fitted.theta, test.x), components.shares,
                        press::mixture_components(components, setting.defensive), setting.defensive)
      .log_pdf(test.y, {.threads = 1, .observer = {}});
}

/// Mean negative log density of rows held out in turn.
void score_by_folds(std::vector<Candidate>& candidates, const Grid& grid, const Dataset& rows,
                    const std::vector<Index>& fold, const Setting& setting, Task& task) {
  const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
  const Index per_fold = std::ssize(candidates);
  Matrix log_density(rows.size(), per_fold);
  const int inner = std::max(1, task.threads() / static_cast<int>(folds));
  parallel_for(
      folds, task.threads(),
      [&](Index k) {
        std::vector<Index> test_rows;
        for (Index i = 0; i < rows.size(); ++i) {
          if (fold[static_cast<std::size_t>(i)] == k) test_rows.push_back(i);
        }
        const auto [train, test] = preparation::without_fold(rows, fold, k);
        const Search search(train, setting.options, setting.rules, setting.defensive, inner, [&] { task.poll(); });
        Index at = 0;
        for (const double ridge : grid.ridges) {
          for (Fitted& fitted : search.path(grid, ridge)) {
            search.learn_widths(fitted);
            log_density(test_rows, at++) = held_out_log_density(fitted, train, test, setting);
            task.advance(1);
          }
        }
      },
      [&] { task.poll(); });
  const Vector share = rows.weights / rows.weights.sum();
  for (Index c = 0; c < per_fold; ++c) {
    Candidate& candidate = candidates[static_cast<std::size_t>(c)];
    candidate.score = -share.dot(log_density.col(c));
    candidate.standard_error =
        std::sqrt((share.array() * (log_density.col(c).array() + candidate.score)).square().sum());
  }
}

void score_by_aic(std::vector<Candidate>& candidates, std::vector<Fitted>& fits, const Grid& grid, const Dataset& rows,
                  const Search& search, const Setting& setting, Task& task) {
  for (const double ridge : grid.ridges) {
    for (Fitted& fitted : search.path(grid, ridge)) {
      candidates[fits.size()].score = aic(fitted, rows, setting.options, setting.rules, setting.defensive);
      fits.push_back(std::move(fitted));
      task.advance(1);
    }
  }
}

void report_candidates(const std::vector<Candidate>& candidates, const Candidate& best, const Grid& grid,
                       FitReport& report) {
  const auto column = [&](const auto& get) { return preparation::column(candidates, get); };
  Document table(Document::Object{});
  if (grid.states.size() > 1) {
    table.set("n_states", column([](const Candidate& c) { return static_cast<double>(c.states); }));
  }
  if (grid.ridges.size() > 1) table.set("regularization", column([](const Candidate& c) { return c.ridge; }));
  if (grid.lassos.size() > 1) table.set("lasso", column([](const Candidate& c) { return c.lasso; }));
  table.set("score", column([](const Candidate& c) { return c.score; }));
  table.set("standard_error", column([](const Candidate& c) { return c.standard_error; }));
  report.details.set("candidates", std::move(table));
  preparation::warn_at_edge(grid.ridges, best.ridge, "regularization", report);
}

/// What AIC compared, with the degrees of freedom that the paper advises to watch beside J.
void report_path(const std::vector<Fitted>& fits, const Dataset& rows, FitReport& report) {
  Matrix columns(std::ssize(fits), 4);
  for (Index k = 0; k < columns.rows(); ++k) {
    const Fitted& own = fits[static_cast<std::size_t>(k)];
    const Matrix w = own.map.weights(own.theta, rows.x);
    const PressStates states = press_states(w, rows.y, rows.weights);
    const double mse = (rows.y - states.means * w).colwise().squaredNorm().dot(rows.weights) / rows.weights.sum();
    columns.row(k) << static_cast<double>(own.map.n_states()), states.freedom(), mse,
        static_cast<double>(own.iterations);
  }
  report.details.set("path", Document::Object{{"n_states", Vector(columns.col(0))},
                                              {"degrees_of_freedom", Vector(columns.col(1))},
                                              {"mse", Vector(columns.col(2))},
                                              {"iterations", Vector(columns.col(3))}});
}

/// The best candidate's fit.
Fitted choose(const Grid& grid, const Dataset& rows, const std::vector<Index>& fold, const Setting& setting,
              const Run& run, FitReport& report) {
  std::vector<Candidate> candidates = candidates_of(grid);
  const bool by_folds = candidates.size() > 1 && !fold.empty();
  Task task(run, "fitting states", static_cast<double>(candidates.size()) * (by_folds ? 6.0 : 1.0));
  const Search search(rows, setting.options, setting.rules, setting.defensive, task.threads(), [&] { task.poll(); });
  std::vector<Fitted> fits;
  if (by_folds) {
    score_by_folds(candidates, grid, rows, fold, setting, task);
  } else if (candidates.size() > 1) {
    score_by_aic(candidates, fits, grid, rows, search, setting, task);
    report_path(fits, rows, report);
  }
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
  if (candidates.size() > 1) report_candidates(candidates, *best, grid, report);
  if (!fits.empty()) return fits[static_cast<std::size_t>(best - candidates.begin())];
  Grid rest = grid;
  std::erase_if(rest.states, [&](Index states) { return states > best->states; });
  std::erase_if(rest.lassos, [&](double lasso) { return lasso > best->lasso; });
  return search.last_of_path(rest, best->ridge);
}

/// By increasing mean of the first target (errata P9).
void sort_states(Fitted& fitted, const Dataset& rows) {
  const Index states = fitted.map.n_states();
  const PressStates found = press_states(fitted.map.weights(fitted.theta, rows.x), rows.y, rows.weights);
  std::vector<Index> order(static_cast<std::size_t>(states));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return found.means(0, a) < found.means(0, b); });
  fitted.theta = fitted.map.reordered(fitted.theta, order);
  fitted.widths = Vector(fitted.widths(order));
}

Vector entropy_of(const Matrix& w) {  // eq. 18
  return (w.array() > 0).select(-w.array() * w.array().max(1e-300).log2(), 0.0).colwise().sum().transpose();
}

void warn_of_widths(const Fitted& fitted, const PressOptions& options, const WidthRules& rules, FitReport& report) {
  if (rules.given.size() > 0 || fitted.widths.minCoeff() > 1.05 * rules.floor) return;
  report.warnings.push_back(message("a learned width of a state stands at bandwidth_y_floor, ",
                                    options.bandwidth_y_floor,
                                    " standard deviations of y; with ties in y the log score says little"));
}

void warn_of_states(const Fitted& fitted, const PressStates& states, FitReport& report) {
  const double largest = fitted.theta.cwiseProduct(fitted.map.is_coefficient()).cwiseAbs().maxCoeff();
  if (largest > large_coefficient) {
    report.warnings.push_back(message("coefficients reach ", largest,
                                      " on the standardised scale: states are separable or nearly so, and the "
                                      "coefficients run off; a larger regularization keeps them in bounds"));
  }
  const Index empty = (states.sizes.array() <= 1e-3).count();
  if (empty > 0) {
    report.warnings.push_back(
        message(empty, empty == 1 ? " state holds" : " states hold", " no rows; fewer n_states would do"));
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
  out.holdout = 0.2;
  out.max_iterations = 2000;
  out.common_bandwidth = true;
  out.compression_tolerance = 0;
  out.defensive_weight = 0;
  return out;
}

struct Press::Parameters {
  PressOptions options;
  PressMap map;
  Vector theta;
  Found found;
  Components components;
  Defensive defensive;
};

Press::Press(Parameters p, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : ConditionalDensity(std::move(x_scale), std::move(y_scale), std::move(report)),
      options_(std::move(p.options)),
      map_(std::move(p.map)),
      theta_(std::move(p.theta)),
      found_(std::move(p.found)),
      centers_(std::move(p.components.centers)),
      widths_(std::move(p.components.widths)),
      shares_(std::move(p.components.shares)),
      defensive_(std::move(p.defensive)),
      components_(press::mixture_components({centers_, widths_, {}}, defensive_)) {}

GaussianMixtures Press::laws(const MatrixView& x) const {
  const Matrix near = x.cwiseMax(-farthest).cwiseMin(farthest);
  return press::laws_at(map_.weights(theta_, near), shares_, components_, defensive_);
}

Matrix Press::state_weights(const MatrixView& x) const {
  require(x.rows() == n_inputs(), owner, ": x has ", x.rows(), " rows (one per dimension), expected ", n_inputs());
  require(x.allFinite(), owner, ": x holds NaN or infinity");
  return map_.weights(theta_, x_scale().transform(x).cwiseMax(-farthest).cwiseMin(farthest));
}

Vector Press::entropy(const MatrixView& x) const { return entropy_of(state_weights(x)); }

Document Press::to_document() const {
  Document out = Document::Object{{"options", options()},
                                  {"x_scale", x_scale().to_document()},
                                  {"y_scale", y_scale().to_document()},
                                  {"n_states", n_states()},
                                  {"theta", theta_},
                                  {"component_centers", centers_},
                                  {"component_widths", widths_},
                                  {"component_shares", shares_},
                                  {"standard_errors", found_.standard_errors},
                                  {"state_means", found_.means},
                                  {"state_levels", found_.levels},
                                  {"state_inputs", found_.inputs},
                                  {"state_sizes", found_.sizes},
                                  {"bandwidths", found_.bandwidths},
                                  {"degrees_of_freedom", found_.freedom},
                                  {"mean_entropy", found_.entropy},
                                  {"report", report().to_document()}};
  defensive_.write(out);
  return out;
}

namespace {

PressMap map_of(const PressOptions& options, Index n_inputs, Index n_states) {
  std::vector<Index> hidden;
  for (const double width : options.hidden) hidden.push_back(static_cast<Index>(width));
  return {n_inputs, n_states, hidden, options.activation};
}

Matrix coefficients_of(const PressMap& map, const Vector& theta) {
  return map.n_layers() == 1 ? Matrix(map.layer(theta, 0)) : Matrix();
}

}  // namespace

Press Press::from_document(const Document& document) {
  PressOptions options;
  set_options(options, owner, document.at("options"));
  Standardizer x_scale = Standardizer::from_document(document.at("x_scale"));
  Standardizer y_scale = Standardizer::from_document(document.at("y_scale"));
  const Index d_x = x_scale.dimension();
  const Index d_y = y_scale.dimension();
  const Index states = document.at("n_states").as_integer();
  const Components components{document.at("component_centers").as_matrix(), document.at("component_widths").as_vector(),
                              document.at("component_shares").as_matrix()};
  const Index count = components.widths.size();
  const bool shares_agree = states >= 1 && count >= 1 && components.centers.rows() == d_y &&
                            components.centers.cols() == count && components.shares.rows() == count &&
                            components.shares.cols() == states;
  if (!shares_agree || !(components.widths.minCoeff() > 0) || !(components.shares.minCoeff() >= 0)) {
    throw FormatError("PRESS: the components do not fit together");
  }
  PressMap map = map_of(options, d_x, states);
  Vector theta = document.at("theta").as_vector();
  Found found;
  found.standard_errors = document.at("standard_errors").as_matrix();
  found.means = document.at("state_means").as_matrix();
  found.levels = document.at("state_levels").as_matrix();
  found.inputs = document.at("state_inputs").as_matrix();
  found.sizes = document.at("state_sizes").as_vector();
  found.bandwidths = document.at("bandwidths").as_vector();
  found.freedom = document.at("degrees_of_freedom").as_number();
  found.entropy = document.at("mean_entropy").as_number();
  const auto is = [states](const Matrix& m, Index rows) { return m.rows() == rows && m.cols() == states; };
  if (theta.size() != map.n_parameters() || !theta.allFinite() || !is(found.means, d_y) || !is(found.levels, d_y) ||
      !is(found.inputs, d_x) || found.sizes.size() != states || found.bandwidths.size() != states) {
    throw FormatError("PRESS: the parameters do not fit together");
  }
  found.coefficients = coefficients_of(map, theta);
  Defensive defensive = Defensive::read(document, options.defensive_weight, d_y);
  return Press(
      {std::move(options), std::move(map), std::move(theta), std::move(found), components, std::move(defensive)},
      std::move(x_scale), std::move(y_scale), FitReport::from_document(document.at("report")));
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
  const Standardized standardized = preparation::standardize(owner, given, options.standardize);
  preparation::warn_of_constant_inputs(standardized, report);
  const Dataset& rows = standardized.data;
  const Grid grid = list_candidates(options, rows.size(), report);
  require(!grid.states.empty(), owner, ": n_states = ", options.n_states.front(), ", expected at most the ",
          rows.size(), " different rows");
  std::vector<Index> fold;
  if (by_folds && candidates_of(grid).size() > 1) {
    std::vector<double> cv = options.cv;
    if (cv.size() == 1) cv.front() = std::min(cv.front(), static_cast<double>(rows.size()));
    fold = preparation::folds_of(cv, own_folds ? data : rows, options.seed);
  }

  const Defensive defensive = Defensive::fit(options.defensive_weight, rows);
  WidthRules rules{.floor = options.bandwidth_y_floor * 0.5 * defensive.scale.mean(),
                   .common = options.common_bandwidth,
                   .tolerance = options.compression_tolerance};
  rules.given = Eigen::Map<const Vector>(options.bandwidth_y.data(), std::ssize(options.bandwidth_y));
  const Setting setting{options, rules, defensive};
  Fitted fitted = choose(grid, rows, fold, setting, run, report);
  const int threads = resolve_threads(run.threads);
  Search(rows, options, rules, defensive, threads, {}).learn_widths(fitted);
  if (fitted.lasso == 0) fitted.theta = fitted.map.centered(std::move(fitted.theta));
  sort_states(fitted, rows);

  const Matrix w = fitted.map.weights(fitted.theta, rows.x);
  const PressStates states = press_states(w, rows.y, rows.weights);
  const Matrix shifts =
      options.corrected_levels ? Matrix(states.levels - states.means) : Matrix::Zero(rows.y.rows(), w.rows());
  Found found;
  found.coefficients = coefficients_of(fitted.map, fitted.theta);
  found.standard_errors = press::standard_errors(fitted, rows, options, rules, defensive, threads);
  found.means = standardized.y.inverse_transform(states.means);
  found.levels = standardized.y.inverse_transform(states.levels);
  const Vector inverse = (states.sizes.array() > 0).select(states.sizes.array().max(1e-300).inverse(), 0.0);
  found.inputs = rows.x * (w * rows.weights.asDiagonal()).transpose() * inverse.asDiagonal();
  if (rows.x.rows() > 0) found.inputs = standardized.x.inverse_transform(found.inputs);
  found.sizes = states.sizes;
  found.bandwidths = fitted.widths;
  found.freedom = states.freedom();
  found.entropy = entropy_of(w).dot(rows.weights) / rows.weights.sum();
  warn_of_states(fitted, states, report);
  warn_of_widths(fitted, options, rules, report);

  const auto mean_square = [&](const Matrix& residuals) {
    return residuals.colwise().squaredNorm().dot(rows.weights) / rows.weights.sum();
  };
  report.details.set("n_states", fitted.map.n_states());
  report.details.set("degrees_of_freedom", found.freedom);
  report.details.set("regularization", fitted.ridge);
  report.details.set("lasso", fitted.lasso);
  report.details.set("n_inputs_used",
                     fitted.map.n_layers() > 1
                         ? rows.x.rows()
                         : (found.coefficients.bottomRows(rows.x.rows()).array() != 0).rowwise().any().count());
  report.details.set("iterations", fitted.iterations);
  report.details.set("search", to_string(fitted.status));
  if (fitted.status == LbfgsStatus::iteration_limit && options.holdout == 0) report.status = to_string(fitted.status);
  report.details.set("mse", mean_square(rows.y - states.means * w));
  report.details.set("mse_of_levels", mean_square(rows.y - states.levels * w));
  report.details.set("leave_one_out_nll", press::leave_one_out_nll(fitted, rows, rules, defensive));
  Components components = press::make_components(w, rows, fitted.widths, rules, shifts);
  report.details.set("n_components", components.widths.size());
  return Press({options, fitted.map, fitted.theta, std::move(found), std::move(components), defensive}, standardized.x,
               standardized.y, std::move(report));
}

}  // namespace condens
