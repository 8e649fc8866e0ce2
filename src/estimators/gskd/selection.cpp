#include "selection.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "condens/core/parallel.hpp"
#include "condens/data/folds.hpp"

namespace condens {

namespace {

constexpr Index fewest_rows = 10;
constexpr int sizes_without_gain = 3;

std::vector<GskdTarget> targets_of(const GskdOptions& options) {
  if (options.target != GskdTarget::automatic) return {options.target};
  return {GskdTarget::paper, GskdTarget::loo};
}

/// Each by a quarter more than the one before.
std::vector<Index> sizes_of(const GskdOptions& options) {
  if (options.selection == GskdSizes::stop) return {options.max_kernels};
  std::vector<Index> out{1};
  while (out.back() < options.max_kernels) {
    out.push_back(std::min(options.max_kernels, out.back() + std::max<Index>(1, out.back() / 4)));
  }
  return out;
}

std::vector<Finish> finishes_of(const GskdOptions& options, Index dimension) {
  std::vector<Finish> out;
  if (options.polish != GskdPolish::em) out.push_back(Finish::none);
  if (options.polish == GskdPolish::none) return out;
  if (dimension == 1 || options.covariance != GmmCovariance::full) out.push_back(Finish::diagonal);
  if (dimension > 1 && options.covariance != GmmCovariance::diagonal) out.push_back(Finish::full);
  return out;
}

/// The rows of a comparison: equal ones are left out together.
Dataset rows_of_comparison(const Dataset& rows, const GskdOptions& options) {
  Dataset merged = preparation::merge_copies(rows);
  if (merged.size() <= options.fit_rows) return merged;
  return merged.subset(some_rows(Sample::of(merged), options));
}

const Run one_thread{.threads = 1, .observer = {}};

/// The rows of all folds but one, and their kernels for one target.
class Fold {
 public:
  Fold(preparation::HeldOut part, const GskdOptions& options)
      : options_(options),
        part_(std::move(part)),
        sample_(Sample::of(part_.train)),
        bandwidth_(window_width(sample_, options, one_thread)) {}

  void begin(GskdTarget target) {
    path_ = std::make_unique<KernelPath>(sample_, bandwidth_, target, options_, one_thread);
  }

  bool falling() const { return path_->falling(); }

  /// log p(y | x) of the rows left out, for as many kernels and every finish.
  std::vector<Vector> log_densities(Index size, const std::vector<Finish>& finishes,
                                    const GskdSelection::LogDensity& log_density) {
    const auto check = [] { check_cancelled(); };
    path_->grow(size, 1, check);
    const WeightedKernels found = path_->weighted(check);
    Task task(one_thread, "expectation maximisation", 1);
    std::vector<Vector> out;
    for (const Finish how : finishes) {
      out.push_back(
          log_density(finish(sample_, found, path_->box().scale_lower, how, options_.polish_iterations, task), part_));
    }
    return out;
  }

 private:
  const GskdOptions& options_;
  preparation::HeldOut part_;
  Sample sample_;
  Vector bandwidth_;
  std::unique_ptr<KernelPath> path_;
};

/// All folds, worked on side by side.
class Folds {
 public:
  Folds(const Dataset& rows, const GskdOptions& options, Task& task)
      : task_(task),
        fold_(assign_folds(rows.size(), options.n_folds, static_cast<std::uint64_t>(options.seed))),
        parts_(static_cast<std::size_t>(options.n_folds)) {
    for_each([&](Index k, std::unique_ptr<Fold>& own) {
      own = std::make_unique<Fold>(preparation::without_fold(rows, fold_, k), options);
    });
  }

  const std::vector<Index>& fold_of_rows() const { return fold_; }

  void begin(GskdTarget target) {
    for_each([&](Index, std::unique_ptr<Fold>& own) { own->begin(target); });
  }

  bool falling() const {
    return std::any_of(parts_.begin(), parts_.end(), [](const auto& own) { return own->falling(); });
  }

  /// -log p(y | x) of all rows, each left out, for every finish.
  std::vector<Vector> losses(Index size, const std::vector<Finish>& finishes,
                             const GskdSelection::LogDensity& log_density) {
    std::vector<Vector> out(finishes.size(), Vector(std::ssize(fold_)));
    for_each([&](Index k, std::unique_ptr<Fold>& own) {
      const std::vector<Vector> found = own->log_densities(size, finishes, log_density);
      Index at = 0;
      for (std::size_t i = 0; i < fold_.size(); ++i) {
        if (fold_[i] != k) continue;
        for (std::size_t f = 0; f < finishes.size(); ++f) out[f][static_cast<Index>(i)] = -found[f][at];
        ++at;
      }
    });
    return out;
  }

