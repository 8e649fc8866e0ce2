#include "condens/estimators/forest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "atoms.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "data/splits.hpp"
#include "estimators/trees/binned_inputs.hpp"
#include "growing.hpp"
#include "model/kernel_rows.hpp"
#include "model/preparation.hpp"
#include "out_of_bag.hpp"
#include "smoothing.hpp"
#include "trees.hpp"

namespace condens {

namespace {

using namespace forest;

constexpr std::string_view owner = Forest::class_name;
constexpr Index trees_to_compare = 30;       // of a candidate
constexpr Index rows_of_importance = 2'000;  // at most; the cost grows with the inputs
// Streams of random numbers of one seed.
constexpr std::uint64_t stream_of_rows = 1;
constexpr std::uint64_t stream_of_shuffles = 2;
constexpr std::uint64_t stream_of_trees = 1'000;

/// What is compared, and its score: the mean negative log-likelihood of rows that trees did not see.
struct Candidate {
  double min_samples_leaf;
  double max_features;
  Width width = {0, 0};
  double score = infinity;
  double standard_error = 0;
};

std::vector<Index> some_rows(Index n, Index count, Index seed) {
  return random_rows(n, count, RandomStream(static_cast<std::uint64_t>(seed), stream_of_rows));
}

/// Of n rows, how many a tree is made of.
Index size_of_tree(const ForestOptions& options, Index n) {
  const auto share = static_cast<Index>(std::lround(options.sample_fraction * static_cast<double>(n)));
  return std::max<Index>(1, std::min(share, options.max_rows));
}

RandomStream stream_of_tree(const ForestOptions& options, Index t) {
  return RandomStream(static_cast<std::uint64_t>(options.seed), stream_of_trees + static_cast<std::uint64_t>(t));
}

std::vector<Width> widths_of(const ForestOptions& options) {
  std::vector<Width> out;
  for (const double sensitivity : options.sensitivity) {
    for (const double bandwidth : options.bandwidth_y) out.push_back({bandwidth, sensitivity});
  }
  return out;
}

/// A forest in the making: its data, and what becomes of them.
class Maker {
 public:
  /// `binned` has the units of the user, in which indicators are 0 and 1, `data` is standardised.
  Maker(const Dataset& binned, const Dataset& data, const Standardizer& x_scale, const ForestOptions& options,
        const Defensive& defensive, int threads)
      : data_(data), x_scale_(x_scale), options_(options), defensive_(defensive), threads_(threads) {
    // Weights that are shares of the rows count as rows, too.
    const double mean = data.weights.mean();
    growing_ = {trees::bin_inputs(binned, options.max_bins, threads), data.y, data.weights / std::min(1.0, mean)};
    trees::standardize_edges(growing_.inputs, x_scale);
    atoms_ = make_atoms(data.y, growing_.weights, options.n_atoms);
    state_.atoms = atoms_.means;
    state_.atom_spreads = atoms_.spreads;
  }

  void grow(const Candidate& candidate, Index n_trees, Task& task) {
    const GrowingSettings settings{options_.criterion, candidate.min_samples_leaf, candidate.max_features,
                                   size_of_tree(options_, data_.size())};
    grown_.assign(static_cast<std::size_t>(n_trees), {});
    parallel_for(
        n_trees, threads_,
        [&](Index t) {
          grown_[static_cast<std::size_t>(t)] = grow_tree(growing_, settings, stream_of_tree(options_, t));
          task.advance(1);
        },
        [&] { task.poll(); });
    write_trees(growing_, grown_, atoms_.row, data_.x.rows(), threads_, state_);
    state_.min_samples_leaf = candidate.min_samples_leaf;
    state_.max_features = candidate.max_features;
    trees_.emplace(state_, x_scale_);
  }

  /// The width of the highest likelihood of `rows`, each by the trees that did not see it. Where there are no such
  /// trees the middle one, without a score.
  void choose_width(const std::vector<Index>& rows, Candidate& candidate) const {
    const OutOfBag unseen(data_, grown_, *trees_, rows);
    const std::vector<Width> widths = widths_of(options_);
    candidate.width = widths[widths.size() / 2];
    if (unseen.rows().empty()) return;
    const Smoothing smoothing(state_.atoms, state_.atom_spreads, defensive_);
    const Matrix log_density =
        log_densities(smoothing, unseen.shares(threads_), data_.y(Eigen::all, unseen.rows()), widths, threads_);
    const Vector weights = data_.weights(unseen.rows());
    const double total = weights.sum();
    for (Index c = 0; c < log_density.cols(); ++c) {
      const Vector loss = (-log_density.col(c)).cwiseMin(std::numeric_limits<double>::max());
      const double mean = weights.dot(loss) / total;
      if (!(mean < candidate.score)) continue;
      candidate.width = widths[static_cast<std::size_t>(c)];
      candidate.score = mean;
      candidate.standard_error = std::sqrt(weights.cwiseAbs2().dot((loss.array() - mean).square().matrix())) / total;
    }
  }

