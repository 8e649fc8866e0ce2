#include "ensemble.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "model/inner_fits.hpp"
#include "model/preparation.hpp"

namespace condens::mdn {

namespace {

// Numbers of the random streams: members and starts count up from 0, validation rows and folds from here.
constexpr std::uint64_t validation_stream = std::uint64_t{1} << 40;
constexpr std::uint64_t fold_stream = std::uint64_t{1} << 41;

struct Split {
  Dataset train;
  Dataset validation;
};

Split split_rows(const Ensemble& ensemble, const Dataset& rows, std::uint64_t stream) {
  if (!ensemble.fold.empty()) {
    const RowsOfFold own = rows_of_fold(ensemble.fold, static_cast<Index>(stream) % ensemble.folds);
    return {rows.subset(own.train), rows.subset(own.test)};
  }
  const Index count = n_validation_rows(ensemble.validation_fraction, rows.size());
  if (count == 0) return {rows, rows.subset({})};
  const std::vector<Index> order = RandomStream(ensemble.seed, validation_stream + stream).permutation(rows.size());
  return {rows.subset({order.begin() + count, order.end()}), rows.subset({order.begin(), order.begin() + count})};
}

/// Threads for each of `count` networks that are trained side by side.
int inner_threads(const Task& task, Index count) {
  return std::max(1, task.threads() / static_cast<int>(std::min<Index>(count, 1024)));
}

bool better(const Trained& a, const Trained& b, bool validated) {
  return validated ? a.held_out_loss < b.held_out_loss : a.objective < b.objective;
}

}  // namespace

Index n_validation_rows(double fraction, Index n) {
  const auto count = static_cast<Index>(std::lround(fraction * static_cast<double>(n)));
  return count < 3 || count >= n ? 0 : count;
}

std::vector<Member> train_ensemble(const Ensemble& ensemble, const Dataset& rows, const Run& run) {
  const Index starts = ensemble.n_starts;
  const Index count = ensemble.n_members * starts;
  Task task(run, "training networks", static_cast<double>(count) * expected_work(ensemble.training, rows.size()));
  std::vector<Trained> trained(static_cast<std::size_t>(count));
  const int inner = inner_threads(task, count);
  parallel_for(
      count, task.threads(),
      [&](Index i) {
        const Split split = split_rows(ensemble, rows, static_cast<std::uint64_t>(i / starts));
        trained[static_cast<std::size_t>(i)] = train(ensemble.training, split.train, split.validation, ensemble.seed,
                                                     static_cast<std::uint64_t>(i), task, inner);
      },
      [&] { task.poll(); });
  const bool validated = n_validation_rows(ensemble.validation_fraction, rows.size()) > 0;
  std::vector<Member> out;
  for (Index m = 0; m < ensemble.n_members; ++m) {
    Member member{{}, Vector(starts), Vector(validated ? starts : 0)};
    for (Index s = 0; s < starts; ++s) {
      const Trained& own = trained[static_cast<std::size_t>(m * starts + s)];
      member.train_losses[s] = own.train_loss;
      if (validated) member.validation_losses[s] = own.held_out_loss;
      if (s == 0 || better(own, member.best, validated)) member.best = own;
    }
    out.push_back(std::move(member));
  }
  return out;
}

void score_candidates(std::vector<Candidate>& candidates, const Ensemble& ensemble, const Dataset& rows,
                      const std::vector<Index>& fold, const Defensive& defensive, const Run& run) {
  const Index folds = *std::max_element(fold.begin(), fold.end()) + 1;
  const Index count = std::ssize(candidates) * folds;
  Task task(run, "choosing networks", static_cast<double>(count) * expected_work(ensemble.training, rows.size()));
  Matrix scores(folds, std::ssize(candidates));
  const int inner = inner_threads(task, count);
  parallel_for(
      count, task.threads(),
      [&](Index i) {
        const Index k = i % folds;
        const Candidate& candidate = candidates[static_cast<std::size_t>(i / folds)];
        Ensemble own = ensemble;
        own.fold.clear();  // which is of all rows
        own.training.shape.n_components = static_cast<Index>(candidate.n_components);
        own.training.shape.hidden = static_cast<Index>(candidate.units);
        own.training.decay = candidate.regularization;
        const preparation::HeldOut held_out = preparation::without_fold(rows, fold, k);
        // All candidates begin at the same random numbers and stop by the same rows.
        const std::uint64_t stream = fold_stream + static_cast<std::uint64_t>(k);
        const Split split = split_rows(own, held_out.train, stream);
        const Trained found = train(own.training, split.train, split.validation, own.seed, stream, task, inner);
        const Matrix x = InputRange::of(held_out.train.x).clip(held_out.test.x);
        NetworkLoss test(own.training.shape, x, held_out.test.y, held_out.test.weights, 0.0);
        const Vector log_density = -test.losses(found.parameters, inner);
        const Vector broad = defensive.log_density(held_out.test.y);
        double total = 0;
        for (Index r = 0; r < broad.size(); ++r) {
          total -= held_out.test.weights[r] * defensive.log_mixed(log_density[r], broad[r]);
        }
        scores(k, i / folds) = total / held_out.test.weights.sum();
      },
      [&] { task.poll(); });
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const FoldScore score = fold_score(scores.col(static_cast<Index>(c)));
    candidates[c].score = score.mean;
    candidates[c].standard_error = score.standard_error;
    candidates[c].folds = scores.col(static_cast<Index>(c));
  }
}

InputRange InputRange::of(const MatrixView& x) {
  constexpr double margin = 0.25;
  if (x.rows() == 0) return {Vector(0), Vector(0)};
  const Vector low = x.rowwise().minCoeff();
  const Vector high = x.rowwise().maxCoeff();
  return {low - margin * (high - low), high + margin * (high - low)};
}

Matrix InputRange::clip(const MatrixView& x) const {
  Matrix out = x;
  for (Index i = 0; i < out.cols(); ++i) out.col(i) = out.col(i).cwiseMax(low).cwiseMin(high);
  return out;
}

}  // namespace condens::mdn