 private:
  template <class Body>
  void for_each(const Body& body) {
    const auto own = [&](Index k) { body(k, parts_[static_cast<std::size_t>(k)]); };
    parallel_for(std::ssize(parts_), task_.threads(), own, [&] { task_.poll(); });
  }

  Task& task_;
  std::vector<Index> fold_;
  std::vector<std::unique_ptr<Fold>> parts_;
};

struct Best {
  GskdChoice choice = {};
  Vector losses = {};  // of all rows; none: no candidate yet

  void compare(const GskdChoice& other, const Vector& losses_of_other) {
    if (losses.size() > 0 && !(other.score < choice.score)) return;
    choice = other;
    losses = losses_of_other;
  }
};

void report_comparison(const std::vector<GskdChoice>& candidates, FitReport& report) {
  preparation::report_candidates(
      candidates,
      {{"n_kernels", [](const GskdChoice& own) { return static_cast<double>(own.n_kernels); }},
       {"loo", [](const GskdChoice& own) { return own.target == GskdTarget::loo ? 1.0 : 0.0; }},
       {"em", [](const GskdChoice& own) { return own.finish == Finish::none ? 0.0 : 1.0; }},
       {"full", [](const GskdChoice& own) { return own.finish == Finish::full ? 1.0 : 0.0; }}},
      report);
}

}  // namespace

GskdSelection::GskdSelection(const Dataset& rows, const GskdOptions& options)
    : options_(options),
      targets_(targets_of(options)),
      sizes_(sizes_of(options)),
      finishes_(finishes_of(options, rows.x.rows() + rows.y.rows())) {
  open_ = targets_.size() * sizes_.size() * finishes_.size() > 1;
  if (open_) rows_ = rows_of_comparison(rows, options);
  open_ = open_ && rows_.size() >= std::max(fewest_rows, options.n_folds);
}

GskdChoice GskdSelection::first() const {
  GskdChoice out{targets_.front(), sizes_.front(), finishes_.front()};
  const bool diagonal = std::find(finishes_.begin(), finishes_.end(), Finish::diagonal) != finishes_.end();
  if (out.n_kernels == 1 && diagonal) out.finish = Finish::diagonal;
  return out;
}

GskdChoice GskdSelection::choose(const LogDensity& log_density, const Run& run, FitReport& report) const {
  Task task(run, "comparing kernels", static_cast<double>(targets_.size() * sizes_.size()));
  Folds folds(rows_, options_, task);
  std::vector<GskdChoice> candidates;
  Best best;
  Best best_full;
  const auto better = [&](const Best& one, const Best& other) {
    const auto [gain, error] = preparation::mean_of(other.losses - one.losses, rows_.weights);
    return gain > error;
  };
  for (const GskdTarget target : targets_) {
    folds.begin(target);
    double least = std::numeric_limits<double>::infinity();
    int waited = 0;
    for (const Index size : sizes_) {
      const std::vector<Vector> losses = folds.losses(size, finishes_, log_density);
      const double before = least;
      for (std::size_t f = 0; f < finishes_.size(); ++f) {
        const auto [mean, error] = preparation::mean_of(losses[f], rows_.weights);
        candidates.push_back({target, size, finishes_[f], mean, error,
                              preparation::means_of_folds(losses[f], rows_.weights, folds.fold_of_rows())});
        const bool wary = options_.covariance == GmmCovariance::automatic && finishes_[f] == Finish::full;
        (wary ? best_full : best).compare(candidates.back(), losses[f]);
        least = std::min(least, mean);
      }
      task.advance(1);
      task.poll();
      waited = least < before ? 0 : waited + 1;
      if (waited >= sizes_without_gain || !folds.falling()) break;
    }
  }
  const bool full = best.losses.size() == 0 || (best_full.losses.size() > 0 && better(best_full, best));
  const GskdChoice& choice = (full ? best_full : best).choice;
  report_comparison(candidates, report);
  report.details.set("score", choice.score).set("score_standard_error", choice.standard_error);
  return choice;
}

}  // namespace condens
