#include "search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "condens/core/cancellation.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/random.hpp"
#include "condens/optim/lbfgs.hpp"

namespace condens::gp {

namespace {

constexpr Index neighbourhoods_to_see = 64;
constexpr Index rows_of_neighbourhood = 200;
constexpr double expected_evaluations = 50;  // of one search, for the progress only

struct Rows {
  Matrix x;
  Vector y;
  Vector weights;

  Rows first(Index count) const { return {x.leftCols(count), y.head(count), weights.head(count)}; }
  double cost() const { return std::pow(static_cast<double>(y.size()), 3); }
};

/// The coordinates of the search: logarithms relative to the spreads of the data, length scales
/// first, then the variances of signal and noise.
class Space {
 public:
  Space(const Rows& rows, const GaussianProcessOptions& options, Index target) : d_x_(rows.x.rows()) {
    spread_ =
        ((rows.x.colwise() - rows.x.rowwise().mean()).rowwise().squaredNorm() / static_cast<double>(rows.x.cols()))
            .cwiseSqrt();
    power_ = rows.weights.dot(rows.y.cwiseAbs2()) / rows.weights.sum();
    isotropic_ = options.kernel == GaussianProcessKernel::isotropic;
    if (isotropic_ && d_x_ > 0) spread_.setConstant(spread_.norm() / std::sqrt(static_cast<double>(d_x_)));
    for (double& value : spread_) value = value > 0 ? value : 1.0;
    n_lengths_ = isotropic_ ? std::min<Index>(1, d_x_) : d_x_;
    const auto given = [](const std::vector<double>& values, Index i) {
      return values.size() == 1 ? values.front() : values[static_cast<std::size_t>(i)];
    };
    fixed_lengths_ = Vector(options.length_scales.empty() ? 0 : d_x_);
    for (Index k = 0; k < fixed_lengths_.size(); ++k) fixed_lengths_[k] = given(options.length_scales, k);
    if (!options.signal_variance.empty()) fixed_signal_ = given(options.signal_variance, target);
    if (!options.noise_variance.empty()) fixed_noise_ = given(options.noise_variance, target);
    for (Index i = 0; i < n_lengths_ && options.length_scales.empty(); ++i) free_.push_back(i);
    if (fixed_signal_ == 0) free_.push_back(n_lengths_);
    if (fixed_noise_ == 0) free_.push_back(n_lengths_ + 1);
  }

  Index n_free() const { return std::ssize(free_); }

  Hyperparameters at(const Vector& coordinates) const {
    Vector all = Vector::Zero(n_lengths_ + 2);
    all(free_) = coordinates;
    Hyperparameters out{spread_, fixed_signal_, fixed_noise_};
    for (Index k = 0; k < d_x_; ++k) out.length_scales[k] *= std::exp(all[isotropic_ ? 0 : k]);
    if (fixed_lengths_.size() > 0) out.length_scales = fixed_lengths_;
    if (fixed_signal_ == 0) out.signal_variance = power_ * std::exp(all[n_lengths_]);
    if (fixed_noise_ == 0) out.noise_variance = power_ * std::exp(all[n_lengths_ + 1]);
    return out;
  }

  Vector gradient(const Likelihood& likelihood) const {
    Vector all(n_lengths_ + 2);
    if (isotropic_) {
      all.head(n_lengths_).setConstant(likelihood.length_scales.sum());
    } else {
      all.head(n_lengths_) = likelihood.length_scales;
    }
    all.tail(2) << likelihood.signal_variance, likelihood.noise_variance;
    return all(free_);
  }

  Vector lower() const { return bounds(-4.0, 1e-6, 1e-6); }
  Vector upper() const { return bounds(6.0, 1e4, 10.0); }

  /// Three starts that expect little, less and more noise; further ones at random around them.
  Vector start(Index number, std::uint64_t seed) const {
    struct Guess {
      double length, signal, noise;
    };
    constexpr std::array<Guess, 3> guesses = {Guess{1.0, 0.8, 0.2}, Guess{0.4, 1.0, 0.05}, Guess{2.5, 0.5, 0.5}};
    const Guess& guess = guesses[static_cast<std::size_t>(number % 3)];
    Vector all(n_lengths_ + 2);
    all.head(n_lengths_).setConstant(std::log(guess.length * std::sqrt(static_cast<double>(std::max<Index>(1, d_x_)))));
    all.tail(2) << std::log(guess.signal), std::log(guess.noise);
    if (number >= 3) {
      RandomStream random(seed, static_cast<std::uint64_t>(number));
      for (double& value : all) value += 2 * random.uniform() - 1;
    }
    return all(free_);
  }

 private:
  Vector bounds(double log_length, double signal, double noise) const {
    Vector all(n_lengths_ + 2);
    all.head(n_lengths_).setConstant(log_length);
    all.tail(2) << std::log(signal), std::log(noise);
    return all(free_);
  }