  /// What the likelihood of rows loses when an input is shuffled among them.
  Vector importances(const std::vector<Index>& rows, const Width& width) const {
    const OutOfBag unseen(data_, grown_, *trees_, rows);
    Vector out = Vector::Zero(data_.x.rows());
    const Index n = std::ssize(unseen.rows());
    if (n < 2) return out;
    const Smoothing smoothing(state_.atoms, state_.atom_spreads, defensive_);
    const Matrix y = data_.y(Eigen::all, unseen.rows());
    const Vector weights = data_.weights(unseen.rows());
    const auto likelihood = [&](const std::vector<Index>& shuffled, const std::vector<Index>& order) {
      return log_densities(smoothing, unseen.shares(threads_, shuffled, order), y, {width}, threads_)
                 .col(0)
                 .dot(weights) /
             weights.sum();
    };
    const double whole = likelihood({}, {});
    RandomStream random(static_cast<std::uint64_t>(options_.seed), stream_of_shuffles);
    for (const trees::BinnedInput& input : growing_.inputs) {
      if (input.n_codes < 2) continue;
      const double loss = whole - likelihood(input.rows, random.permutation(n));
      for (const Index row : input.rows) out[row] = std::max(0.0, loss) / static_cast<double>(input.rows.size());
    }
    if (out.sum() > 0) out /= out.sum();
    return out;
  }

  ForestState take_state() { return std::move(state_); }

