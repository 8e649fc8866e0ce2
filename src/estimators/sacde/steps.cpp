#include "steps.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>

#include "condens/core/errors.hpp"
#include "condens/data/folds.hpp"
#include "core/flush_subnormals.hpp"
#include "estimators/screening/rank_tests.hpp"
#include "model/preparation.hpp"
#include "model/table_passes.hpp"
#include "passes.hpp"

namespace condens::sacde {

namespace {

constexpr std::string_view owner = "SACDE";

bool compares_candidates(const SacdeOptions& options) {
  return options.bandwidth.size() > 1 || options.bandwidth_y.size() > 1 || options.regularization.size() > 1 ||
         (options.adaptive && options.first_regularization.size() > 1);
}

/// The least score, the first of equals; of its widths the largest penalty within one standard error, if so asked.
const PathPoint& pick(const std::vector<PathPoint>& points, SelectionRule rule) {
  const auto best = std::min_element(points.begin(), points.end(),
                                     [](const PathPoint& a, const PathPoint& b) { return a.score < b.score; });
  if (rule == SelectionRule::minimum || !std::isfinite(best->score)) return *best;
  return *std::find_if(points.begin(), points.end(), [&](const PathPoint& point) {
    return point.bandwidth == best->bandwidth && point.bandwidth_y == best->bandwidth_y &&
           point.score <= best->score + best->standard_error;
  });
}

Document candidates_to_document(const std::vector<PathPoint>& points) {
  const auto column = [&](const auto& value) { return preparation::column(points, value); };
  return Document::Object{{"bandwidth", column([](const PathPoint& p) { return p.bandwidth; })},
                          {"bandwidth_y", column([](const PathPoint& p) { return p.bandwidth_y; })},
                          {"regularization", column([](const PathPoint& p) { return p.regularization; })},
                          {"score", column([](const PathPoint& p) { return p.score; })},
                          {"standard_error", column([](const PathPoint& p) { return p.standard_error; })}};
}

/// Norms of the coefficients at the chosen widths, for the inputs that are selected anywhere on the path.
Document path_to_document(const std::vector<PathPoint>& points, const PathPoint& chosen, const Prepared& prepared,
                          bool scored) {
  std::vector<const PathPoint*> path;
  for (const PathPoint& point : points) {
    if (point.bandwidth == chosen.bandwidth && point.bandwidth_y == chosen.bandwidth_y) path.push_back(&point);
  }
  Matrix norms(prepared.problem.groups(), std::ssize(path));
  for (Index l = 0; l < norms.cols(); ++l) {
    norms.col(l) =
        group_norms(path[static_cast<std::size_t>(l)]->solutions.front(), norms.rows(), prepared.problem.centers());
  }
  std::vector<Index> shown;
  for (Index g = 0; g < norms.rows(); ++g) {
    if (prepared.input_of_group[static_cast<std::size_t>(g)] >= 0 && norms.row(g).maxCoeff() > 0) shown.push_back(g);
  }
  Vector inputs(std::ssize(shown));
  for (Index i = 0; i < inputs.size(); ++i) {
    const Index group = prepared.input_of_group[static_cast<std::size_t>(shown[static_cast<std::size_t>(i)])];
    inputs[i] = static_cast<double>(prepared.inputs.inputs[static_cast<std::size_t>(group)].front());
  }
  const auto column = [&](const auto& value) {
    return preparation::column(path, [&](const PathPoint* point) { return value(*point); });
  };
  Document out = Document::Object{{"regularization", column([](const PathPoint& p) { return p.lambda; })},
                                  {"inputs", std::move(inputs)},
                                  {"norms", Matrix(norms(shown, Eigen::all))},
                                  {"chosen", chosen.lambda}};
  if (scored) {
    out.set("score", column([](const PathPoint& p) { return p.score; }));
    out.set("standard_error", column([](const PathPoint& p) { return p.standard_error; }));
  }
  return out;
}

/// Of a penalty: how often H of all inputs was multiplied by a vector, for all rows.
double mean_products(const std::vector<PathPoint>& points) {
  double sum = 0;
  for (const PathPoint& point : points) sum += static_cast<double>(point.products);
  return sum / static_cast<double>(points.size());
}

bool selects_inputs(const Problem& problem, const PathPoint& point) {
  return selected_inputs(problem, point.solutions.front()) > 0;
}

/// The points whose solution of all rows uses every input; all of them where there is none.
std::vector<PathPoint> that_select_all(const std::vector<PathPoint>& points, const Prepared& prepared) {
  const Index inputs = prepared.problem.groups() - (prepared.input_of_group.back() < 0 ? 1 : 0);
  std::vector<PathPoint> out;
  std::copy_if(points.begin(), points.end(), std::back_inserter(out), [&](const PathPoint& point) {
    return selected_inputs(prepared.problem, point.solutions.front()) == inputs;
  });
  return out.empty() ? points : out;
}

/// The path at a point's widths over the inputs that its solutions use, penalised by the inverse of their norms there.
std::vector<PathPoint> follow_again(const Problem& problem, const PathPoint& first, const PathOptions& options,
                                    Task& task) {
  const Reweighted again = reweight(problem, first.solutions);
  const bool dense = is_dense(again.problem);
  const KernelSums sums = kernel_sums(again.problem, first.bandwidth, {first.bandwidth_y}, dense, task.threads());
  auto path = follow_path(again.problem, options, sums, first.bandwidth_y, infinity, task, task.threads());
  for (PathPoint& point : path) {
    for (Terms& solution : point.solutions) {
      for (Index& c : solution.coordinate) {
        c = again.group[static_cast<std::size_t>(c / problem.centers())] * problem.centers() + c % problem.centers();
      }
    }
  }
  return path;
}

/// The paths of all widths. Those that may stop early are followed one after another, from wide to narrow, so that the
/// narrow ones, which take the longest, are held against the wide; so are those of large problems, whose memory would
/// grow with threads. Otherwise one width of x per thread. The arithmetic is the same.
std::vector<PathPoint> follow_paths(const Problem& problem, const PathOptions& options,
                                    const std::vector<double>& bandwidth, const std::vector<double>& bandwidth_y,
                                    Task& task) {
  const bool dense = is_dense(problem);
  constexpr Index largest_side_by_side = 1500;  // order of H: 20 MB for each fold and width
  const bool small = dense && problem.groups() * problem.centers() <= largest_side_by_side;
  const bool one_by_one = options.stop_early || !small || problem.elsewhere;
  const int inner_threads = one_by_one ? task.threads() : 1;
  const auto from_wide_to_narrow = [](const std::vector<double>& widths) {
    std::vector<std::size_t> order(widths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return widths[a] > widths[b]; });
    return order;
  };
  const auto order = from_wide_to_narrow(bandwidth);
  std::vector<std::vector<std::vector<PathPoint>>> found(bandwidth.size());
  double best = infinity;
  parallel_for(
      std::ssize(bandwidth), one_by_one ? 1 : task.threads(),
      [&](Index i) {
        const std::size_t index = order[static_cast<std::size_t>(i)];
        const std::vector<double> widths = bandwidth_y.empty() ? std::vector{bandwidth[index]} : bandwidth_y;
        const KernelSums sums = kernel_sums(problem, bandwidth[index], widths, dense, inner_threads);
        found[index].resize(widths.size());
        for (const std::size_t j : from_wide_to_narrow(widths)) {
          auto& path = found[index][j];
          path = follow_path(problem, options, sums, widths[j], one_by_one ? best : infinity, task, inner_threads);
          if (!one_by_one) continue;
          for (const PathPoint& point : path) best = std::min(best, point.score);
        }
      },
      [&] { task.poll(); });
  std::vector<PathPoint> out;
  for (auto& paths : found) {
    for (auto& path : paths) std::move(path.begin(), path.end(), std::back_inserter(out));
  }
  return out;
}

/// Centres as they are given, or at rows of `data`, standardised, which it names.
std::vector<Index> place_centers(const Dataset& data, const SacdeOptions& options, const Run& run, Prepared& out,
                                 FitReport& report) {
  std::vector<Index> rows;
  if (options.centers.size() == 0) {
    rows = preparation::choose_center_rows(data, options.center_selection, options.n_centers, options.seed,
                                           resolve_threads(run.threads), report);
    out.centers_x = data.x(Eigen::all, rows);
    out.problem.centers_y = data.y(Eigen::all, rows);
  } else {
    out.centers_x = out.x_scale.transform(options.centers.topRows(data.x.rows()));
    out.problem.centers_y = out.y_scale.transform(options.centers.bottomRows(data.y.rows()));
  }
  out.problem.center_fold.assign(static_cast<std::size_t>(out.problem.centers()), -1);
  return rows;
}

/// Without inputs there is nothing but the marginal to estimate.
void add_constant_group(Index rows, const SacdeOptions& options, Prepared& out) {
  Problem& problem = out.problem;
  if (options.constant_group || problem.features.empty()) {
    problem.features.push_back(constant_feature(rows, problem.centers()));
    out.input_of_group.push_back(-1);
  }
  problem.penalty_weights = Matrix::Ones(problem.groups(), problem.problems());
  if (out.input_of_group.back() < 0) problem.penalty_weights.bottomRows(1).setZero();
}

}  // namespace