  Index d_x_;
  Index n_lengths_ = 0;
  bool isotropic_ = false;
  Vector spread_;     // of every input; 1 for a constant one
  double power_ = 1;  // mean square of y: the prior mean is zero
  Vector fixed_lengths_;
  double fixed_signal_ = 0;  // 0: free
  double fixed_noise_ = 0;
  std::vector<Index> free_;
};

/// -log of the likelihood of blocks of rows as if they were independent, with its gradient.
Likelihood sum_over(const std::vector<Rows>& blocks, const Hyperparameters& at, int threads) {
  if (blocks.size() == 1) {
    return negative_log_likelihood(blocks[0].x, blocks[0].y, blocks[0].weights, at, threads);
  }
  std::vector<Likelihood> parts(blocks.size());
  parallel_for(std::ssize(blocks), threads, [&](Index b) {
    const auto place = static_cast<std::size_t>(b);
    const Rows& own = blocks[place];
    parts[place] = negative_log_likelihood(own.x, own.y, own.weights, at, 1);
  });
  Likelihood out = std::move(parts[0]);
  for (std::size_t b = 1; b < parts.size(); ++b) {
    out.negative_log += parts[b].negative_log;
    out.length_scales += parts[b].length_scales;
    out.signal_variance += parts[b].signal_variance;
    out.noise_variance += parts[b].noise_variance;
  }
  return out;
}

LbfgsResult minimize_from(const Vector& start, const Space& space, const std::vector<Rows>& blocks, Task& task,
                          int threads) {
  double total = 0;
  double cost = 0;
  for (const Rows& own : blocks) {
    total += own.weights.sum();
    cost += own.cost();
  }
  const auto objective = [&](const Vector& at, Vector& gradient) {
    task.advance(cost);
    try {
      const Likelihood value = sum_over(blocks, space.at(at), threads);
      gradient = space.gradient(value) / total;
      return value.negative_log / total;
    } catch (const NumericalError&) {
      gradient = Vector::Zero(at.size());
      return std::numeric_limits<double>::infinity();
    }
  };
  return minimize(objective, start, space.lower(), space.upper(), {.max_iterations = 100, .unit = 1},
                  [&] { task.poll(); });
}

/// Rows and their nearest ones under the length scales.
std::vector<Rows> neighbourhoods(const Rows& rows, const Vector& length_scales) {
  const Matrix z = length_scales.cwiseInverse().asDiagonal() * rows.x;
  const Index size = std::min(rows_of_neighbourhood, z.cols());
  std::vector<Rows> out;
  std::vector<Index> order(static_cast<std::size_t>(z.cols()));
  for (Index b = 0; b < std::min(neighbourhoods_to_see, z.cols()); ++b) {  // the rows are in a random order
    check_cancelled();
    const Vector distance = (z.colwise() - z.col(b)).colwise().squaredNorm().transpose();
    std::iota(order.begin(), order.end(), Index{0});
    std::nth_element(order.begin(), order.begin() + (size - 1), order.end(), [&](Index i, Index j) {
      return distance[i] < distance[j] || (distance[i] == distance[j] && i < j);
    });
    const std::vector<Index> own(order.begin(), order.begin() + size);
    out.push_back({rows.x(Eigen::all, own), rows.y(own), rows.weights(own)});
  }
  return out;
}

/// From all starts, with a part of the rows.
LbfgsResult best_of_starts(const Rows& part, const Space& space, const GaussianProcessOptions& options, Task& task,
                           Vector& scores) {
  std::vector<LbfgsResult> ends(static_cast<std::size_t>(options.n_starts));
  const int inner = std::max(1, task.threads() / static_cast<int>(std::min<Index>(options.n_starts, 64)));
  parallel_for(
      options.n_starts, task.threads(),
      [&](Index s) {
        const Vector start = space.start(s, static_cast<std::uint64_t>(options.seed));
        ends[static_cast<std::size_t>(s)] = minimize_from(start, space, {part}, task, inner);
      },
      [&] { task.poll(); });
  scores = Vector(options.n_starts);
  for (Index s = 0; s < options.n_starts; ++s) scores[s] = ends[static_cast<std::size_t>(s)].value;
  return *std::min_element(ends.begin(), ends.end(),
                           [](const LbfgsResult& a, const LbfgsResult& b) { return a.value < b.value; });
}

/// Targets one after the other, starts side by side: a few matrices of n^2 at a time.
Found search_target(const Dataset& data, Index target, const GaussianProcessOptions& options, Task& task) {
  const Rows rows{data.x, data.y.row(target).transpose(), data.weights};
  const Index n = rows.y.size();
  const Rows process = rows.first(std::min(n, options.max_rows));
  const bool induced = process.y.size() < n && options.many_rows == GaussianProcessRows::inducing;
  const Space space(induced ? rows : process, options, target);
  Vector scores;
  const auto learned = [&](const LbfgsResult& end) {
    Found out{.at = space.at(end.x),
              .iterations = end.iterations,
              .finished = end.status != LbfgsStatus::iteration_limit,
              .scores_of_starts = scores};
    if (induced) {
      out.induced.emplace(process.x, data, target, out.at, task.threads());
      out.left_out = out.induced->left_out(data, target, task.threads());
    }
    return out;
  };
  if (space.n_free() == 0) return learned(LbfgsResult{});
  const Index few = std::min(process.y.size(), rows_of_starts);
  const LbfgsResult start = best_of_starts(rows.first(few), space, options, task, scores);
  const auto go_on = [&](const std::vector<Rows>& blocks) {
    return learned(minimize_from(start.x, space, blocks, task, task.threads()));
  };
  Found out = few < process.y.size() ? go_on({process}) : learned(start);
  if (!induced) return out;
  Found other = go_on(neighbourhoods(rows, space.at(start.x).length_scales));
  return other.left_out.score(data.weights) < out.left_out.score(data.weights) ? other : out;
}

}  // namespace

std::vector<Found> search(const Dataset& rows, const GaussianProcessOptions& options, const Run& run) {
  const Index process = std::min(rows.size(), options.max_rows);
  const Index few = std::min(process, rows_of_starts);
  const auto cube = [](Index n) { return std::pow(static_cast<double>(n), 3); };
  const double work = cube(few) * static_cast<double>(options.n_starts) + (few < process ? cube(process) : 0.0);
  Task task(run, "maximising the likelihood", expected_evaluations * work * static_cast<double>(rows.y.rows()));
  std::vector<Found> out;
  for (Index t = 0; t < rows.y.rows(); ++t) out.push_back(search_target(rows, t, options, task));
  return out;
}

}  // namespace condens::gp
