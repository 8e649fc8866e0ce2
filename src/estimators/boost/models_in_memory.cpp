#include "models_in_memory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condens/core/random.hpp"
#include "condens/data/folds.hpp"
#include "core/work.hpp"
#include "data/splits.hpp"

namespace condens::boosting {

namespace {

constexpr Index rows_per_block = 4096;

std::vector<std::int32_t> narrow(const std::vector<Index>& rows) {
  std::vector<std::int32_t> out(rows.size());
  std::transform(rows.begin(), rows.end(), out.begin(), [](Index i) { return static_cast<std::int32_t>(i); });
  return out;
}

/// Of all rows, those on which the mixture is fitted.
std::vector<Index> rows_of_residuals(Index n, Index seed) {
  if (n > most_rows_at_once) return sample_of_places(n, rows_of_mixture, static_cast<std::uint64_t>(seed));
  return random_rows(n, rows_of_mixture, RandomStream(static_cast<std::uint64_t>(seed), stream_of_mixture));
}

}  // namespace

std::vector<double> keys_of_round(Index seed, Index round, Index first_row, Index count) {
  const auto stream = stream_of_rounds + static_cast<std::uint64_t>(round);
  return keys_of_places(first_row, count, RandomStream(static_cast<std::uint64_t>(seed), stream)());
}

double share_drawn(const BoostOptions& options, Index n, Index n_models) {
  const auto all = static_cast<double>(n);
  const double rows = n_models > 1 ? all - all / static_cast<double>(n_models) : all;
  return std::min(options.subsample, static_cast<double>(options.max_rows) / rows);
}

Model::Model(const BoostingData& data, const BoostOptions& options, Index number, int threads)
    : data_(data),
      options_(options),
      number_(number),
      threads_(threads),
      random_(static_cast<std::uint64_t>(options.seed), stream_of_models + static_cast<std::uint64_t>(number)),
      grower_(data.inputs, {.max_depth = options.max_depth,
                            .min_samples_leaf = options.min_samples_leaf,
                            .l2 = options.l2,
                            .max_features = options.max_features}),
      location_(data.start.location.replicate(1, data.y.cols())),
      log_scale_(data.start.log_scale.replicate(1, data.y.cols())) {
  for (Index i = 0; i < data.y.cols(); ++i) {
    const bool out = !data.fold.empty() && data.fold[static_cast<std::size_t>(i)] == number;
    (out ? left_out_ : rows_).push_back(i);
  }
  if (data.fold.empty()) left_out_ = rows_;
}

void Model::round(const Residuals& residuals, const std::vector<Information>& information,
                  const std::vector<double>& keys) {
  const std::vector<Index> drawn = draw(keys);
  for (Index t = 0; t < data_.y.rows(); ++t) {
    if (options_.likelihood == BoostLikelihood::mixture) {
      step(grow(drawn, residuals, information[static_cast<std::size_t>(t)], t), t);
    } else {
      natural_step(drawn, t);
    }
  }
}

void Model::tell(Matrix& left_over, Matrix& log_scale) const {
  for (const Index i : left_out_) {
    for (Index t = 0; t < data_.y.rows(); ++t) {
      log_scale(t, i) = bounded(t, i);
      left_over(t, i) = (data_.y(t, i) - location_(t, i)) * std::exp(-log_scale(t, i));
    }
  }
}

/// log s of a row.
double Model::bounded(Index target, Index row) const {
  return std::clamp(log_scale_(target, row), data_.start.least_log_scale[target],
                    data_.start.greatest_log_scale[target]);
}

std::vector<Index> Model::draw(const std::vector<double>& keys) {
  if (!keys.empty()) {
    const double share = share_drawn(options_, data_.y.cols(), data_.n_models);
    std::vector<Index> out;
    for (const Index i : rows_) {
      if (is_drawn(keys[static_cast<std::size_t>(i)], share, number_, data_.n_models)) out.push_back(i);
    }
    return out;
  }
  const Index n = std::ssize(rows_);
  const auto share = static_cast<Index>(std::lround(options_.subsample * static_cast<double>(n)));
  const Index count = std::max<Index>(1, std::min(share, options_.max_rows));
  if (count >= n) return rows_;
  std::vector<Index> out = random_rows(n, count, RandomStream(random_()));
  for (Index& k : out) k = rows_[static_cast<std::size_t>(k)];
  return out;
}

/// body(rows): a block of `drawn`, on all threads.
template <class Body>
void Model::by_blocks(const std::vector<Index>& drawn, const Body& body) const {
  parallel_for(block_count(std::ssize(drawn), rows_per_block), threads_,
               [&](Index block) { body(block_range(std::ssize(drawn), rows_per_block, block)); });
}

/// The columns of e in a block of `drawn`.
Matrix Model::left_over(const std::vector<Index>& drawn, const Range& range) const {
  Matrix out(data_.y.rows(), range.size());
  for (Index k = range.begin; k < range.end; ++k) {
    const Index i = drawn[static_cast<std::size_t>(k)];
    for (Index t = 0; t < out.rows(); ++t) {
      out(t, k - range.begin) = (data_.y(t, i) - location_(t, i)) * std::exp(-bounded(t, i));
    }
  }
  return out;
}

double Model::mean_log_scale(const std::vector<Index>& drawn, Index target) const {
  double sum = 0;
  double total = 0;
  for (const Index i : drawn) {
    sum += data_.weights[i] * bounded(target, i);
    total += data_.weights[i];
  }
  return sum / total;
}

/// A tree of the likelihood of `residuals`. For m rows have weights (s / s_0)^(2 beta), s_0 their geometric mean:
/// where m is still far off, s is large, and without that it would stay so (boost.hpp).
GrownTree Model::grow(const std::vector<Index>& drawn, const Residuals& residuals, const Information& information,
                      Index target) {
  std::vector<Derivatives> own(drawn.size());
  const double middle = mean_log_scale(drawn, target);
  count_work(100.0 * static_cast<double>(drawn.size()));
  by_blocks(drawn, [&](const Range& range) {
    const Matrix e = left_over(drawn, range);
    const Vector psi = residuals.score(e, target);
    for (Index k = range.begin; k < range.end; ++k) {
      const Index i = drawn[static_cast<std::size_t>(k)];
      const double inverse = std::exp(-bounded(target, i));
      const double score = psi[k - range.begin];
      const double weight = data_.weights[i];
      const double of_location = weight * std::exp(2 * beta * (bounded(target, i) - middle));
      own[static_cast<std::size_t>(k)] = {weight, of_location * score * inverse,
                                          of_location * information.location * inverse * inverse,
                                          weight * (score * e(target, k - range.begin) - 1)};
    }
  });
  return grower_.grow(narrow(drawn), std::move(own), information.scale, random_, threads_);
}

/// A tree whose leaves hold means of y - m, or of (e^2 - 1) / 2: the natural gradient of a Gaussian.
GrownTree Model::grow_natural(const std::vector<Index>& drawn, Index target, bool of_location) {
  std::vector<Derivatives> own(drawn.size());
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    const Index i = drawn[k];
    const double weight = data_.weights[i];
    const double gap = data_.y(target, i) - location_(target, i);
    const double e = gap * std::exp(-bounded(target, i));
    own[k] = {weight, weight * (of_location ? gap : 0.5 * (e * e - 1)), weight, 0};
  }
  GrownTree out = grower_.grow(narrow(drawn), std::move(own), 1, random_, threads_);
  if (!of_location) {
    for (std::array<double, 2>& step : out.steps) step = {0, step[0]};
  }
  return out;
}