Feature constant_feature(Index rows, Index centers) { return {Matrix(rows, 0), Matrix(0, centers)}; }

std::vector<Index> screened_inputs(const Dataset& rows, const SacdeOptions& options, const Run& run) {
  const InputGroups groups = input_groups(rows, options.groups);
  if (options.screening == 0 || options.screening >= groups.size()) {
    std::vector<Index> all(static_cast<std::size_t>(groups.size()));
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  }
  const auto tests = screening::rank_tests(rows, screening::marginal_scores(rows), {}, resolve_threads(run.threads));
  std::vector<screening::RankTest> of_groups;
  for (const auto& inputs : groups.inputs) {
    screening::RankTest together;
    for (const Index input : inputs) {
      const screening::RankTest& own = tests[static_cast<std::size_t>(input)];
      together = {std::max(together.z, own.z), together.pairs + own.pairs};
    }
    of_groups.push_back(together);
  }
  return screening::most_dependent(of_groups, options.screening);
}

Prepared prepare(const Dataset& given, const Dataset& rows, const std::vector<Index>& among,
                 const SacdeOptions& options, const Run& run, FitReport& report) {
  preparation::Standardized standardized = preparation::standardize(owner, rows, options.standardize);
  const Dataset& data = standardized.data;
  Prepared out{standardized.x, standardized.y, {}, {}, {}, input_groups(rows, options.groups), {}};
  const std::vector<Index> center_rows = place_centers(data, options, run, out, report);
  Problem& problem = out.problem;

  std::vector<Index> order(static_cast<std::size_t>(rows.size()));
  std::iota(order.begin(), order.end(), Index{0});
  problem.fold_begin = {0, rows.size()};
  if (compares_candidates(options)) {
    const std::vector<Index> fold = preparation::folds_of(options.cv, given, options.seed);
    preparation::FoldOrder sorted = preparation::sort_by_fold(fold);
    order = std::move(sorted.order);
    problem.fold_begin = std::move(sorted.begin);
    for (std::size_t l = 0; options.mask_centers && l < center_rows.size(); ++l) {
      problem.center_fold[l] = fold[static_cast<std::size_t>(center_rows[l])];
    }
  }
  problem.y = data.y(Eigen::all, order);
  problem.weights = data.weights(order);
  problem.defensive = Defensive::fit(options.defensive_weight, data);

  const auto& inputs = out.inputs.rows;
  for (std::size_t d = 0; d < inputs.size(); ++d) {
    Feature feature(data.x(inputs[d], order).transpose(), out.centers_x(inputs[d], Eigen::all));
    // Unstandardised data are taken as they are: the group of a constant input is a constant one, unless there is one.
    if (feature.is_constant() && (options.standardize || options.constant_group)) {
      report.warnings.push_back(message("input ", inputs[d].front() + 1, " is constant and plays no part"));
      continue;
    }
    if (!std::binary_search(among.begin(), among.end(), static_cast<Index>(d))) continue;
    problem.features.push_back(std::move(feature));
    out.input_of_group.push_back(static_cast<Index>(d));
  }
  add_constant_group(rows.size(), options, out);
  return out;
}

