#include "condens/estimators/gmm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "condens/kernels/centers.hpp"
#include "expectation_maximization.hpp"
#include "model/kernel_rows.hpp"
#include "model/preparation.hpp"
#include "model/table_passes.hpp"
#include "rows_in_table.hpp"

namespace condens {

using preparation::Standardized;

namespace {

constexpr std::string_view owner = Gmm::class_name;
constexpr std::ptrdiff_t kPatience = 3;  // numbers of components without improvement
constexpr Index steps_of_clusters = 5;   // of Lloyd's iteration
constexpr Index few_components = 3;      // so few have more starts, of which all but the first are seeds
constexpr Index starts_of_few = 4;       // times as many

struct Candidate {
  Index n_components;
  bool full;
  double score = 0;
  double standard_error = 0;
  Vector folds = {};  ///< score of each fold
};

std::string_view name_of_shape(const Candidate& candidate) { return candidate.full ? "full" : "diagonal"; }

/// All that a model of some of the rows has to tell.
FitReport report_of(const Candidate& candidate) {
  FitReport out;
  out.details.set("covariance", name_of_shape(candidate));
  return out;
}

void check_options(const GmmOptions& o, Index d_x, Index d_y) {
  validate_options(o, owner);
  preparation::check_centers(owner, o.centers, d_x, d_y);
  double before = 0;
  for (const double k : o.n_components) {
    require(k > before, owner, ": n_components has ", k, " after ", before, ", expected rising candidates");
    before = k;
  }
  const bool interval = o.region.size() == 2 && o.region[0] < o.region[1];
  require(o.region.empty() || interval, owner, ": region has ", o.region.size(),
          " numbers, expected none or two, a < b");
}

/// Whether there is more than one candidate.
bool chooses(const GmmOptions& options) {
  const bool shapes = options.covariance == GmmCovariance::automatic;
  return shapes || (options.centers.size() == 0 && options.n_components.size() > 1);
}

double n_parameters(Index k, Index d, bool full) {
  const Index of_shape = full ? d * (d + 1) / 2 : d;
  return static_cast<double>(k - 1 + k * (d + of_shape));
}

/// What a fit begins with, wherever its rows are: all standardised.
struct Start {
  const EmRows& rows;
  Matrix z;        ///< of the rows, or a sample of them that starts are drawn from
  Vector weights;  ///< of the sample
  Vector low;      ///< of all rows
  Vector high;
};

/// A run from every start, the best one continued.
class Fitter {
 public:
  Fitter(const Start& start, const Matrix& centers, const GmmOptions& options, Task& task)
      : start_(start), centers_(centers), options_(options), task_(task) {
    floors_ = Vector::Constant(start.rows.dimension(), options_.variance_floor);
  }

  EmState fit(Index k, bool full) const { return std::move(fit(std::vector<Index>{k}, full).front()); }

  /// Of each number of components, all in the same passes over the rows; every one as it would be alone.
  std::vector<EmState> fit(const std::vector<Index>& counts, bool full) const {
    EmSettings settings{.full = full, .floors = floors_, .max_iterations = options_.short_iterations};
    settings.tolerance = options_.tolerance;
    std::vector<EmState> states = begin(counts, full, settings);
    const bool several = starts_of(counts.front()) > 1;
    if (several) states = em_continue(start_.rows, std::move(states), settings, task_);
    std::vector<EmState> best;
    auto first = states.begin();
    for (const Index k : counts) {
      const auto last = first + starts_of(k);
      best.push_back(
          *std::max_element(first, last, [](const EmState& a, const EmState& b) { return a.score < b.score; }));
      first = last;
    }
    // Those that go on have all had the short iterations, or, of one start, none.
    std::vector<std::size_t> going;
    std::vector<EmState> rest;
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (several && best[i].converged) continue;
      going.push_back(i);
      rest.push_back(best[i]);
    }
    if (going.empty()) return best;
    settings.max_iterations = std::max<Index>(0, options_.max_iterations - rest.front().iterations);
    rest = em_continue(start_.rows, std::move(rest), settings, task_);
    for (std::size_t i = 0; i < going.size(); ++i) best[going[i]] = std::move(rest[i]);
    return best;
  }

 private:
  /// One, or more of every number of components.
  Index starts_of(Index k) const {
    if (centers_.size() > 0) return 1;
    const bool clusters = options_.initialization != GmmInitialization::random;
    return clusters && options_.starts > 1 && k > 1 && k <= few_components ? starts_of_few * options_.starts
                                                                           : options_.starts;
  }