 private:
  const Dataset& data_;
  const Standardizer& x_scale_;
  const ForestOptions& options_;
  const Defensive& defensive_;
  int threads_;
  GrowingData growing_;
  Atoms atoms_;
  std::vector<GrownTree> grown_;
  ForestState state_;
  std::optional<const Trees> trees_;  // of the state, once grown
};

/// Every leaf size with every share of inputs, by small forests on some of the rows.
Candidate compare(const Dataset& given, const Dataset& data, const Standardizer& x_scale, const ForestOptions& options,
                  const Defensive& defensive, const Run& run, FitReport& report) {
  std::vector<Candidate> all;
  for (const double leaf : options.min_samples_leaf) {
    for (const double share : options.max_features) all.push_back({leaf, share});
  }
  if (all.size() == 1) return all.front();
  const std::vector<Index> rows = some_rows(data.size(), options.tuning_rows, options.seed);
  const Dataset some = data.subset(rows);
  const Index trees = std::min(options.n_trees, trees_to_compare);
  Task task(run, "comparing candidates", static_cast<double>(std::ssize(all) * trees));
  Maker maker(given.subset(rows), some, x_scale, options, defensive, task.threads());
  std::vector<Index> every(rows.size());
  std::iota(every.begin(), every.end(), Index{0});
  for (Candidate& candidate : all) {
    maker.grow(candidate, trees, task);
    maker.choose_width(every, candidate);
  }
  const auto column = [&](double Candidate::*number) {
    return preparation::column(all, [&](const Candidate& own) { return own.*number; });
  };
  report.details.set("candidates", Document::Object{{"min_samples_leaf", column(&Candidate::min_samples_leaf)},
                                                    {"max_features", column(&Candidate::max_features)},
                                                    {"score", column(&Candidate::score)},
                                                    {"standard_error", column(&Candidate::standard_error)}});
  Candidate best =
      *std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
  best.score = infinity;  // that of the whole forest follows
  return best;
}

}  // namespace

ForestOptions ForestOptions::paper() {
  return {.n_trees = 1000,
          .min_samples_leaf = {10},
          .max_features = {1.0 / 3.0},
          .sensitivity = {0},
          .defensive_weight = 0};
}

Forest::Forest(ForestOptions options, ForestState state, Standardizer x_scale, Standardizer y_scale, FitReport report)
    : FittedModel(std::move(options), std::move(state), std::move(x_scale), std::move(y_scale), std::move(report)),
      trees_(std::make_shared<const Trees>(state_, this->x_scale())) {}

GaussianMixtures Forest::laws(const MatrixView& x) const {
  Matrix shares = Matrix::Zero(trees_->n_atoms(), x.cols());
  Vector own(trees_->n_atoms());
  for (Index i = 0; i < x.cols(); ++i) {
    const trees::SavedTrees::Inputs input = trees_->inputs(x.col(i));
    own.setZero();
    for (Index t = 0; t < trees_->size(); ++t) trees_->add(t, input, own);
    shares.col(i) = own / static_cast<double>(trees_->size());
  }
  const Smoothing smoothing(state_.atoms, state_.atom_spreads, state_.defensive);
  return smoothing.mixtures(shares, {state_.bandwidth_y, state_.sensitivity});
}

/// A tree's rows are drawn again, from its stream, and fall into its leaves again.
std::vector<RowWeights> Forest::row_weights(const MatrixView& x, const Dataset& training, Index most,
                                            const Run& run) const {
  const FittedRows fitted(owner, training, options_.standardize, x_scale(), y_scale());
  const Dataset given = preparation::merge_copies(fitted.rows());
  const KernelRows copies(owner, stacked(given), stacked(fitted.rows()), fitted);
  const Index n = given.size();
  const trees::SavedTrees::Inputs rows = trees_->inputs_of(x_scale().transform(given.x));
  const trees::SavedTrees::Inputs points = trees_->inputs_of(x_scale().transform(x));

  struct Share {
    Index point;
    Index row;
    double weight;
  };
  std::vector<std::vector<Share>> of_tree(static_cast<std::size_t>(trees_->size()));
  Task task(run, "weighing rows", static_cast<double>(trees_->size()));
  parallel_for(
      trees_->size(), task.threads(),
      [&](Index t) {
        std::map<Index, std::vector<Index>> leaves;  // of the points, with the rows in them
        for (Index i = 0; i < x.cols(); ++i) leaves[trees_->leaf(t, points, i)];
        RandomStream random = stream_of_tree(options_, t);
        for (const Index row : rows_of_tree(n, size_of_tree(options_, n), random)) {
          const auto found = leaves.find(trees_->leaf(t, rows, row));
          if (found != leaves.end()) found->second.push_back(row);
        }
        for (Index i = 0; i < x.cols(); ++i) {
          const std::vector<Index>& own = leaves[trees_->leaf(t, points, i)];
          require(!own.empty(), owner, ": a leaf of tree ", t + 1,
                  " holds no row of the training data, expected the data of the fit, unchanged");
          const double total = given.weights(own).sum() * static_cast<double>(trees_->size());
          for (const Index row : own) {
            of_tree[static_cast<std::size_t>(t)].push_back({i, row, given.weights[row] / total});
          }
        }
        task.advance(1);
      },
      [&] { task.poll(); });

  std::vector<std::vector<Share>> of_point(static_cast<std::size_t>(x.cols()));
  for (const std::vector<Share>& all : of_tree) {
    for (const Share& own : all) of_point[static_cast<std::size_t>(own.point)].push_back(own);
  }
  std::vector<RowWeights> out;
  Vector weights(n);
  for (const std::vector<Share>& all : of_point) {
    weights.setZero();
    for (const Share& own : all) weights[own.row] += own.weight;
    out.push_back(copies.weigh(weights, most));
  }
  return out;
}

Forest Forest::fit(const Dataset& data, const ForestOptions& options, const Run& run) {
  validate_options(options, owner);
  const preparation::Start start(owner, data, options.standardize);
  const Standardizer& x_scale = start.standardized().x;
  const Standardizer& y_scale = start.standardized().y;
  // Copies of a row in one place: a tree sees all of them or none.
  const Dataset given = preparation::merge_copies(start.rows());
  const Dataset rows{.x = x_scale.transform(given.x),
                     .y = y_scale.transform(given.y),
                     .weights = given.weights,
                     .groups = given.groups};
  FitReport report = start.report();
  const Defensive defensive = Defensive::fit(options.defensive_weight, rows);
  Candidate chosen = compare(given, rows, x_scale, options, defensive, run, report);

  Task task(run, "growing trees", static_cast<double>(options.n_trees));
  Maker maker(given, rows, x_scale, options, defensive, task.threads());
  maker.grow(chosen, options.n_trees, task);
  maker.choose_width(some_rows(rows.size(), options.tuning_rows, options.seed), chosen);
  const std::vector<Index> few =
      some_rows(rows.size(), std::min(options.tuning_rows, rows_of_importance), options.seed);
  const Vector importances = maker.importances(few, chosen.width);
  ForestState state = maker.take_state();
  state.bandwidth_y = chosen.width.bandwidth;
  state.sensitivity = chosen.width.sensitivity;
  state.feature_importances = importances;
  state.defensive = defensive;

  report.details.set("n_rows", start.rows().size());
  report.details.set("min_samples_leaf", chosen.min_samples_leaf).set("max_features", chosen.max_features);
  report.details.set("bandwidth_y", chosen.width.bandwidth).set("sensitivity", chosen.width.sensitivity);
  if (std::isfinite(chosen.score)) {
    report.details.set("score", chosen.score).set("score_standard_error", chosen.standard_error);
    preparation::warn_at_edge_of_y(options.bandwidth_y, chosen.width.bandwidth, rows.y, report);
  }
  return {options, std::move(state), x_scale, y_scale, std::move(report)};
}

}  // namespace condens