bool fits_into_sums(Index inputs, Index centers, const SacdeOptions& options, Index rows) {
  const Index groups = options.constant_group || inputs == 0 ? inputs + 1 : inputs;
  const double folds = compares_candidates(options) ? std::min(options.cv.front(), static_cast<double>(rows)) : 1.0;
  const double order = static_cast<double>(groups) * static_cast<double>(centers);
  return folds * order * order <= most_numbers_of_sums;
}

Prepared prepare(RowSums& table, const SacdeOptions& options, const Run& run, FitReport& report) {
  const table_passes::Extent extent = table_passes::extent_of(table);
  const table_passes::Scale scale = table_passes::Scale::of(table, extent, owner, options.standardize, report);
  const Index count = std::max(most_rows_at_once, 50 * options.n_centers);
  const table_passes::Sample drawn = table_passes::sample_of(table, count, options.seed);
  const Dataset sample = scale.standardized(drawn.rows);
  Prepared out{scale.x(), scale.y(), {}, {}, {}, input_groups(sample, options.groups), sample.y};
  const std::vector<Index> center_rows = place_centers(sample, options, run, out, report);
  Problem& problem = out.problem;
  problem.y = Matrix(table.n_targets(), 0);
  problem.defensive = scale.defensive(options.defensive_weight);
  problem.elsewhere = Elsewhere{.table = &table,
                                .rows = extent.rows,
                                .scale = scale.to_document(),
                                .folds = 1,
                                .seed = options.seed,
                                .centers_x = out.centers_x,
                                .rows_of_group = {}};
  if (compares_candidates(options)) {
    const Index folds = table_passes::number_of_folds(owner, options.cv, extent.rows);
    problem.elsewhere->folds = folds;
    std::vector<Index> places;
    for (const Index row : center_rows) places.push_back(drawn.places[static_cast<std::size_t>(row)]);
    const std::vector<Index> fold = folds_at_places(places, folds, static_cast<std::uint64_t>(options.seed));
    for (std::size_t l = 0; options.mask_centers && l < fold.size(); ++l) problem.center_fold[l] = fold[l];
  }
  problem.fold_begin.assign(static_cast<std::size_t>(problem.elsewhere->folds) + 1, 0);

  const auto& inputs = out.inputs.rows;
  std::vector<Index> among;
  for (const Index d : screened_inputs(drawn.rows, options, run)) {
    const auto& own = inputs[static_cast<std::size_t>(d)];
    const bool constant = (extent.low(own).array() == extent.high(own).array()).all();
    if (!constant || !(options.standardize || options.constant_group)) among.push_back(d);
  }
  require(fits_into_sums(std::ssize(among), problem.centers(), options, extent.rows), owner, ": ", among.size(),
          " inputs at ", problem.centers(), " centers in ", problem.folds(),
          " folds are too many for sums over the rows of a table; ",
          "give a smaller n_centers, or screening, the number of inputs on which y depends most");
  for (const Index d : among) {
    const auto& own = inputs[static_cast<std::size_t>(d)];
    problem.features.emplace_back(Matrix(0, std::ssize(own)), out.centers_x(own, Eigen::all), false);
    problem.elsewhere->rows_of_group.push_back(own);
    out.input_of_group.push_back(d);
  }
  add_constant_group(0, options, out);
  if (out.input_of_group.back() < 0) problem.elsewhere->rows_of_group.emplace_back();
  return out;
}

