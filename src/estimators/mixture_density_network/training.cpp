#include "training.hpp"

#include <algorithm>
#include <cmath>

#include "condens/core/random.hpp"
#include "condens/data/standardizer.hpp"
#include "optim/adam.hpp"
#include "optim/owlqn.hpp"

namespace condens::mdn {

namespace {

/// Keeps the parameters of least held-out loss.
class HeldOut {
 public:
  HeldOut(const Training& how, const Dataset& rows)
      : loss_(how.shape, rows.x, rows.y, rows.weights, 0.0), patience_(how.patience) {}

  /// False when the loss has not fallen for long.
  bool watch(const Vector& parameters, int threads) {
    if (loss_.n_rows() == 0) return true;
    const double value = loss_.mean_loss(parameters, threads);
    ++age_;
    if (value < best_value_) {
      best_value_ = value;
      best_ = parameters;
      age_ = 0;
    }
    return age_ < patience_;
  }

  void choose(Trained& out) const {
    if (best_.size() == 0) return;
    out.parameters = best_;
    out.held_out_loss = best_value_;
  }

 private:
  NetworkLoss loss_;
  Index patience_;
  Index age_ = 0;
  double best_value_ = infinity;
  Vector best_;
};

Trained train_by_lbfgs(const Training& how, NetworkLoss& loss, const Vector& from, HeldOut& held_out, Task& task,
                       int threads) {
  const double work = static_cast<double>(loss.n_rows());
  const auto objective = [&](const Vector& at, Vector& gradient) {
    task.advance(work);
    return loss(at, gradient, threads);
  };
  const LbfgsSettings settings{.max_iterations = how.max_iterations,
                               .unit = 1,
                               .gradient_tolerance = 1e-6,
                               .value_tolerance = 1e-12,
                               .after_step = [&](const Vector& at) { return held_out.watch(at, threads); }};
  LbfgsResult found = minimize_l1(objective, from, Vector::Zero(from.size()), settings, [&] { task.poll(); });
  return {.parameters = std::move(found.x),
          .objective = found.value,
          .iterations = found.iterations,
          .finished = found.status != LbfgsStatus::iteration_limit};
}

/// Steps of Adam (optim/adam.hpp). A batch's gradient is noisy: its products
/// are float, which takes 60 % of the time; the parameters, their moments and their steps are double.
class AdamPasses {
 public:
  AdamPasses(const Training& how, const Dataset& rows)
      : how_(how), rows_(rows), work_(how.shape, how.batch_size), adam_(how.shape.n_parameters()) {}

  /// One pass over the rows in a new order.
  void pass(Vector& parameters, double rate, RandomStream& random) {
    const std::vector<Index> order = random.permutation(rows_.size());
    for (Index b = 0; b < block_count(rows_.size(), how_.batch_size); ++b) {
      check_cancelled();
      const Range range = block_range(rows_.size(), how_.batch_size, b);
      load(order, range);
      rounded_parameters_ = parameters.cast<float>();
      rounded_gradient_.setZero(parameters.size());
      add_loss(how_.shape, block_, rounded_parameters_, work_, rounded_gradient_);
      const Vector steps = adam_.step(rounded_gradient_.cast<double>() / block_.weights.sum());
      Vector penalty = Vector::Zero(parameters.size());
      add_penalty(how_.shape, how_.decay, parameters, penalty);
      parameters -= rate * (steps + penalty);
    }
  }

 private:
  void load(const std::vector<Index>& order, const Range& range) {
    block_.x.resize(range.size(), how_.shape.n_inputs);
    block_.y.resize(range.size(), how_.shape.n_targets);
    block_.weights.resize(range.size());
    for (Index i = 0; i < range.size(); ++i) {
      const Index row = order[static_cast<std::size_t>(range.begin + i)];
      if (how_.shape.n_inputs > 0) block_.x.row(i) = rows_.x.col(row).transpose().cast<float>();
      block_.y.row(i) = rows_.y.col(row).transpose();
      block_.weights[i] = rows_.weights[row];
    }
  }

