#include "rounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "condens/core/random.hpp"
#include "core/work.hpp"
#include "data/splits.hpp"

namespace condens::boosting {

namespace {

constexpr Index rounds_between = 5;  // two looks at the rows left out
constexpr double still_falls = 0.1;  // nats by which the score falls while rounds times learning rate grow by one:
                                     // before it is slower, m and s are not there yet, and no mixture is fitted
constexpr double beta = 0.5;         // power of s^2 that weighs rows where m is fitted
constexpr Index rows_of_mixture = 20'000;  // at most, on which it is fitted
constexpr int first_steps = 50;            // of expectation maximisation
constexpr int steps_between = 5;
constexpr int last_steps = 100;
constexpr Index rows_per_block = 4096;
constexpr double least_information = 0.1;
constexpr double longest_step = 2;  // of log s
constexpr std::uint64_t stream_of_mixture = 1;
constexpr std::uint64_t stream_of_models = 1'000;

/// I_m and I_s of a target.
struct Information {
  double location = 1;
  double scale = 2;
};

/// One model in the making: m and log s of all rows, be they left out or not.
class Model {
 public:
  Model(const BoostingData& data, const BoostOptions& options, Index number, int threads)
      : data_(data),
        options_(options),
        threads_(threads),
        random_(static_cast<std::uint64_t>(options.seed), stream_of_models + static_cast<std::uint64_t>(number)),
        grower_(data.inputs, {.max_depth = options.max_depth,
                              .min_samples_leaf = options.min_samples_leaf,
                              .l2 = options.l2,
                              .max_features = options.max_features}),
        location_(data.location.replicate(1, data.y.cols())),
        log_scale_(data.log_scale.replicate(1, data.y.cols())) {
    for (Index i = 0; i < data.y.cols(); ++i) {
      const bool out = !data.fold.empty() && data.fold[static_cast<std::size_t>(i)] == number;
      (out ? left_out_ : rows_).push_back(i);
    }
    if (data.fold.empty()) left_out_ = rows_;
  }

  void round(const Residuals& residuals, const std::vector<Information>& information) {
    const std::vector<Index> drawn = draw();
    for (Index t = 0; t < data_.y.rows(); ++t) {
      if (options_.likelihood == BoostLikelihood::mixture) {
        step(grow(drawn, residuals, information[static_cast<std::size_t>(t)], t), t);
      } else {
        natural_step(drawn, t);
      }
    }
  }

  /// Adds to log s of all rows.
  void add_to_log_scale(const Vector& offset) { log_scale_.colwise() += offset; }

  std::vector<GrownTree> take_trees() { return std::move(trees_); }

  /// e and log s of the rows left out, into columns of matrices of all rows.
  void tell(Matrix& left_over, Matrix& log_scale) const {
    for (const Index i : left_out_) {
      for (Index t = 0; t < data_.y.rows(); ++t) {
        log_scale(t, i) = bounded(t, i);
        left_over(t, i) = (data_.y(t, i) - location_(t, i)) * std::exp(-log_scale(t, i));
      }
    }
  }

 private:
  /// log s of a row.
  double bounded(Index target, Index row) const {
    return std::clamp(log_scale_(target, row), data_.least_log_scale[target], data_.greatest_log_scale[target]);
  }