  /// The starts of the first number of components, of the second, ...
  std::vector<EmState> begin(const std::vector<Index>& counts, bool full, const EmSettings& settings) const {
    const Vector variances =
        Vector::Constant(floors_.size(), std::max(options_.initial_variance, options_.variance_floor));
    if (centers_.size() > 0) return {em_start(centers_, variances, full)};
    std::vector<EmState> out;
    std::vector<Matrix> means;
    for (const Index k : counts) {
      for (Index start = 0; start < starts_of(k); ++start) {
        RandomStream random(static_cast<std::uint64_t>(options_.seed), static_cast<std::uint64_t>(start));
        if (options_.initialization == GmmInitialization::random) {
          out.push_back(em_start(random_centers_in_region(k, random), variances, full));
        } else {
          const Index steps = start > 0 && k <= few_components ? 0 : steps_of_clusters;
          means.emplace_back(
              start_.z(Eigen::all, kmeans_centers(start_.z, start_.weights, k, random(), task_.threads(), steps)));
        }
      }
    }
    return means.empty() ? out : em_start_of_clusters(start_.rows, means, settings, task_);
  }

  Matrix random_centers_in_region(Index k, RandomStream random) const {
    Vector low = start_.low;
    Vector high = start_.high;
    if (!options_.region.empty()) {
      low.setConstant(options_.region[0]);
      high.setConstant(options_.region[1]);
    }
    Matrix out(low.size(), k);
    for (auto center : out.colwise()) {
      for (Index j = 0; j < out.rows(); ++j) center[j] = low[j] + (high[j] - low[j]) * random.uniform();
    }
    return out;
  }

  const Start& start_;
  const Matrix& centers_;
  const GmmOptions& options_;
  Task& task_;
  Vector floors_;
};

/// Centers [x, y] of the user on the scale of the fit.
Matrix standardized_centers(const Matrix& centers, const Standardizer& x, const Standardizer& y) {
  Matrix out(centers.rows(), centers.cols());
  if (x.dimension() > 0) out.topRows(x.dimension()) = x.transform(centers.topRows(x.dimension()));
  out.bottomRows(y.dimension()) = y.transform(centers.bottomRows(y.dimension()));
  return out;
}

/// All rows in memory, and where starts come from.
struct RowsAtHand {
  explicit RowsAtHand(const Dataset& data, const std::optional<Dataset>& sample = std::nullopt) {
    Matrix z = stacked(data);
    rows.emplace(z, data.weights);
    Vector low = z.rowwise().minCoeff();
    Vector high = z.rowwise().maxCoeff();
    start.emplace(Start{*rows, sample ? stacked(*sample) : std::move(z), sample ? sample->weights : data.weights,
                        std::move(low), std::move(high)});
  }
  std::optional<EmRowsInMemory> rows;
  std::optional<Start> start;
};

void report_candidates(const std::vector<Candidate>& candidates, const GmmOptions& options, Index chosen,
                       FitReport& report) {
  preparation::Columns<Candidate> columns = {{"n_components", &Candidate::n_components}};
  if (options.covariance == GmmCovariance::automatic) columns.emplace_back("full", &Candidate::full);
  preparation::report_candidates(candidates, columns, report);
  if (options.n_components.size() > 1 && static_cast<double>(chosen) == options.n_components.back()) {
    report.warnings.push_back(
        message("the largest candidate, n_components = ", chosen, ", was best; larger ones may be better"));
  }
}

/// What of a fit does not depend on where the rows are.
struct Known {
  Standardizer x;
  Standardizer y;
  Defensive defensive;
  Index n_rows;
  Index most_components;  ///< different rows
};

}  // namespace

GmmOptions GmmOptions::paper() {
  return {.n_components = {7},
          .covariance = GmmCovariance::diagonal,
          .initialization = GmmInitialization::random,
          .initial_variance = 0.1,
          .variance_floor = 0.01,
          .starts = 1,
          .defensive_weight = 0.0};
}

/// Fits and compares candidates on standardised rows.
struct Gmm::Search {
  const GmmOptions& options;
  const Start& start;
  const Dataset* data;  ///< the rows that folds are of
  const Matrix& centers;
  Task& task;
  bool compare;
  Fitter fitter{start, centers, options, task};
  std::vector<Index> fold = {};
  std::vector<Candidate> candidates = {};

  /// `fold` of the rows `data`, or none: candidates are compared by the criterion.
  static Gmm fit(const Known& known, const Start& start, const Dataset* data, std::vector<Index> fold,
                 const GmmOptions& options, FitReport report, const Run& run);

  static Parameters parameters_of(const EmState& state, Defensive defensive) {
    return parameters(state.weights, state.components(), std::move(defensive));
  }

  void score_by_criterion(const EmState& state, Candidate& candidate) const {
    const double n = std::max(start.rows.total(), 2.0);
    const double parameters_each = n_parameters(state.weights.size(), start.rows.dimension(), candidate.full) / n;
    candidate.score = 0.5 * parameters_each * std::log(n) - state.score;
    if (compare) candidate.standard_error = state.standard_error;
  }

