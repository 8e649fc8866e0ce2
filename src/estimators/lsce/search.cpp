#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "data/splits.hpp"
#include "estimators/sliced/row_signs.hpp"
#include "kernels/gaussian_kernel.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/vector_math.hpp"
#include "model/input_elimination.hpp"
#include "model/preparation.hpp"

namespace condens::lsce {

namespace {

constexpr Index most_rounds = 10;    // of common tuning, before the last descent
constexpr Index steps_of_fold = 30;  // of a descent on a training part, from the W of all rows
constexpr double value_tolerance = 1e-9;
constexpr Index finalists = 3;  // starts that go to the end
constexpr Index steps_of_heat = 3;
constexpr double same_subspace = 0.01;  // largest angle, in radians
constexpr double on_the_way_to = 0.1;   // a better subspace: the search need not walk the rest
constexpr Index starts_to_score = 8;    // at most, for the first choice of hyper-parameters

bool lower(double a, double b) { return a < b || (std::isfinite(a) && !std::isfinite(b)); }

std::vector<Reached*> in_race(std::vector<Reached>& starts) {
  std::vector<Reached*> out;
  for (Reached& start : starts) {
    if (!start.left_behind) out.push_back(&start);
  }
  return out;
}

/// The best of those in the race.
Reached& leader(std::vector<Reached>& starts) {
  const std::vector<Reached*> going = in_race(starts);
  return **std::min_element(going.begin(), going.end(),
                            [](const Reached* a, const Reached* b) { return lower(a->objective, b->objective); });
}

/// Of starts in the race the better third goes on, or as many as there are finalists; those that
/// reached the same subspace as a better one do not.
void leave_behind(std::vector<Reached*> going) {
  std::stable_sort(going.begin(), going.end(),
                   [](const Reached* a, const Reached* b) { return lower(a->objective, b->objective); });
  const std::size_t places = std::max<std::size_t>(finalists, (going.size() + 2) / 3);
  std::vector<const Reached*> kept;
  for (Reached* start : going) {
    const auto same = [&](const Reached* better) {
      return principal_angles(better->w, start->w).maxCoeff() < same_subspace;
    };
    start->left_behind = kept.size() == places || std::any_of(kept.begin(), kept.end(), same);
    if (!start->left_behind) kept.push_back(start);
  }
}

const CellScore& best_of(const std::vector<CellScore>& scores) {
  return *std::min_element(scores.begin(), scores.end(),
                           [](const CellScore& a, const CellScore& b) { return lower(a.score.value, b.score.value); });
}

std::vector<lscde::WidthGroup> make_groups(const LsceOptions& options) {
  std::vector<lscde::WidthGroup> out;
  for (const double width : options.bandwidth) {
    out.push_back({width, options.bandwidth_y.empty() ? std::vector<double>{width} : options.bandwidth_y});
  }
  return out;
}

ProjectionObjective make_objective(const SearchData& data, const Cell& cell, ProjectionCriterion criterion) {
  TargetKernels kernels = data.estimate == Estimate::density
                              ? sce_kernels(data.rows.y, data.centers_y, cell.bandwidth_y)
                              : smi_kernels(data.rows.y, data.rows.weights, data.centers_y, cell.bandwidth_y);
  return {data.rows.x,    data.rows.weights,   data.centers_x, std::move(kernels),
          cell.bandwidth, cell.regularization, criterion};
}

/// Half of 0, ..., n - 1 at random, but `fewest` where there are as many; rising.
std::vector<Index> half_of(Index n, Index fewest, RandomStream random) {
  return random_rows(n, std::max(n / 2, fewest), random);
}

/// Half of the rows and of the centres.
SearchData half_of(const SearchData& data, Index seed) {
  const auto stream = static_cast<std::uint64_t>(seed);
  const std::vector<Index> rows = half_of(data.rows.size(), 100, RandomStream(stream, 1));
  const std::vector<Index> centers = half_of(data.centers_x.cols(), 40, RandomStream(stream, 2));
  return {.rows = data.rows.subset(rows),
          .centers_x = data.centers_x(Eigen::all, centers),
          .centers_y = data.centers_y(Eigen::all, centers),
          .fold = {},
          .center_fold = {},
          .estimate = data.estimate};
}

/// Throws NumericalError unless the criterion has a value where the search ended.
void require_value(const Subspace& found) {
  if (std::isfinite(found.objective)) return;
  throw NumericalError(message("no subspace of ", found.w.rows(),
                               " dimensions has a finite value of the criterion; give a larger regularization, or "
                               "a smaller bandwidth_y"));
}

}  // namespace

Search::Search(const SearchData& data, const LsceOptions& options, const Matrix& given, Index dimensions,
               const Run& run)
    : data_(data),
      options_(options),
      task_(run, "searching directions", static_cast<double>(dimensions)),
      groups_(make_groups(options)),
      one_cell_(groups_.size() == 1 && groups_[0].y.size() == 1 && options.regularization.size() == 1),
      starts_(data.rows,
              {.informed = options.informed_starts,
               .given = given,
               .random = options.random_starts,
               .seed = options.seed,
               .defensive_weight = options.defensive_weight,
               .standardized = options.standardize},
              task_.threads()) {
  if (data.fold.empty()) return;
  preparation::FoldOrder sorted = preparation::sort_by_fold(data.fold);
  sorted_x_ = data.rows.x(Eigen::all, sorted.order);
  problem_.y = data.rows.y(Eigen::all, sorted.order);
  problem_.weights = data.rows.weights(sorted.order);
  problem_.fold_begin = std::move(sorted.begin);
  problem_.centers_y = data.centers_y;
  problem_.center_fold = data.center_fold;
}

/// Any thread may ask; the one that made the task also hears the observer.
bool Search::stop() {
  if (stopped_) return true;
  try {
    task_.poll();
  } catch (const Cancelled&) {
    stopped_ = true;
  }
  return stopped_;
}

void Search::check_stopped() {
  if (stop()) throw Cancelled();
}

/// Calls body(k, threads of its own) for k < count, side by side.
template <class Body>
void Search::for_each(Index count, const Body& body) {
  const int outer = static_cast<int>(std::max<Index>(1, std::min<Index>(task_.threads(), count)));
  const int inner = std::max(1, task_.threads() / outer);
  parallel_for(
      count, outer, [&](Index k) { body(k, inner); }, [&] { stop(); });
}

/// The cell of the lowest score, the first of equals; without candidates the only one, not scored.
CellScore Search::best_cell(const Matrix& w, int threads) {
  if (one_cell_) return {{groups_[0].x, groups_[0].y[0], options_.regularization[0]}, {}};
  lscde::Problem problem = problem_;
  problem.x = w * sorted_x_;
  problem.x_unlabeled = Matrix(w.rows(), 0);
  problem.centers_x = w * data_.centers_x;
  const std::vector<CellScore> scores =
      score_cells(problem, groups_, options_.regularization, data_.estimate, threads, [&] { check_stopped(); });
  return best_of(scores);
}

/// Ends at `better`, where that is given, as soon as it comes near.
SubspaceResult Search::descend(const ProjectionObjective& f, const Matrix& start, Index steps, int threads,
                               const Reached* better) {
  bool arrived = false;
  const auto value = [&](const Matrix& w, Matrix& gradient) {
    ProjectionValue here = f.evaluate(w, threads);
    arrived |= better != nullptr && !lower(here.value, better->objective) &&
               principal_angles(better->w, w).maxCoeff() < on_the_way_to;
    gradient = std::move(here.gradient);
    return here.value;
  };
  const SubspaceSettings settings{.max_iterations = steps, .value_tolerance = value_tolerance};
  const auto asked = [&] { return arrived || stop(); };
  try {
    SubspaceResult found = options_.optimizer == LsceOptimizer::lbfgs
                               ? minimize_lifted(value, start, settings, asked)
                               : descend_geodesics(value, start, settings, asked);
    if (!arrived) return found;
    return {better->w, better->objective, 0.0, 0, found.evaluations, LbfgsStatus::flat, false};
  } catch (const NumericalError&) {  // no solution at this start with these hyper-parameters
    return {start, infinity, 0.0, 0, 1, LbfgsStatus::flat, false};
  }
}

/// A few steps from every start on a part of the data, which tells good starts from bad ones at an eighth of the
/// cost; the worse ones stay behind, and again, until those are left that go to the end.
void Search::race(std::vector<Reached>& starts, Subspace& out) {
  const SearchData part = half_of(data_, options_.seed);
  const ProjectionObjective f = make_objective(part, out.cell, options_.criterion);
  for (std::vector<Reached*> going = in_race(starts); std::ssize(going) > finalists; going = in_race(starts)) {
    descend_each(f, going, steps_of_heat, out);
    check_stopped();
    leave_behind(going);
  }
}

/// Every start in the race goes on by `steps` at most with the hyper-parameters of `out`, the leader before the
/// others, of which those that lead where it led stay behind; the leader becomes `out`.
void Search::descend_all(std::vector<Reached>& starts, Index steps, Subspace& out) {
  const ProjectionObjective f = make_objective(data_, out.cell, options_.criterion);
  Reached& ahead = leader(starts);
  std::vector<Reached*> others = in_race(starts);
  std::erase(others, &ahead);
  descend_each(f, {&ahead}, steps, out);
  const bool converged = out.converged;
  descend_each(f, others, steps, out, &ahead);
  out.converged &= converged;
  leave_behind(in_race(starts));
  const Reached& first = leader(starts);
  out.w = first.w;
  out.objective = first.objective;
  best_so_far_ = out;
}

void Search::descend_each(const ProjectionObjective& f, const std::vector<Reached*>& going, Index steps, Subspace& out,
                          const Reached* better) {
  std::vector<SubspaceResult> results(going.size());
  for_each(std::ssize(going), [&](Index k, int threads) {
    const std::size_t s = static_cast<std::size_t>(k);
    results[s] = descend(f, going[s]->w, steps, threads, better);
  });
  out.converged = true;
  for (std::size_t s = 0; s < going.size(); ++s) {
    going[s]->w = std::move(results[s].w);
    going[s]->objective = std::isnan(results[s].value) ? infinity : results[s].value;
    going[s]->status = results[s].status;
    going[s]->slope = results[s].projected_gradient;
    out.evaluations += results[s].evaluations;
    out.converged &= results[s].status != LbfgsStatus::iteration_limit && !results[s].interrupted;
  }
}

/// Every start at the hyper-parameters that hold at the end; the best is what was found.
void Search::compare_all(std::vector<Reached>& starts, Subspace& out) {
  const ProjectionObjective f = make_objective(data_, out.cell, options_.criterion);
  for_each(std::ssize(starts), [&](Index k, int threads) {
    Reached& start = starts[static_cast<std::size_t>(k)];
    const double value = f.value(start.w, threads);
    start.objective = std::isnan(value) ? infinity : value;
  });
  const Reached& first = *std::min_element(
      starts.begin(), starts.end(), [](const Reached& a, const Reached& b) { return lower(a.objective, b.objective); });
  out.w = first.w;
  out.objective = first.objective;
  out.status = first.status;
  out.slope = first.slope;
  out.reached = starts;
  best_so_far_ = out;
}

/// One cell for all starts, chosen at the one that scores best, then at the leader after each
/// round, until it is chosen twice in a row; then to the end.
void Search::tune_together(std::vector<Reached>& starts, Subspace& out) {
  const Index scored = one_cell_ ? 1 : std::min<Index>(std::ssize(starts), starts_to_score);
  std::vector<CellScore> first(static_cast<std::size_t>(scored));
  for_each(scored, [&](Index k, int threads) {
    const std::size_t s = static_cast<std::size_t>(k);
    first[s] = best_cell(starts[s].w, threads);
  });
  const CellScore& best = best_of(first);
  out.cell = best.cell;
  best_so_far_ = {.w = starts[static_cast<std::size_t>(&best - first.data())].w, .cell = out.cell};
  race(starts, out);
  std::vector<Subspace> visited;
  Index left = options_.max_steps;
  while (!one_cell_ && out.rounds < most_rounds && left > options_.steps_per_tuning) {
    descend_all(starts, options_.steps_per_tuning, out);
    check_stopped();
    ++out.rounds;
    left -= options_.steps_per_tuning;
    visited.push_back(out);
    const Cell next = best_cell(out.w, task_.threads()).cell;
    const auto known = [&](const Subspace& before) { return before.cell == next; };
    if (std::any_of(visited.begin(), visited.end(), known)) break;
    out.cell = next;
  }
  if (visited.size() > 1) go_back(visited, starts, out);
  descend_all(starts, left, out);
  compare_all(starts, out);
  check_stopped();
}

/// A cell that is chosen where W has been fitted to the same rows leans to narrow kernels. Of the
/// cells that were visited, the one whose W, found anew on each training part, scores best: from
/// the W that led there.
void Search::go_back(const std::vector<Subspace>& visited, std::vector<Reached>& starts, Subspace& out) {
  const Subspace* best = nullptr;
  double lowest = 0;
  for (const Subspace& round : visited) {
    const double score = held_out(round).value;
    if (best != nullptr && !lower(score, lowest)) continue;
    best = &round;
    lowest = score;
  }
  out.cell = best->cell;
  leader(starts).w = best->w;
}

/// The paper's way: each start has a cell of its own, chosen anew every few steps. The starts are
/// compared at the cell that scores best at its own W (errata R8).
void Search::tune_apart(std::vector<Reached>& starts, Subspace& out) {
  std::vector<CellScore> cells(starts.size());
  std::vector<Index> evaluations(starts.size(), 0);
  std::vector<Index> rounds(starts.size(), 0);
  std::vector<int> at_end(starts.size(), 0);
  const auto descend_one = [&](std::size_t s, int threads) {
    cells[s] = best_cell(starts[s].w, threads);
    for (Index left = options_.max_steps; left > 0 && at_end[s] == 0; left -= options_.steps_per_tuning) {
      const SubspaceResult found = descend(make_objective(data_, cells[s].cell, options_.criterion), starts[s].w,
                                           std::min(left, options_.steps_per_tuning), threads);
      starts[s].w = found.w;
      starts[s].status = found.status;
      starts[s].slope = found.projected_gradient;
      evaluations[s] += found.evaluations;
      ++rounds[s];
      const Cell before = cells[s].cell;
      cells[s] = best_cell(starts[s].w, threads);
      at_end[s] = found.status != LbfgsStatus::iteration_limit && cells[s].cell == before ? 1 : 0;
    }
  };
  for_each(std::ssize(starts), [&](Index k, int threads) {
    try {
      descend_one(static_cast<std::size_t>(k), threads);
    } catch (const Cancelled&) {
      stopped_ = true;  // what the starts have reached is compared below
    }
  });
  std::size_t best = 0;
  for (std::size_t s = 1; s < starts.size(); ++s) {
    const bool known = cells[s].cell.bandwidth > 0;
    if (known && (!(cells[best].cell.bandwidth > 0) || lower(cells[s].score.value, cells[best].score.value))) best = s;
  }
  if (!(cells[best].cell.bandwidth > 0)) throw Cancelled();
  out.cell = cells[best].cell;
  for (const Index count : evaluations) out.evaluations += count;
  out.rounds = *std::max_element(rounds.begin(), rounds.end());
  out.converged = std::find(at_end.begin(), at_end.end(), 0) == at_end.end();
  compare_all(starts, out);
  check_stopped();
}

/// All of x: nothing to search but the hyper-parameters.
Subspace Search::whole(const Matrix& identity) {
  Subspace out{.w = identity, .cell = best_cell(identity, task_.threads()).cell, .converged = true};
  out.objective = make_objective(data_, out.cell, options_.criterion).value(identity, task_.threads());
  require_value(out);
  return out;
}

Subspace Search::find(Index d_z, const Matrix& smaller) {
  const Index d_x = data_.rows.x.rows();
  if (d_z == d_x) return whole(Matrix::Identity(d_x, d_x));
  std::vector<Reached> starts;
  for (Start& start : starts_.of_dimension(d_z, smaller, task_.threads(), [&] { return stop(); })) {
    starts.push_back({std::move(start.source), std::move(start.w)});
  }
  if (best_so_far_.w.size() == 0) {
    const lscde::WidthGroup& group = groups_[groups_.size() / 2];
    best_so_far_ = {
        .w = starts.front().w,
        .cell = {group.x, group.y[group.y.size() / 2], options_.regularization[options_.regularization.size() / 2]}};
  }
  check_stopped();
  task_.advance(0.3);
  Subspace out;
  if (options_.tuning == LsceTuning::common) tune_together(starts, out);
  if (options_.tuning == LsceTuning::own) tune_apart(starts, out);
  require_value(out);
  task_.advance(0.5);
  return out;
}

/// The rows of all folds but one, and the centres that are not of it.
SearchData Search::without_fold(Index fold) const {
  const Index begin = problem_.fold_begin[static_cast<std::size_t>(fold)];
  const Index end = problem_.fold_begin[static_cast<std::size_t>(fold + 1)];
  std::vector<Index> train;
  for (Index i = 0; i < sorted_x_.cols(); ++i) {
    if (i < begin || i >= end) train.push_back(i);
  }
  std::vector<Index> kept;
  for (Index l = 0; l < data_.centers_x.cols(); ++l) {
    if (problem_.center_fold[static_cast<std::size_t>(l)] != fold) kept.push_back(l);
  }
  return {.rows = {.x = Matrix(sorted_x_(Eigen::all, train)),
                   .y = Matrix(problem_.y(Eigen::all, train)),
                   .weights = problem_.weights(train)},
          .centers_x = data_.centers_x(Eigen::all, kept),
          .centers_y = data_.centers_y(Eigen::all, kept),
          .fold = {},
          .center_fold = {},
          .estimate = data_.estimate};
}

/// W of a part of the rows, from that of all rows on.
Matrix Search::found_without(const SearchData& part, const Subspace& found, int threads) {
  if (found.w.rows() == found.w.cols() || part.rows.size() == 0 || part.centers_x.cols() == 0) return found.w;
  return descend(make_objective(part, found.cell, options_.criterion), found.w, steps_of_fold, threads).w;
}

/// The score of a fold by W and the coefficients of the other rows.
double Search::loss_of(const SearchData& part, const Matrix& w, const Cell& cell, Index fold, int threads) const {
  if (part.rows.size() == 0 || part.centers_x.cols() == 0) return infinity;
  const Index begin = problem_.fold_begin[static_cast<std::size_t>(fold)];
  const Index size = problem_.fold_begin[static_cast<std::size_t>(fold + 1)] - begin;
  const Matrix z = w * sorted_x_.middleCols(begin, size);
  const auto y = problem_.y.middleCols(begin, size);
  const auto weights = problem_.weights.segment(begin, size);
  const auto coefficients = [&] { return make_objective(part, cell, options_.criterion).coefficients(w); };
  double loss = 0;
  try {
    if (data_.estimate == Estimate::ratio) {
      loss = held_out_smi(z, y, weights, w * part.centers_x, part.centers_y, cell, coefficients());
    } else if (options_.scoring == Scoring::squared) {
      loss = held_out_sce(z, y, weights, w * part.centers_x, part.centers_y, cell, coefficients());
    } else {
      const Lscde density =
          Lscde::fit({.x = Matrix(w * part.rows.x), .y = part.rows.y, .weights = part.rows.weights},
                     density_options(part, w, cell, options_.defensive_weight), {.threads = 1, .observer = {}});
      loss = -density.log_density(z, y, {.threads = threads, .observer = {}}).dot(weights) / weights.sum();
    }
  } catch (const NumericalError&) {  // no coefficient is positive: no density, an infinite score
    return infinity;
  }
  return std::isnan(loss) ? infinity : loss;
}

Score Search::held_out(const Subspace& found) {
  Vector scores = Vector::Constant(problem_.folds(), infinity);
  for_each(problem_.folds(), [&](Index k, int threads) {
    if (stop()) return;
    const SearchData part = without_fold(k);
    scores[k] = loss_of(part, found_without(part, found, threads), found.cell, k, threads);
  });
  check_stopped();
  return summarise(std::move(scores));
}

Matrix Search::eliminated(const Subspace& found, SelectionRule rule, const Run& run, FitReport& report) {
  const auto of_part = [&](Index part) { return part == 0 ? data_ : without_fold(part - 1); };
  const reduction::EliminationParts parts{
      .folds = problem_.folds(),
      .first = [&](Index part,
                   const Run& own) { return part == 0 ? found.w : found_without(of_part(part), found, own.threads); },
      .search =
          [&](Index part, const std::vector<Index>& kept, const Matrix& start, const Run& own) {
            SearchData some = of_part(part);
            if (some.rows.size() == 0 || some.centers_x.cols() == 0) return start;
            some.rows.x = Matrix(some.rows.x(kept, Eigen::all));
            some.centers_x = Matrix(some.centers_x(kept, Eigen::all));
            const Index steps = part == 0 ? options_.max_steps : steps_of_fold;
            return descend(make_objective(some, found.cell, options_.criterion), start, steps, own.threads).w;
          },
      .score = [&](Index fold, const Matrix& w,
                   const Run& own) { return loss_of(without_fold(fold), w, found.cell, fold, own.threads); }};
  Task task(run, "letting inputs leave", static_cast<double>(1 + problem_.folds()));
  try {
    Matrix out = reduction::eliminate_inputs(parts, rule, run, task, report);
    check_stopped();
    return out;
  } catch (const Cancelled&) {
    stopped_ = true;
    throw;
  }
}

std::vector<Subspace> Search::run(const std::vector<Index>& dimensions, bool compare, bool stop_early) {
  // What an evaluation has reached is kept: then only stop() ends the search, between two of them.
  std::optional<Uninterrupted> keeping;
  if (options_.keep_best) keeping.emplace();
  std::vector<Subspace> out;
  std::size_t best = 0;
  try {
    for (const Index d_z : dimensions) {
      Subspace found = find(d_z, out.empty() ? Matrix() : out.back().w);
      if (compare) found.score = held_out(found);
      task_.advance(0.2);
      out.push_back(std::move(found));
      if (lower(out.back().score.value, out[best].score.value)) best = out.size() - 1;
      if (stop_early && out.size() > best + 2) break;
    }
  } catch (const Cancelled&) {
    stopped_ = true;
    if (!options_.keep_best || (out.empty() && best_so_far_.w.size() == 0)) throw;
    if (out.empty()) out.push_back(best_so_far_);
  }
  return out;
}

void report_search(const Subspace& found, FitReport& report) {
  constexpr double steep = 0.01;  // relative to the objective: a search that ends at a minimum is far below
  const double slope = found.slope / std::abs(found.objective);
  report.details.set("rounds", found.rounds).set("evaluations", found.evaluations);
  report.details.set("search", to_string(found.status));
  if (std::isfinite(slope)) report.details.set("relative_slope", slope);
  if (!found.converged) {
    report.status = "iteration limit";
    report.warnings.emplace_back(
        "some search of the directions ended at max_steps; a larger number may find a better subspace");
  } else if (slope > steep) {
    report.status = to_string(found.status);
    report.warnings.push_back(message("the search of the directions ended where no step lowered its objective, at a ",
                                      "slope of ", slope, " of it; other random_starts may find a better subspace"));
  }
}

double sce_at(const Matrix& w, const SearchData& data, const Cell& cell) {
  return make_objective(data, cell, ProjectionCriterion::plug_in).value(w);
}

LscdeOptions density_options(const SearchData& data, const Matrix& w, const Cell& cell, double defensive_weight) {
  LscdeOptions options = LscdeOptions::paper();
  options.bandwidth = {cell.bandwidth};
  options.bandwidth_y = {cell.bandwidth_y};
  options.regularization = {cell.regularization};
  options.defensive_weight = defensive_weight;
  options.standardize = false;
  options.centers.resize(w.rows() + data.centers_y.rows(), data.centers_y.cols());
  options.centers << w * data.centers_x, data.centers_y;
  return options;
}

Matrix turned(const Matrix& w, const SearchData& data, const Cell& cell) {
  const Matrix z = w * data.rows.x;
  const Matrix centers = w * data.centers_x;
  const Vector a = make_objective(data, cell, ProjectionCriterion::plug_in).coefficients(w);
  Matrix moments = Matrix::Zero(w.rows(), w.rows());
  Vector kernel(centers.cols());
  Vector distance(centers.cols());
  const Matrix centers_z = centers.transpose();
  const Matrix centers_y = data.centers_y.transpose();
  for (Index i = 0; i < z.cols(); ++i) {
    squared_distances(centers_z, z.col(i), kernel);
    squared_distances(centers_y, data.rows.y.col(i), distance);
    kernel = -0.5 * (kernel / (cell.bandwidth * cell.bandwidth) + distance / (cell.bandwidth_y * cell.bandwidth_y));
    exp_in_place(kernel.data(), kernel.size());
    kernel.array() *= a.array();
    const Vector slope = centers * kernel - kernel.sum() * z.col(i);  // times 1 / s^2: d a'(phi o psi) / dz
    moments += data.rows.weights[i] * slope * slope.transpose();
  }
  Matrix out = w;
  if (moments.allFinite()) {
    out = symmetric_eigen(moments).vectors.rowwise().reverse().transpose() * w;
  }
  reduction::settle_signs(out);
  return out;
}

}  // namespace condens::lsce
