#include "condens/inspection/importance.hpp"

#include <cmath>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/core/random.hpp"
#include "data/splits.hpp"

namespace condens {

namespace {

constexpr const char* importance_name = "permutation_importance";

/// 2 x n: -log density and CRPS of every row.
class Losses {
 public:
  Losses(const ConditionalDensity& density, const TargetDecoder* kind, const Dataset& data, Task& task)
      : density_(density), kind_(kind), data_(data), task_(task) {}

  /// With the rows `input` of x from other columns.
  Matrix of(const std::vector<Index>& input, const std::vector<Index>& order) const {
    constexpr Index rows_together = 256;
    Matrix out(2, data_.size());
    parallel_for(
        block_count(data_.size(), rows_together), task_.threads(),
        [&](Index block) {
          const Range range = block_range(data_.size(), rows_together, block);
          Matrix x = data_.x.middleCols(range.begin, range.size());
          for (Index i = 0; !input.empty() && i < range.size(); ++i) {
            const Index other = order[static_cast<std::size_t>(range.begin + i)];
            for (const Index k : input) x(k, i) = data_.x(k, other);
          }
          fill(x, data_.y.middleCols(range.begin, range.size()), out.middleCols(range.begin, range.size()));
          task_.advance(static_cast<double>(range.size()));
        },
        [&] { task_.poll(); });
    return out;
  }

 private:
  void fill(const MatrixView& x, const MatrixView& y, Eigen::Ref<Matrix> out) const {
    const Run here{.threads = 1, .observer = {}};
    if (kind_ != nullptr) {
      const TargetDistributions laws = kind_->predict(density_, x, here);
      out.row(0) = -laws.log_pdf(y, here).transpose();
      out.row(1) = laws.crps(y.row(0).transpose(), here).transpose();
      return;
    }
    const GaussianMixtures laws = density_.predict(x, here);
    out.row(0) = -laws.log_pdf(y, here).transpose();
    out.row(1) = laws.energy_score(y, here).transpose();
  }

  const ConditionalDensity& density_;
  const TargetDecoder* kind_;
  const Dataset& data_;
  Task& task_;
};

/// `repeats`: rows x shuffles.
Importance::Loss loss_of(const Matrix& repeats, const Vector& weights) {
  const Score over_rows = mean_score(repeats.rowwise().mean(), weights);
  Vector means(repeats.cols());
  for (Index r = 0; r < means.size(); ++r) means[r] = mean_score(repeats.col(r), weights).value;
  return {over_rows.value, over_rows.standard_error, mean_score(means, Vector()).standard_error};
}

}  // namespace

Importances permutation_importance(const ConditionalDensity& density, const TargetDecoder* kind,
                                   const std::vector<InspectedInput>& inputs, const Dataset& data,
                                   const ImportanceOptions& options, const Run& run) {
  Inspected{density, kind}.check(importance_name, data.x);
  check_rows(density, data, importance_name);
  require(data.y.rows() == density.n_targets(), importance_name, ": the data have ", data.y.rows(),
          " targets, expected ", density.n_targets(), " as in the fit");
  require(options.n_repeats >= 1, importance_name, ": n_repeats = ", options.n_repeats, ", expected at least 1");
  require(options.max_rows >= 0, importance_name, ": max_rows = ", options.max_rows, ", expected a number >= 0");
  Dataset storage;
  const Dataset& counted = rows_that_count(data, storage);
  const bool all = options.max_rows == 0 || counted.size() <= options.max_rows;
  const auto seed = static_cast<std::uint64_t>(options.seed);
  const Dataset rows =
      all ? counted : counted.subset(random_rows(counted.size(), options.max_rows, RandomStream(seed)));
  const Index n = rows.size();
  const auto rounds = static_cast<double>(1 + std::ssize(inputs) * options.n_repeats);
  Task task(run, "permutation importance", rounds * static_cast<double>(n));
  const Losses losses(density, kind, rows, task);

  const Matrix own = losses.of({}, {});
  for (Index i = 0; i < n; ++i) {
    require(std::isfinite(own(0, i)), importance_name, ": row ", i + 1, " of ", n, " has log density ", -own(0, i),
            ", which cannot be compared; leave it out, or fit with defensive_weight > 0");
  }
  Importances out{
      mean_score(own.row(0).transpose(), rows.weights), mean_score(own.row(1).transpose(), rows.weights), {}, n};
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    Matrix log_score(n, options.n_repeats);
    Matrix crps(n, options.n_repeats);
    for (Index r = 0; r < options.n_repeats; ++r) {
      const auto stream = static_cast<std::uint64_t>(1 + static_cast<Index>(j) * options.n_repeats + r);
      const Matrix changed = losses.of(inputs[j].rows, RandomStream(seed, stream).permutation(n)) - own;
      log_score.col(r) = changed.row(0).transpose();
      crps.col(r) = changed.row(1).transpose();
    }
    out.inputs.push_back({inputs[j].name, loss_of(log_score, rows.weights), loss_of(crps, rows.weights)});
  }
  return out;
}

}  // namespace condens
