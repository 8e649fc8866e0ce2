#include "condens/estimators/gmm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/kernels/centers.hpp"
#include "expectation_maximization.hpp"
#include "model/preparation.hpp"

namespace condens {

using preparation::Standardized;

namespace {

constexpr std::string_view owner = Gmm::class_name;
constexpr int kPatience = 3;  // numbers of components without improvement

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

void check_options(const GmmOptions& o, const Dataset& data) {
  validate_options(o, owner);
  preparation::check_centers(owner, o.centers, data);
  require(!o.n_components.empty(), owner, ": n_components has no numbers, expected one or candidates");
  double before = 0;
  for (const double k : o.n_components) {
    require(k > before, owner, ": n_components has ", k, " after ", before, ", expected rising candidates");
    before = k;
  }
  const bool interval = o.region.size() == 2 && o.region[0] < o.region[1];
  require(o.region.empty() || interval, owner, ": region has ", o.region.size(),
          " numbers, expected none or two, a < b");
}

double n_parameters(Index k, Index d, bool full) {
  const Index of_shape = full ? d * (d + 1) / 2 : d;
  return static_cast<double>(k - 1 + k * (d + of_shape));
}

/// A run from every start, the best one continued.
class Fitter {
 public:
  Fitter(const Dataset& data, const Matrix& z, const Matrix& centers, const GmmOptions& options, Task& task)
      : z_(z), rows_(z, data.weights), centers_(centers), options_(options), task_(task) {
    floors_ = Vector::Constant(z.rows(), options.variance_floor);
  }

  EmState fit(Index k, bool full) const {
    EmSettings settings{.full = full, .floors = floors_, .max_iterations = options_.short_iterations};
    settings.tolerance = options_.tolerance;
    const Index starts = centers_.size() > 0 ? 1 : options_.starts;
    std::optional<EmState> best;
    for (Index start = 0; start < starts; ++start) {
      EmState state = begin(k, full, start, settings);
      if (starts > 1) state = em_continue(rows_, std::move(state), settings, task_);
      if (!best || state.score > best->score) best = std::move(state);
    }
    settings.max_iterations = std::max<Index>(0, options_.max_iterations - best->iterations);
    if (starts > 1 && best->converged) return *best;
    return em_continue(rows_, *std::move(best), settings, task_);
  }

  const EmRows& rows() const { return rows_; }

 private:
  EmState begin(Index k, bool full, Index start, const EmSettings& settings) const {
    const Vector variances = Vector::Constant(z_.rows(), std::max(options_.initial_variance, options_.variance_floor));
    if (centers_.size() > 0) return em_start(centers_, variances, full);
    const auto seed = static_cast<std::uint64_t>(options_.seed);
    if (options_.initialization == GmmInitialization::random) {
      return em_start(random_centers_in_region(k, RandomStream(seed, static_cast<std::uint64_t>(start))), variances,
                      full);
    }
    const std::vector<Index> chosen =
        kmeans_centers(z_, rows_.weights, k, RandomStream(seed, static_cast<std::uint64_t>(start))(), task_.threads());
    return em_start_of_clusters(rows_, z_(Eigen::all, chosen), settings, task_);
  }

  Matrix random_centers_in_region(Index k, RandomStream random) const {
    Vector low = z_.rowwise().minCoeff();
    Vector high = z_.rowwise().maxCoeff();
    if (!options_.region.empty()) {
      low.setConstant(options_.region[0]);
      high.setConstant(options_.region[1]);
    }
    Matrix out(z_.rows(), k);
    for (auto center : out.colwise()) {
      for (Index j = 0; j < out.rows(); ++j) center[j] = low[j] + (high[j] - low[j]) * random.uniform();
    }
    return out;
  }

  const Matrix& z_;
  EmRows rows_;
  const Matrix& centers_;
  const GmmOptions& options_;
  Task& task_;
  Vector floors_;
};

Matrix joined(const Matrix& x, const Matrix& y) {
  Matrix out(x.rows() + y.rows(), y.cols());
  out.topRows(x.rows()) = x;
  out.bottomRows(y.rows()) = y;
  return out;
}

Vector log_density_of(const EmState& state, const Matrix& z, int threads) {
  const GaussianMixtures law = GaussianMixtures::shared(std::make_shared<const GaussianComponents>(state.components()),
                                                        state.weights.array().log());
  return law.log_pdf(z, {.threads = threads, .observer = {}});
}

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

/// Fits and compares candidates on standardised rows without copies.
struct Gmm::Search {
  const GmmOptions& options;
  const Dataset& data;
  const Matrix& centers;
  Task& task;
  bool compare;
  Matrix z = joined(data.x, data.y);
  Fitter fitter{data, z, centers, options, task};
  std::vector<Index> fold = {};
  std::vector<Candidate> candidates = {};

  Parameters parameters_of(const EmState& state, const Dataset& rows) const {
    return parameters(state.weights, state.components(), Defensive::fit(options.defensive_weight, rows));
  }