  void score_by_folds(Candidate& candidate) const {
    Vector held_out(data->size());
    const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
    for (Index k = 0; k < folds; ++k) {
      const preparation::HeldOut part = preparation::without_fold(*data, fold, k);
      const RowsAtHand own(part.train);
      const Fitter fit_part(*own.start, centers, options, task);
      const EmState state = fit_part.fit(std::min(candidate.n_components, part.train.size()), candidate.full);
      const Gmm model(
          options, {state.score}, parameters_of(state, Defensive::fit(options.defensive_weight, part.train)),
          Standardizer::identity(data->x.rows()), Standardizer::identity(data->y.rows()), report_of(candidate));
      const Vector values = model.log_density(part.test.x, part.test.y, {.threads = task.threads(), .observer = {}});
      Index at = 0;
      for (std::size_t i = 0; i < fold.size(); ++i) {
        if (fold[i] == k) held_out[static_cast<Index>(i)] = values[at++];
      }
    }
    const auto [mean, error] = preparation::mean_of(held_out, data->weights);
    candidate.score = -mean;
    candidate.folds = preparation::means_of_folds(-held_out, data->weights, fold);
    candidate.standard_error = error;
  }

  /// The best number of components for one shape of covariances. Numbers that are tried whatever comes of the ones
  /// before share the passes over the rows.
  void search(bool full, std::vector<Index> counts, std::optional<std::pair<Candidate, EmState>>& best) {
    // BIC is an expansion in many rows: with as many parameters as rows it takes any cluster of two for a component.
    const auto too_many = [&](Index k) { return n_parameters(k, start.rows.dimension(), full) >= start.rows.total(); };
    if (fold.empty()) counts.erase(std::find_if(counts.begin() + (best ? 0 : 1), counts.end(), too_many), counts.end());
    double least = std::numeric_limits<double>::infinity();
    std::ptrdiff_t waited = -1;  // the first one is the best so far
    for (auto next = counts.begin(); next != counts.end() && waited < kPatience;) {
      const std::ptrdiff_t sure = fold.empty() ? kPatience - waited : 1;
      const std::vector<Index> batch(next, next + std::min(sure, counts.end() - next));
      std::vector<EmState> states(batch.size());
      if (fold.empty()) states = fitter.fit(batch, full);
      for (std::size_t i = 0; i < batch.size(); ++i, ++next) {
        Candidate candidate{batch[i], full};
        if (fold.empty()) {
          score_by_criterion(states[i], candidate);
        } else {
          score_by_folds(candidate);
        }
        candidates.push_back(candidate);
        task.advance(1);
        task.poll();
        if (!best || candidate.score < best->first.score) best.emplace(candidate, std::move(states[i]));
        waited = candidate.score < least ? 0 : waited + 1;
        least = std::min(least, candidate.score);
      }
    }
  }
};