  const Training& how_;
  const Dataset& rows_;
  BasicWorkspace<float> work_;
  BasicBlock<float> block_;
  VectorOf<float> rounded_parameters_;
  VectorOf<float> rounded_gradient_;
  Adam adam_;
};

Trained train_by_adam(const Training& how, const Dataset& rows, const Vector& from, HeldOut& held_out,
                      RandomStream& random, Task& task, int threads) {
  Trained out{.parameters = from, .finished = false};
  AdamPasses adam(how, rows);
  while (out.iterations < how.max_iterations) {
    task.poll();
    const double progress = static_cast<double>(out.iterations) / static_cast<double>(how.max_iterations);
    adam.pass(out.parameters, how.learning_rate * cosine_rate(progress), random);
    task.advance(static_cast<double>(rows.size()));
    ++out.iterations;
    if (!held_out.watch(out.parameters, threads)) break;
  }
  out.finished = true;
  return out;
}

}  // namespace

Vector start(const Shape& shape, const Dataset& rows, std::uint64_t seed, std::uint64_t stream) {
  RandomStream random(seed, stream);
  Vector out = Vector::Zero(shape.n_parameters());
  const auto draw = [&](Index begin, Index count, double scale) {
    for (Index i = 0; i < count; ++i) out[begin + i] = scale * random.normal();
  };
  for (Index layer = 0; layer <= shape.layers; ++layer) {
    const Index in = shape.fan_in(layer);
    const bool last = layer == shape.layers;
    const double scale = (last ? 0.1 : 1.0) / std::sqrt(static_cast<double>(std::max<Index>(1, in)));
    draw(shape.layer_offset(layer), in * (last ? shape.n_outputs() : shape.hidden), scale);
  }
  const Standardizer moments = Standardizer::fit(rows.y, rows.weights);
  const Index t = shape.n_components;
  double* const biases = out.data() + shape.layer_offset(shape.layers) + shape.hidden * shape.n_outputs();
  for (Index k = 0; k < shape.n_targets; ++k) {
    std::vector<double> sorted(static_cast<std::size_t>(rows.size()));
    for (Index i = 0; i < rows.size(); ++i) sorted[static_cast<std::size_t>(i)] = rows.y(k, i);
    std::sort(sorted.begin(), sorted.end());
    for (Index c = 0; c < t; ++c) {
      const double level = (static_cast<double>(c) + 0.5) / static_cast<double>(t);
      biases[shape.mean_output(c, k)] =
          sorted[static_cast<std::size_t>(std::floor(level * static_cast<double>(sorted.size())))];
      const double spread = moments.is_constant(k) ? 1.0 : moments.scale()[k];
      biases[shape.scale_output(c, k)] = std::log(0.7 * spread / std::sqrt(static_cast<double>(t)));
    }
  }
  return out;
}

double expected_work(const Training& how, Index rows) {
  return static_cast<double>(how.max_iterations) * static_cast<double>(rows);
}

Trained train(const Training& how, const Dataset& rows, const Dataset& held_out, std::uint64_t seed,
              std::uint64_t stream, Task& task, int threads) {
  NetworkLoss loss(how.shape, rows.x, rows.y, rows.weights, how.decay);
  HeldOut watched(how, held_out);
  const Vector from = start(how.shape, rows, seed, stream);
  Trained out;
  if (how.adam) {
    RandomStream random(seed, ~stream);
    out = train_by_adam(how, rows, from, watched, random, task, threads);
  } else {
    out = train_by_lbfgs(how, loss, from, watched, task, threads);
  }
  watched.choose(out);
  out.train_loss = loss.mean_loss(out.parameters, threads);
  Vector ignored = Vector::Zero(out.parameters.size());
  out.objective = out.train_loss + add_penalty(how.shape, how.decay, out.parameters, ignored);
  return out;
}

}  // namespace condens::mdn