/// Adds a share of the tree to m and log s of all rows.
void Model::step(GrownTree tree, Index target) {
  shrink(tree, options_.learning_rate);
  const Index n = data_.y.cols();
  count_work(60.0 * static_cast<double>(n));
  const LeafFinder leaf(tree, data_.inputs);
  parallel_for(block_count(n, rows_per_block), threads_, [&](Index block) {
    const Range range = block_range(n, rows_per_block, block);
    for (Index i = range.begin; i < range.end; ++i) {
      const std::array<double, 2>& own = tree.steps[leaf(i)];
      location_(target, i) += own[0];
      log_scale_(target, i) = std::clamp(log_scale_(target, i) + own[1], data_.start.least_log_scale[target],
                                         data_.start.greatest_log_scale[target]);
    }
  });
  trees_.push_back(std::move(tree));
}

/// Two trees with the multiple of their steps, a power of two, that is best for the rows that made them (Duan et al.
/// 2020, algorithm 1, line 6).
void Model::natural_step(const std::vector<Index>& drawn, Index target) {
  GrownTree mean = grow_natural(drawn, target, true);
  GrownTree spread = grow_natural(drawn, target, false);
  const LeafFinder mean_leaf(mean, data_.inputs);
  const LeafFinder spread_leaf(spread, data_.inputs);
  Vector by_mean(std::ssize(drawn));
  Vector by_spread(std::ssize(drawn));
  for (Index k = 0; k < by_mean.size(); ++k) {
    const Index i = drawn[static_cast<std::size_t>(k)];
    by_mean[k] = mean.steps[mean_leaf(i)][0];
    by_spread[k] = spread.steps[spread_leaf(i)][1];
  }
  const auto loss = [&](double multiple) {
    double out = 0;
    for (Index k = 0; k < by_mean.size(); ++k) {
      const Index i = drawn[static_cast<std::size_t>(k)];
      const double log_scale = log_scale_(target, i) + multiple * by_spread[k];
      const double e = (data_.y(target, i) - location_(target, i) - multiple * by_mean[k]) * std::exp(-log_scale);
      out += data_.weights[i] * (log_scale + 0.5 * e * e);
    }
    return std::isfinite(out) ? out : infinity;
  };
  double multiple = 1;
  double found = loss(1);
  for (const double factor : {2.0, 0.5}) {
    double next = loss(factor * multiple);
    while (next < found && multiple < 256 && multiple > 1e-6) {
      multiple *= factor;
      found = next;
      next = loss(factor * multiple);
    }
  }
  for (GrownTree* tree : {&mean, &spread}) {
    for (std::array<double, 2>& own : tree->steps) own = {multiple * own[0], multiple * own[1]};
  }
  step(std::move(mean), target);
  step(std::move(spread), target);
}