  std::vector<Index> draw() {
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
  void by_blocks(const std::vector<Index>& drawn, const Body& body) const {
    parallel_for(block_count(std::ssize(drawn), rows_per_block), threads_,
                 [&](Index block) { body(block_range(std::ssize(drawn), rows_per_block, block)); });
  }

  /// The columns of e in a block of `drawn`.
  Matrix left_over(const std::vector<Index>& drawn, const Range& range) const {
    Matrix out(data_.y.rows(), range.size());
    for (Index k = range.begin; k < range.end; ++k) {
      const Index i = drawn[static_cast<std::size_t>(k)];
      for (Index t = 0; t < out.rows(); ++t) {
        out(t, k - range.begin) = (data_.y(t, i) - location_(t, i)) * std::exp(-bounded(t, i));
      }
    }
    return out;
  }

  double mean_log_scale(const std::vector<Index>& drawn, Index target) const {
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
  GrownTree grow(const std::vector<Index>& drawn, const Residuals& residuals, const Information& information,
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
  GrownTree grow_natural(const std::vector<Index>& drawn, Index target, bool of_location) {
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

  static std::vector<std::int32_t> narrow(const std::vector<Index>& rows) {
    std::vector<std::int32_t> out(rows.size());
    std::transform(rows.begin(), rows.end(), out.begin(), [](Index i) { return static_cast<std::int32_t>(i); });
    return out;
  }

  /// Adds a share of the tree to m and log s of all rows.
  void step(GrownTree tree, Index target) {
    for (std::array<double, 2>& own : tree.steps) {
      own[0] *= options_.learning_rate;
      own[1] = options_.learning_rate * std::clamp(own[1], -longest_step, longest_step);
    }
    const Index n = data_.y.cols();
    count_work(60.0 * static_cast<double>(n));
    parallel_for(block_count(n, rows_per_block), threads_, [&](Index block) {
      const Range range = block_range(n, rows_per_block, block);
      for (Index i = range.begin; i < range.end; ++i) {
        const std::array<double, 2>& own = tree.steps[tree.leaf(data_.inputs, i)];
        location_(target, i) += own[0];
        log_scale_(target, i) =
            std::clamp(log_scale_(target, i) + own[1], data_.least_log_scale[target], data_.greatest_log_scale[target]);
      }
    });
    trees_.push_back(std::move(tree));
  }

  /// Two trees with the multiple of their steps, a power of two, that is best for the rows that made them (Duan et al.
  /// 2020, algorithm 1, line 6).
  void natural_step(const std::vector<Index>& drawn, Index target) {
    GrownTree mean = grow_natural(drawn, target, true);
    GrownTree spread = grow_natural(drawn, target, false);
    Vector by_mean(std::ssize(drawn));
    Vector by_spread(std::ssize(drawn));
    for (Index k = 0; k < by_mean.size(); ++k) {
      const Index i = drawn[static_cast<std::size_t>(k)];
      by_mean[k] = mean.steps[mean.leaf(data_.inputs, i)][0];
      by_spread[k] = spread.steps[spread.leaf(data_.inputs, i)][1];
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

  const BoostingData& data_;
  const BoostOptions& options_;
  int threads_;
  RandomStream random_;
  Grower grower_;
  std::vector<Index> rows_;
  std::vector<Index> left_out_;
  Matrix location_;   // d_y x n
  Matrix log_scale_;  // sums of steps: bounds hold where they are used
  std::vector<GrownTree> trees_;
};

/// All models, what they leave of the rows left out, and its distribution.
class Booster {
 public:
  Booster(const BoostingData& data, const BoostOptions& options, Task& task)
      : data_(data),
        options_(options),
        task_(task),
        side_by_side_(static_cast<int>(std::min<Index>(task.threads(), data.n_models))),
        left_over_(data.y.rows(), data.y.cols()),
        log_scale_(data.y.rows(), data.y.cols()),
        information_(static_cast<std::size_t>(data.y.rows())),
        first_log_scale_(data.log_scale),
        some_(random_rows(data.y.cols(), rows_of_mixture,
                          RandomStream(static_cast<std::uint64_t>(options.seed), stream_of_mixture))) {
    models_.reserve(static_cast<std::size_t>(data.n_models));
    for (Index k = 0; k < data.n_models; ++k) models_.emplace_back(data, options, k, task.threads() / side_by_side_);
    const bool mixture = options.likelihood == BoostLikelihood::mixture;
    residuals_ = mixture ? Residuals::heavy_tails(data.y.rows(), options.n_components)
                         : Residuals::standard_normal(data.y.rows());
    if (!mixture) return;
    for_models([&](Model& model) { model.tell(left_over_, log_scale_); });
    measure_information();
  }

  Boosted boost() {
    Boosted out;
    const bool mixture = options_.likelihood == BoostLikelihood::mixture;
    double best = infinity;
    bool fitted_mixture = false;
    for (Index done = 0; done < options_.n_rounds;) {
      const Index more = std::min(rounds_between, options_.n_rounds - done);
      for_models([&](Model& model) {
        for (Index round = 0; round < more; ++round) model.round(residuals_, information_);
      });
      done += more;
      task_.advance(static_cast<double>(more));
      for_models([&](Model& model) { model.tell(left_over_, log_scale_); });
      if (mixture && (renewed_ || !still_falls_fast(out.checkpoints))) renew();
      out.checkpoints.push_back(look(done));
      const double score = out.checkpoints.back().score;
      if (score < best || data_.fold.empty() || out.rounds == 0) {
        best = score;
        out.rounds = done;
        out.left_over = left_over_;
        out.log_scale = log_scale_;
        out.residuals = residuals_;
        out.first_log_scale = first_log_scale_;
        fitted_mixture = renewed_;
      }
      if (done - out.rounds >= options_.patience) break;
    }
    finish(fitted_mixture, out);
    return out;
  }

 private:
  template <class Body>
  void for_models(const Body& body) {
    parallel_for(
        std::ssize(models_), side_by_side_, [&](Index k) { body(models_[static_cast<std::size_t>(k)]); },
        [&] { task_.poll(); });
  }

  bool still_falls_fast(const std::vector<Checkpoint>& seen) const {
    if (seen.size() < 2) return true;
    const Checkpoint& before = seen[seen.size() - 2];
    const Checkpoint& now = seen.back();
    const double way = static_cast<double>(now.rounds - before.rounds) * options_.learning_rate;
    return before.score - now.score > still_falls * way;
  }

  void renew() {
    const Matrix e = left_over_(Eigen::all, some_);
    const Vector weights = data_.weights(some_);
    if (!renewed_) residuals_ = Residuals::around(e, options_.n_components);
    residuals_.renew(e, weights, renewed_ ? steps_between : first_steps);
    renewed_ = true;
    normalize();
    measure_information();
  }

  /// Rows of the fit seem closer to m than others are: s would shrink and g widen without end. So the size of g is
  /// moved to s, which changes no density.
  void normalize() {
    const Vector offset = residuals_.log_sizes();
    residuals_.means.array().colwise() *= (-offset).array().exp();
    residuals_.scales.array().colwise() *= (-offset).array().exp();
    first_log_scale_ += offset;
    for_models([&](Model& model) {
      model.add_to_log_scale(offset);
      model.tell(left_over_, log_scale_);
    });
  }

  /// Means over rows: without a bound a distribution far from theirs would ask for endless steps.
  void measure_information() {
    const Matrix e = left_over_(Eigen::all, some_);
    const Vector weights = data_.weights(some_);
    for (Index t = 0; t < e.rows(); ++t) {
      const Vector psi = residuals_.score(e, t);
      const Vector of_scale = psi.array() * e.row(t).transpose().array() - 1;
      information_[static_cast<std::size_t>(t)] = {
          std::max(least_information, weights.dot(psi.cwiseAbs2()) / weights.sum()),
          std::max(least_information, weights.dot(of_scale.cwiseAbs2()) / weights.sum())};
    }
  }

  Checkpoint look(Index done) const {
    const Index n = left_over_.cols();
    Vector loss(n);
    parallel_for(block_count(n, rows_per_block), task_.threads(), [&](Index block) {
      const Range range = block_range(n, rows_per_block, block);
      loss.segment(range.begin, range.size()) =
          log_scale_.middleCols(range.begin, range.size()).colwise().sum().transpose() -
          residuals_.log_density(left_over_.middleCols(range.begin, range.size()));
    });
    const double total = data_.weights.sum();
    const double mean = data_.weights.dot(loss) / total;
    const double error = std::sqrt(data_.weights.cwiseAbs2().dot((loss.array() - mean).square().matrix())) / total;
    const double most = std::numeric_limits<double>::max();
    return {done, std::isfinite(mean) ? mean : most, std::isfinite(error) ? error : most};
  }

  /// The distribution of what is left by the rounds that are used. A Gaussian of all rows stays as it is.
  void finish(bool fitted_mixture, Boosted& out) {
    const bool mixture = options_.likelihood == BoostLikelihood::mixture;
    const Index trees_of_target = mixture ? 1 : 2;  // of a round
    for (Index round = 0; round < out.rounds; ++round) {
      for (Index k = 0; k < data_.y.rows() * trees_of_target; ++k) out.targets.push_back(k / trees_of_target);
    }
    for (Model& model : models_) {
      out.trees.push_back(model.take_trees());
      out.trees.back().resize(out.targets.size());
    }
    if (!mixture && data_.fold.empty()) return;
    const Matrix e = out.left_over(Eigen::all, some_);
    if (!fitted_mixture) out.residuals = Residuals::around(e, options_.n_components);
    out.residuals.renew(e, data_.weights(some_), last_steps);
  }

  const BoostingData& data_;
  const BoostOptions& options_;
  Task& task_;
  int side_by_side_;
  std::vector<Model> models_;
  Residuals residuals_;
  Matrix left_over_;
  Matrix log_scale_;
  std::vector<Information> information_;
  Vector first_log_scale_;  // before the first round
  std::vector<Index> some_;
  bool renewed_ = false;
};

}  // namespace

Boosted boost(const BoostingData& data, const BoostOptions& options, Task& task) {
  return Booster(data, options, task).boost();
}

}  // namespace condens::boosting