Gmm::Gmm(GmmOptions options, GmmState state, Parameters p, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : FittedJointDensity(std::move(options), state, std::move(p), std::move(x_scale), std::move(y_scale),
                         std::move(report)) {
  covariance();  // throws where a file lacks what is read later
}

Gmm Gmm::Search::fit(const Known& known, const Start& start, const Dataset* data, std::vector<Index> fold,
                     const GmmOptions& options, FitReport report, const Run& run) {
  Matrix centers;
  std::vector<Index> counts;
  if (options.centers.size() > 0) {
    centers = standardized_centers(options.centers, known.x, known.y);
    counts.push_back(centers.cols());
  } else {
    for (const double k : options.n_components) counts.push_back(static_cast<Index>(k));
  }
  if (counts.back() > known.most_components) {
    const Index most = known.most_components;
    if (centers.size() > 0) {
      centers = centers.leftCols(most).eval();
    }
    for (Index& k : counts) k = std::min(k, most);
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    report.warnings.push_back(message("there are ", most, " different rows; no more components than that are tried"));
  }

  const bool both = options.covariance == GmmCovariance::automatic;
  const std::size_t shapes = both ? 2 : 1;
  Task task(run, "expectation maximisation", static_cast<double>(counts.size() * shapes));
  const bool choice = counts.size() * shapes > 1;
  Search search{.options = options, .start = start, .data = data, .centers = centers, .task = task, .compare = choice};
  if (choice) search.fold = std::move(fold);
  std::optional<std::pair<Candidate, EmState>> best;
  if (both || options.covariance == GmmCovariance::diagonal) search.search(false, counts, best);
  if (options.covariance == GmmCovariance::full || (both && start.rows.dimension() > 1))
    search.search(true, counts, best);
  const Candidate chosen = best->first;
  const EmState state =
      search.fold.empty() ? std::move(best->second) : search.fitter.fit(chosen.n_components, chosen.full);

  report.details.set("n_rows", known.n_rows).set("n_components", state.weights.size());
  report.details.set("covariance", name_of_shape(chosen)).set("log_likelihood", state.score);
  report.details.set("iterations", state.iterations).set("reseeded", state.reseeded);
  if (choice) report_candidates(search.candidates, options, chosen.n_components, report);
  if (state.dropped > 0) {
    report.warnings.push_back(
        message(state.dropped, " of ", chosen.n_components, " components held no row and were dropped"));
  }
  if (!state.converged && options.tolerance > 0) report.status = "iteration limit";
  return {options, {state.score}, Search::parameters_of(state, known.defensive), known.x, known.y, std::move(report)};
}

Gmm Gmm::fit(const Dataset& data, const GmmOptions& options, const Run& run) {
  check_options(options, data.x.rows(), data.y.rows());
  const preparation::Start prepared(owner, data, options.standardize);
  const Standardized& standardized = prepared.standardized();
  const Index n = prepared.rows().size();
  const bool large = n > most_rows_at_once;
  const bool by_folds = chooses(options) && options.selection == GmmSelection::cv;
  // Copies of rows are one of their common weight, so that any order of the rows gives the same bits; folds are of the
  // rows as given.
  const Dataset distinct = large ? standardized.data : preparation::merge_copies(standardized.data);
  std::optional<Dataset> sample;
  if (large) {
    sample = preparation::merge_copies(
        standardized.data.subset(sample_of_places(n, most_rows_at_once, static_cast<std::uint64_t>(options.seed))));
  }
  const Index most =
      sample && sample->size() < most_rows_at_once ? preparation::merge_copies(distinct).size() : distinct.size();
  const RowsAtHand rows(by_folds ? standardized.data : distinct, sample);
  const Known known{standardized.x, standardized.y, Defensive::fit(options.defensive_weight, standardized.data), n,
                    most};
  std::vector<Index> fold;
  if (by_folds) fold = preparation::folds_of(options.cv, data, options.seed);
  return Search::fit(known, *rows.start, &standardized.data, std::move(fold), options, prepared.report(), run);
}

Gmm Gmm::fit(RowSums& table, const GmmOptions& options, const Run& run) {
  check_options(options, table.n_inputs(), table.n_targets());
  require(!chooses(options) || options.selection != GmmSelection::cv, owner,
          ": selection = cv needs the rows in memory, expected bic, or one number of components of one covariance");
  const table_passes::Extent extent = table_passes::extent_of(table);
  FitReport report;
  const table_passes::Scale scale = table_passes::Scale::of(table, extent, owner, options.standardize, report);
  const Dataset sample = preparation::merge_copies(
      scale.standardized(table_passes::sample_of(table, most_rows_at_once, options.seed).rows));
  const EmRowsInTable rows(table, scale, extent);
  const auto standardized = [&](const Vector& row) {
    return Vector(stacked(scale.standardized({.x = row.head(table.n_inputs()), .y = row.tail(table.n_targets())})));
  };
  const Start start{rows, stacked(sample), sample.weights, standardized(extent.low), standardized(extent.high)};
  const Known known{scale.x(), scale.y(), scale.defensive(options.defensive_weight), extent.rows, extent.rows};
  return Search::fit(known, start, nullptr, {}, options, std::move(report), run);
}

Document Gmm::closing_pass() const {
  return em_learning_pass(table_passes::Scale::of(x_scale(), y_scale()), em_state(), has_full_covariances());
}

std::unique_ptr<ConditionalDensity> Gmm::finished(const Document& state) const {
  EmState found = em_state();
  const EmSettings settings{.full = has_full_covariances(),
                            .floors = Vector::Constant(n_inputs() + n_targets(), options_.variance_floor)};
  const double weight = em_learn(state, settings, found);
  FitReport told = report();
  told.details.set("n_rows", static_cast<Index>(std::llround(weight))).set("log_likelihood", found.score);
  return std::unique_ptr<ConditionalDensity>(new Gmm(options_, {found.score}, Search::parameters_of(found, defensive()),
                                                     x_scale(), y_scale(), std::move(told)));
}

bool Gmm::has_full_covariances() const { return n_inputs() + n_targets() > 1 && covariance() == "full"; }

EmState Gmm::em_state() const {
  EmState out;
  out.weights = joint().log_weights().array().exp();
  out.means = kernels().means;
  out.covariances = has_full_covariances() ? kernels().covariances() : Matrix(kernels().scales.cwiseAbs2());
  return out;
}

Document Gmm::accumulate(const Document& pass, const Dataset& block, Index, const Run& run) {
  return em_accumulate(pass, block, run);
}

std::string Gmm::covariance() const { return report().details.at("covariance").as_string(); }

}  // namespace condens