  EmState score_by_criterion(Candidate& candidate) const {
    EmState state = fitter.fit(candidate.n_components, candidate.full);
    const double n = std::max(data.weights.sum(), 2.0);
    const double parameters_each = n_parameters(state.weights.size(), z.rows(), candidate.full) / n;
    candidate.score = 0.5 * parameters_each * std::log(n) - state.score;
    if (compare) {
      candidate.standard_error =
          preparation::mean_of(log_density_of(state, z, task.threads()), data.weights).standard_error;
    }
    return state;
  }

  void score_by_folds(Candidate& candidate) const {
    Vector held_out(data.size());
    const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
    for (Index k = 0; k < folds; ++k) {
      const preparation::HeldOut part = preparation::without_fold(data, fold, k);
      const Matrix own = joined(part.train.x, part.train.y);
      const Fitter fit_part(part.train, own, centers, options, task);
      const EmState state = fit_part.fit(std::min(candidate.n_components, part.train.size()), candidate.full);
      const Gmm model(options, {state.score}, parameters_of(state, part.train), Standardizer::identity(data.x.rows()),
                      Standardizer::identity(data.y.rows()), report_of(candidate));
      const Vector values = model.log_density(part.test.x, part.test.y, {.threads = task.threads(), .observer = {}});
      Index at = 0;
      for (std::size_t i = 0; i < fold.size(); ++i) {
        if (fold[i] == k) held_out[static_cast<Index>(i)] = values[at++];
      }
    }
    const auto [mean, error] = preparation::mean_of(held_out, data.weights);
    candidate.score = -mean;
    candidate.folds = preparation::means_of_folds(-held_out, data.weights, fold);
    candidate.standard_error = error;
  }

  /// The best number of components for one shape of covariances.
  void search(bool full, const std::vector<Index>& counts, std::optional<std::pair<Candidate, EmState>>& best) {
    double least = std::numeric_limits<double>::infinity();
    int waited = 0;
    for (const Index k : counts) {
      // BIC is an expansion in many rows: with as many parameters as rows it takes any cluster of two for a component.
      if (best && fold.empty() && n_parameters(k, z.rows(), full) >= data.weights.sum()) break;
      Candidate candidate{k, full};
      std::optional<EmState> state;
      if (fold.empty()) {
        state = score_by_criterion(candidate);
      } else {
        score_by_folds(candidate);
      }
      candidates.push_back(candidate);
      task.advance(1);
      task.poll();
      if (!best || candidate.score < best->first.score) {
        if (!state) state = EmState{};
        best.emplace(candidate, *std::move(state));
      }
      waited = candidate.score < least ? 0 : waited + 1;
      least = std::min(least, candidate.score);
      if (waited >= kPatience) break;
    }
  }
};

Gmm::Gmm(GmmOptions options, GmmState state, Parameters p, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : FittedJointDensity(std::move(options), state, std::move(p), std::move(x_scale), std::move(y_scale),
                         std::move(report)) {
  covariance();  // throws where a file lacks what is read later
}

Gmm Gmm::fit(const Dataset& data, const GmmOptions& options, const Run& run) {
  check_options(options, data);
  const preparation::Start start(owner, data, options.standardize);
  const Dataset& rows = start.rows();
  const preparation::Standardized& standardized = start.standardized();
  FitReport report = start.report();
  const Dataset distinct = preparation::merge_copies(standardized.data);

  Matrix centers;
  std::vector<Index> counts;
  if (options.centers.size() > 0) {
    centers = joined(data.x.rows() > 0 ? standardized.x.transform(options.centers.topRows(data.x.rows()))
                                       : Matrix(0, options.centers.cols()),
                     standardized.y.transform(options.centers.bottomRows(data.y.rows())));
    counts.push_back(centers.cols());
  } else {
    for (const double k : options.n_components) counts.push_back(static_cast<Index>(k));
  }
  if (counts.back() > distinct.size()) {
    const Index most = distinct.size();
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
  const bool by_folds = choice && options.selection == GmmSelection::cv;
  Search search{.options = options,
                .data = by_folds ? standardized.data : distinct,  // folds are of the rows as given
                .centers = centers,
                .task = task,
                .compare = choice};
  if (by_folds) search.fold = preparation::folds_of(options.cv, data, options.seed);
  std::optional<std::pair<Candidate, EmState>> best;
  if (both || options.covariance == GmmCovariance::diagonal) search.search(false, counts, best);
  if (options.covariance == GmmCovariance::full || (both && search.z.rows() > 1)) search.search(true, counts, best);
  const Candidate chosen = best->first;
  const EmState state =
      search.fold.empty() ? std::move(best->second) : search.fitter.fit(chosen.n_components, chosen.full);

  report.details.set("n_rows", rows.size()).set("n_components", state.weights.size());
  report.details.set("covariance", name_of_shape(chosen)).set("log_likelihood", state.score);
  report.details.set("iterations", state.iterations).set("reseeded", state.reseeded);
  if (choice) report_candidates(search.candidates, options, chosen.n_components, report);
  if (state.dropped > 0) {
    report.warnings.push_back(
        message(state.dropped, " of ", chosen.n_components, " components held no row and were dropped"));
  }
  if (!state.converged && options.tolerance > 0) report.status = "iteration limit";
  return {options,        {state.score},  search.parameters_of(state, standardized.data),
          standardized.x, standardized.y, std::move(report)};
}

std::string Gmm::covariance() const { return report().details.at("covariance").as_string(); }

}  // namespace condens