ModelsInMemory::ModelsInMemory(const BoostingData& data, const BoostOptions& options, Task& task)
    : data_(data),
      options_(options),
      task_(task),
      side_by_side_(static_cast<int>(std::min<Index>(task.threads(), data.n_models))),
      some_(rows_of_residuals(data.y.cols(), options.seed)),
      weights_of_some_(data.weights(some_)),
      left_over_(data.y.rows(), data.y.cols()),
      log_scale_(data.y.rows(), data.y.cols()) {
  models_.reserve(static_cast<std::size_t>(data.n_models));
  for (Index k = 0; k < data.n_models; ++k) models_.emplace_back(data, options, k, task.threads() / side_by_side_);
  for_models([&](Model& model) { model.tell(left_over_, log_scale_); });
}

template <class Body>
void ModelsInMemory::for_models(const Body& body) {
  parallel_for(
      std::ssize(models_), side_by_side_, [&](Index k) { body(models_[static_cast<std::size_t>(k)]); },
      [&] { task_.poll(); });
}

void ModelsInMemory::rounds(Index first, Index count, const Residuals& residuals,
                            const std::vector<Information>& information) {
  const Index n = data_.y.cols();
  const bool by_places = n > most_rows_at_once && share_drawn(options_, n, data_.n_models) < 1;
  std::vector<std::vector<double>> keys(static_cast<std::size_t>(count));
  if (by_places) {
    for (Index k = 0; k < count; ++k) keys[static_cast<std::size_t>(k)] = keys_of_round(options_.seed, first + k, 0, n);
  }
  for_models([&](Model& model) {
    for (const std::vector<double>& own : keys) model.round(residuals, information, own);
    model.tell(left_over_, log_scale_);
  });
}

void ModelsInMemory::add_to_log_scale(const Vector& offset) {
  for_models([&](Model& model) {
    model.add_to_log_scale(offset);
    model.tell(left_over_, log_scale_);
  });
}

Checkpoint ModelsInMemory::look(Index done, const Residuals& residuals) {
  const Index n = left_over_.cols();
  Vector loss(n);
  parallel_for(block_count(n, rows_per_block), task_.threads(), [&](Index block) {
    const Range range = block_range(n, rows_per_block, block);
    loss.segment(range.begin, range.size()) =
        log_scale_.middleCols(range.begin, range.size()).colwise().sum().transpose() -
        residuals.log_density(left_over_.middleCols(range.begin, range.size()));
  });
  return Checkpoint::of(done, sums_of_losses(data_.weights, loss));
}

void ModelsInMemory::keep() {
  kept_left_over_ = left_over_;
  kept_log_scale_ = log_scale_;
}

std::vector<std::vector<GrownTree>> ModelsInMemory::take_trees() {
  std::vector<std::vector<GrownTree>> out;
  for (Model& model : models_) out.push_back(model.take_trees());
  return out;
}

Matrix ModelsInMemory::location() const {
  return data_.y - kept_left_over_.cwiseProduct(kept_log_scale_.array().exp().matrix());
}

}  // namespace condens::boosting