std::optional<Widths> search_widths(const Dataset& given, const Dataset& rows, const SacdeOptions& options,
                                    const Run& run, FitReport& report) {
  const Index inputs = input_groups(rows, options.groups).size();
  const Index all = options.screening > 0 ? std::min(options.screening, inputs) : inputs;
  if (options.search_inputs == 0 || all <= options.search_inputs) return {};
  if (options.bandwidth.size() < 2 && options.bandwidth_y.size() < 2) return {};
  SacdeOptions few = options;
  few.screening = options.search_inputs;
  FitReport told;  // its warnings are those of the fit that follows
  const Prepared prepared = prepare(given, rows, screened_inputs(rows, few, run), few, run, told);
  const PathPoint point = choose(prepared, few, run, told).point;
  for (const char* name : {"candidates", "fold_scores"}) {
    if (const Document* found = told.details.find(name)) report.details.set(name, *found);
  }
  return Widths{point.bandwidth, point.bandwidth_y};
}

Chosen choose(const Prepared& prepared, const SacdeOptions& options, const Run& run, FitReport& report,
              bool every_input, const std::optional<Widths>& widths) {
  const Problem& problem = prepared.problem;
  // Without inputs that vary, widths of x and penalties of their own have nothing to act on.
  const bool without_inputs = prepared.input_of_group.front() < 0;
  std::vector<double> bandwidth = widths ? std::vector{widths->x} : options.bandwidth;
  const std::vector<double> bandwidth_y =
      widths && !options.bandwidth_y.empty() ? std::vector{widths->y} : options.bandwidth_y;
  if (without_inputs && !options.bandwidth_y.empty()) bandwidth.resize(1);
  const auto falling = [&](std::vector<double> penalties) {
    std::sort(penalties.begin(), penalties.end(), std::greater<>());
    if (without_inputs) penalties.resize(1);
    return penalties;
  };
  const auto again = falling(options.regularization);
  const bool has_own_penalties = options.adaptive && !options.first_regularization.empty();
  PathOptions path{.regularization = has_own_penalties ? falling(options.first_regularization) : again,
                   .scale = options.regularization_scale,
                   .solver = options.solver,
                   .tolerance = options.tolerance,
                   .stop_early = options.stop_early,
                   .scoring = options.scoring};
  const Index paths = std::ssize(bandwidth) * std::max<Index>(1, std::ssize(bandwidth_y));
  Task task(run, "following the paths of penalties",
            static_cast<double>(paths * std::ssize(path.regularization)) +
                static_cast<double>(options.adaptive ? again.size() : 0));
  const std::vector<PathPoint> candidates = follow_paths(problem, path, bandwidth, bandwidth_y, task);
  const auto admitted = [&](const std::vector<PathPoint>& points) {
    return every_input ? that_select_all(points, prepared) : points;
  };
  const PathPoint first = pick(admitted(candidates), options.selection_rule);
  const bool twice = options.adaptive && selects_inputs(problem, first);
  path.regularization = again;
  const std::vector<PathPoint> points = twice ? follow_again(problem, first, path, task) : candidates;
  const PathPoint chosen = twice ? pick(admitted(points), SelectionRule::minimum) : first;

  const bool scored = problem.folds() > 1;
  if (scored) {
    if (selects_inputs(problem, chosen)) {
      preparation::warn_at_edge(options.bandwidth, chosen.bandwidth, "bandwidth", report);
    }
    preparation::warn_at_edge_of_y(options.bandwidth_y, chosen.bandwidth_y,
                                   problem.elsewhere ? prepared.sampled_y : problem.y, report);
    if (!widths) {
      report.details.set("candidates", candidates_to_document(candidates));
      preparation::report_folds(
          candidates, [](const PathPoint& p) { return p.folds; }, report);
    }
    if (std::isfinite(chosen.score)) {
      report.details.set("score", chosen.score);
      report.details.set("score_standard_error", chosen.standard_error);
    }
  }
  report.details.set("path", path_to_document(points, chosen, prepared, scored));
  report.details.set(
      "certificate",
      Document::Object{{"relative_gap", std::min(chosen.certificate.relative_gap, std::numeric_limits<double>::max())},
                       {"kkt_residual", chosen.certificate.kkt_residual},
                       {"products", chosen.products},
                       {"mean_products", mean_products(candidates)}});
  if (options.solver == SacdeSolver::exact && !(chosen.certificate.relative_gap <= options.tolerance)) {
    report.status = message("the duality gap is ", chosen.certificate.relative_gap, ", not ", options.tolerance);
  }
  report.details.set("n_rows", problem.rows());
  report.details.set("n_centers", problem.centers());
  report.details.set("bandwidth", chosen.bandwidth);
  report.details.set("bandwidth_y", chosen.bandwidth_y);
  report.details.set("regularization", chosen.lambda);
  if (twice) report.details.set("first_regularization", first.lambda);
  return {chosen, first.lambda};
}

Vector first_to_enter(const Dataset& rows, const SacdeOptions& options, Index count) {
  constexpr double step = 0.95;
  constexpr double least = 0.005;
  const FlushSubnormals guard;
  const Run run{.threads = 1, .observer = {}};
  SacdeOptions fixed = options;  // nothing to compare: all rows are one fold
  fixed.bandwidth.resize(1);
  fixed.bandwidth_y.resize(std::min<std::size_t>(1, fixed.bandwidth_y.size()));
  fixed.regularization = {1};
  fixed.adaptive = false;
  FitReport unread;
  const Prepared prepared = prepare(rows, rows, screened_inputs(rows, fixed, run), fixed, run, unread);
  const Problem& problem = prepared.problem;
  Vector out = Vector::Zero(rows.x.rows());
  if (prepared.input_of_group.front() < 0) return out;
  PathOptions path{.regularization = {},
                   .scale = RegularizationScale::relative,
                   .solver = options.solver,
                   .tolerance = options.tolerance,
                   .stop_early = false,
                   .scoring = options.scoring,
                   .most_inputs = count};
  path.regularization.push_back(1);
  while (path.regularization.back() * step > least) {
    path.regularization.push_back(path.regularization.back() * step);
  }
  Task task(run, "following the path", static_cast<double>(path.regularization.size()));
  const double width = fixed.bandwidth.front();
  const double width_y = fixed.bandwidth_y.empty() ? width : fixed.bandwidth_y.front();
  const KernelSums sums = kernel_sums(problem, width, {width_y}, is_dense(problem), 1);
  const auto points = follow_path(problem, path, sums, width_y, infinity, task, 1);
  const Vector norms = group_norms(points.back().solutions.front(), problem.groups(), problem.centers());
  std::vector<Index> entered;
  for (Index g = 0; g < norms.size(); ++g) {
    if (prepared.input_of_group[static_cast<std::size_t>(g)] >= 0 && norms[g] > 0) entered.push_back(g);
  }
  std::stable_sort(entered.begin(), entered.end(), [&](Index a, Index b) { return norms[a] > norms[b]; });
  if (std::ssize(entered) > count) entered.resize(static_cast<std::size_t>(count));
  for (const Index g : entered) {
    const Index input = prepared.input_of_group[static_cast<std::size_t>(g)];
    out(prepared.inputs.rows[static_cast<std::size_t>(input)]).setOnes();
  }
  return out;
}

}  // namespace condens::sacde
